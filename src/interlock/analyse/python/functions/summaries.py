"""Summaries of function bodies: a body is read once for each kind of arguments and of outer state that it depends on.

While a body is read, a `Frame` records every outer value that it looks at: names, attributes, files. A body that left
all of them as they were, but for attributes that it set, is summarised. A later call whose arguments and outer values
are of the same kinds takes the result from the summary and sets the same attributes: its effects are in the reading
already, at the same places.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import Any

from interlock.analyse.python.evaluation.scope import MISSING, PythonScope
from interlock.analyse.python.evaluation.value_kinds import ValueKinds, is_lasting
from interlock.analyse.python.evaluation.values import Choice, Instance, Object, Partial, PythonFunction, Ref, Unknown
from interlock.analyse.python.functions.frames import Frame, FunctionCall, current_value
from interlock.analyse.python.functions.result_copies import Copier, container_ids, escapes, parts_in
from interlock.analyse.python.functions.summary_matching import RecordedWrite, Summary, SummaryMatch
from interlock.analyse.reading import Reading
from interlock.model import Effect

MAX_SUMMARIES = 4  # of one function and kind of arguments, which differ in the outer values that they depend on
_NONE: frozenset[int] = frozenset()
_NO_CUTS: frozenset[ast.AST | None] = frozenset()
_SIMPLE = frozenset({str, bytes, int, float, bool, type(None), Unknown, Ref, Instance})  # never changed in place
_PRINTING = "out.print"
_MUTABLE = frozenset({list, dict, tuple, Choice, Partial, PythonFunction})


class Tracker:
    """Records what bodies depend on while one text is read, and keeps their summaries."""

    __slots__ = ("_known", "_repeated", "births", "frame", "kinds", "reading")

    def __init__(self, reading: Reading, decoded: set[str | bytes]) -> None:
        self.reading = reading
        self.kinds = ValueKinds(reading.taints, decoded)
        self.frame: Frame | None = None
        self.births = 0
        self._known: dict[Hashable, list[Summary]] = {}
        self._repeated = 0  # summaries with effects that were used

    def mark(self) -> tuple[int, int]:
        """Return a point in the reading, for `has_acted`."""
        return (len(self.reading.effects), self._repeated)

    def has_acted(self, mark: tuple[int, int]) -> bool:
        """Whether what was read since a point has effects, other than to print."""
        first, repeated = mark
        if self._repeated != repeated:
            return True
        effects = self.reading.effects
        return any(effects[at].kind != _PRINTING for at in range(first, len(effects)))

    def forget(self) -> None:
        """Drop all summaries."""
        self._known.clear()

    def describe(
        self, function: PythonFunction, values: tuple[Any, ...], context: Hashable, version: tuple[int, ...]
    ) -> FunctionCall:
        """Return a call as summaries are compared with it. `context` is what sites and limits depend on."""
        return FunctionCall(function, values, (function.node, context, *self.kinds.of_all(values)), version)

    def begin(self, call: FunctionCall) -> Frame:
        """Start to record what a body depends on."""
        self.births += 1
        self.frame = Frame(self.frame, self.births, self, call)
        return self.frame

    def abandon(self, frame: Frame) -> None:
        """End a body without a summary of it."""
        self.frame = frame.parent

    def end(self, frame: Frame, version: tuple[int, ...], result: Any) -> None:
        """End a body; summarise it if another reading would find the same and change nothing."""
        frame.cuts.discard(frame.call.function.node)
        frame.uses_files = frame.uses_files or len(self.reading.effects) > frame.first
        writes = self._writes(frame) if version == frame.call.version else None
        if writes is not None:
            summary = self._summarise(frame, result, writes)
            if summary is not None:
                known = self._known.setdefault(frame.call.key, [])
                known.insert(0, summary)
                del known[MAX_SUMMARIES:]
        parent = self.frame = frame.parent
        if parent is not None:
            parent.take_over(frame.reads)
            parent.cuts |= frame.cuts
            parent.uses_files = parent.uses_files or frame.uses_files
            parent.large = parent.large or frame.large

    def _writes(self, frame: Frame) -> tuple[RecordedWrite, ...] | None:
        """Return the attributes that a body changed, or None if a summary cannot tell all that it did.

        It cannot if other things outside changed (names, containers, files), or if a call was nested too deep.
        """
        call = frame.call
        if None in frame.cuts or (frame.uses_files and self.reading.files != frame.files):
            return None
        mutated = frame.mutations != self.kinds.mutations
        if mutated and (frame.large or call.key[2:] != tuple(self.kinds.of_all(call.values))):
            return None
        writes: list[RecordedWrite] = []
        for (owner, name), (value, kind) in frame.reads.items():
            if not mutated and type(owner) is PythonScope and owner.names.get(name, MISSING) is value is not MISSING:
                continue  # most are names of the module, which nothing has changed
            now = current_value(owner, name)
            if now is value and not (mutated and type(now) in _MUTABLE and not is_lasting(now)):
                continue
            if self.kinds.of(now) != kind:
                if type(owner) is not Object or now is value or not _is_simple(now):
                    return None
                writes.append((owner, name, now))
        return tuple(writes)

    def _summarise(self, frame: Frame, result: Any, writes: tuple[RecordedWrite, ...]) -> Summary | None:
        """Return the summary of a body that has ended, or None if what it gives is too large or outlives it."""
        call = frame.call
        outer = _NONE
        if not _is_simple(result):
            parts = parts_in([result])
            if parts is None or escapes(parts, frame.birth):
                return None
            inner = container_ids(parts)
            around = parts_in([*call.values, *[value for value, _ in frame.reads.values()]]) if inner else []
            if around is None:
                return None
            outer = inner & container_ids(around)
            result = Copier(frame.birth, frame.birth, outer, {}).copy(result)  # the caller may change the other one
        effects = self.reading.effects
        forks = tuple(filter(is_fork, effects[frame.first :])) if len(effects) > frame.first else ()
        files = frame.files if frame.uses_files else None
        mutations = self.kinds.mutations if frame.large else None
        cuts = frozenset(frame.cuts) if frame.cuts else _NO_CUTS
        acts = self.has_acted(frame.mark)
        return Summary(call, frame.reads, result, frame.birth, outer, files, mutations, forks, cuts, writes, acts)

    def replay(self, call: FunctionCall, stack: list[ast.AST]) -> tuple[Any] | None:
        """Return what a call gives, in a tuple, if a summary tells; None if the body has to be read.

        `stack` are the functions that are being read: a summary without what they do is good while they are.
        """
        for summary in self._known.get(call.key, ()):
            if summary.call.version != call.version or summary.mutations not in (None, self.kinds.mutations):
                continue
            if summary.files is not None and summary.files != self.reading.files:
                continue
            if summary.cuts and not summary.cuts.issubset(stack):
                continue
            match = SummaryMatch(summary, self.kinds)
            if match.holds(call):
                return (self._reuse(summary, match),)
        return None

    def _reuse(self, summary: Summary, match: SummaryMatch) -> Any:
        frame = self.frame
        if frame is not None:
            frame.take_over(match.reads)
            frame.cuts |= summary.cuts
            frame.uses_files = frame.uses_files or summary.files is not None
            frame.large = frame.large or summary.mutations is not None
        self.reading.effects.extend(summary.forks)
        self._repeated += summary.acts
        for owner, name, value in summary.writes:
            attributes = match.pairs.get(owner, owner).attributes
            attributes[name] = value
            self.kinds.note_change(attributes)
        if type(summary.result) in _SIMPLE:
            return summary.result
        return Copier(summary.birth, self.births, summary.outer, match.pairs).copy(summary.result)


def _is_simple(value: Any) -> bool:
    """Whether a value is never changed in place."""
    if type(value) is Choice:
        return all(type(one) in _SIMPLE for one in value.values)
    return type(value) in _SIMPLE


def is_fork(effect: Effect) -> bool:
    """Whether an effect is a process that doubles itself."""
    return effect.kind == "process.spawn" and effect.resource is not None and effect.resource.name == "os.fork"

"""Summaries of function bodies: a body is read once for each kind of arguments and of outer state that it depends on.

While a body is read, a `Frame` records every outer value that it looks at: names, attributes, files. A body that left
all of them as they were is summarised. A later call whose arguments and outer values are of the same kinds takes the
result from the summary: its effects are in the reading already, at the same places.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import Any, NamedTuple

from interlock.analyse.python.result_copies import Copier, container_ids, escapes, parts_in
from interlock.analyse.python.scope import MISSING, Scope
from interlock.analyse.python.value_kinds import Kinds
from interlock.analyse.python.values import Choice, Class, Function, Instance, Object, Partial, Ref, Unknown
from interlock.analyse.reading import Flow, Reading
from interlock.model import Effect

MAX_SUMMARIES = 4  # of one function and kind of arguments, which differ in the outer values that they depend on
_NO_FILES: dict[str, Flow] = {}
_NONE: frozenset[int] = frozenset()
_SIMPLE = frozenset({str, bytes, int, float, bool, type(None), Unknown, Ref, Instance})  # never changed in place
_LASTING = frozenset({int, bool, type(None), Class, Object})  # of one kind for as long as they are there
_MUTABLE = frozenset({list, dict, tuple, Choice, Partial, Function})

Owner = Scope | Object | Class
Reads = dict[tuple[Owner, str], tuple[Any, Hashable]]


class FunctionCall(NamedTuple):
    """A call of a function of the text: what its parameters stand for, and by what its summaries are found.

    `version` counts changes that any body may depend on; a summary is good for the version that it was made at.
    """

    function: Function
    values: tuple[Any, ...]
    key: tuple[Hashable, ...]
    version: tuple[int, ...]


class Summary(NamedTuple):
    """One reading of a body: what it was given, which outer values it looked at, and what it gave."""

    call: FunctionCall
    reads: Reads
    result: Any
    birth: int
    outer: frozenset[int]  # containers in the result that are not its own
    files: dict[str, Flow] | None  # None where files do not matter
    mutations: int | None  # None where no container is too large to have a kind
    forks: tuple[Effect, ...]
    cuts: frozenset[ast.AST | None]  # functions that were being read further out: calls of them were not followed


class Frame:
    """A body that is being read. What is older than its `birth` is outside of it."""

    __slots__ = (
        "birth",
        "call",
        "cuts",
        "files",
        "first",
        "kinds",
        "large",
        "mutations",
        "parent",
        "reads",
        "uses_files",
    )

    def __init__(self, parent: Frame | None, birth: int, tracker: Tracker, call: FunctionCall) -> None:
        self.parent, self.birth, self.kinds, self.call = parent, birth, tracker.kinds, call
        self.reads: Reads = {}
        self.cuts: set[ast.AST | None] = set()  # calls that were not followed; None is one that was nested too deep
        self.files = dict(tracker.reading.files) if tracker.reading.files else _NO_FILES
        self.first = len(tracker.reading.effects)
        self.uses_files = False
        self.large = any(_is_large(kind) for kind in call.key)  # whether a container is too large to have a kind
        self.mutations = tracker.mutations

    def look_up(self, scope: Scope | None, name: str) -> Any:
        """Return what a name stands for, or `MISSING`; a name from outside of the body is recorded."""
        outer: Scope | None = None
        while scope is not None:
            if outer is None and scope.birth < self.birth:
                outer = scope
            if name in scope.names:
                found = scope.names[name]
                if outer is not None and (outer, name) not in self.reads:
                    self.record(outer, name, found)
                return found
            scope = scope.parent
        if outer is not None:
            self.record(outer, name, MISSING)
        return MISSING

    def record(self, owner: Owner, name: str, value: Any) -> None:
        """Record an outer value at the first time that the body looks at it or changes it."""
        key = (owner, name)
        if key not in self.reads:
            kind = self.kinds.of(value)
            self.reads[key] = (value, kind)
            if _is_large(kind):
                self.large = True

    def take_over(self, reads: Reads) -> None:
        """Record what a called function looked at, as far as it is outside of this body as well."""
        birth, own = self.birth, self.reads
        for key, found in reads.items():
            if key in own:
                continue
            owner: Any = key[0]
            if owner.birth < birth:
                own[key] = found
            elif type(owner) is Scope:
                name = key[1]
                while owner is not None and owner.birth >= birth and name not in owner.names:
                    owner = owner.parent
                if owner is not None and owner.birth < birth:
                    own.setdefault((owner, name), found)


def _is_large(kind: Hashable) -> bool:
    return type(kind) is tuple and kind[:1] == ("large",)


class Tracker:
    """Records what bodies depend on while one text is read, and keeps their summaries."""

    __slots__ = ("_known", "births", "frame", "kinds", "mutations", "reading")

    def __init__(self, reading: Reading, decoded: set[str | bytes]) -> None:
        self.reading = reading
        self.kinds = Kinds(reading.taints, decoded)
        self.frame: Frame | None = None
        self.births = 0
        self.mutations = 0  # of containers: one too large to have a kind is only known while there are none
        self._known: dict[Hashable, list[Summary]] = {}

    def describe(
        self, function: Function, values: tuple[Any, ...], context: Hashable, version: tuple[int, ...]
    ) -> FunctionCall:
        """Return a call as summaries are compared with it. `context` is what sites and limits depend on."""
        return FunctionCall(function, values, self._key(function, values, context), version)

    def _key(self, function: Function, values: tuple[Any, ...], context: Hashable) -> tuple[Hashable, ...]:
        of = self.kinds.of
        return (function.node, context, *[of(value) for value in values])

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
        if version == frame.call.version and self._is_repeatable(frame):
            summary = self._summarise(frame, result)
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

    def _is_repeatable(self, frame: Frame) -> bool:
        """Whether a body left everything outside of it as it was, and no call in it was nested too deep."""
        call, of = frame.call, self.kinds.of
        if None in frame.cuts or (frame.uses_files and self.reading.files != frame.files):
            return False
        if frame.mutations != self.mutations and (
            frame.large or call.key != self._key(call.function, call.values, call.key[1])
        ):
            return False
        for (owner, name), (value, kind) in frame.reads.items():
            now = _current(owner, name)
            if (now is not value or type(now) in _MUTABLE) and of(now) != kind:
                return False
        return True

    def _summarise(self, frame: Frame, result: Any) -> Summary | None:
        call = frame.call
        outer = _NONE
        if type(result) not in _SIMPLE:
            parts = parts_in([result])
            if parts is None or escapes(parts, frame.birth):
                return None
            inner = container_ids(parts)
            around = parts_in([*call.values, *[value for value, _ in frame.reads.values()]]) if inner else []
            if around is None:
                return None
            outer = inner & container_ids(around)
            result = Copier(frame.birth, frame.birth, outer, {}).copy(result)  # the caller may change the other one
        forks = tuple(effect for effect in self.reading.effects[frame.first :] if is_fork(effect))
        files = frame.files if frame.uses_files else None
        mutations = self.mutations if frame.large else None
        cuts = frozenset(frame.cuts)
        return Summary(call, frame.reads, result, frame.birth, outer, files, mutations, forks, cuts)

    def replay(self, call: FunctionCall, stack: list[ast.AST]) -> tuple[Any] | None:
        """Return what a call gives, in a tuple, if a summary tells; None if the body has to be read.

        `stack` are the functions that are being read: a summary without what they do is good while they are.
        """
        for summary in self._known.get(call.key, ()):
            if summary.call.version != call.version or summary.mutations not in (None, self.mutations):
                continue
            if summary.files is not None and summary.files != self.reading.files:
                continue
            if summary.cuts and not summary.cuts.issubset(stack):
                continue
            match = _Match(summary, self.kinds)
            if match.holds(call):
                return (self._reuse(summary, match),)
        return None

    def _reuse(self, summary: Summary, match: _Match) -> Any:
        frame = self.frame
        if frame is not None:
            frame.take_over(match.reads)
            frame.cuts |= summary.cuts
            frame.uses_files = frame.uses_files or summary.files is not None
            frame.large = frame.large or summary.mutations is not None
        self.reading.effects.extend(summary.forks)
        if type(summary.result) in _SIMPLE:
            return summary.result
        return Copier(summary.birth, self.births, summary.outer, match.pairs).copy(summary.result)


def is_fork(effect: Effect) -> bool:
    """Whether an effect is a process that doubles itself."""
    return effect.kind == "process.spawn" and effect.resource is not None and effect.resource.name == "os.fork"


def _current(owner: Owner, name: str) -> Any:
    """Return what a scope, an object or a class has by a name now, or `MISSING`; `*` is all of an object."""
    if type(owner) is Scope:
        return owner.get(name)
    if type(owner) is Object:
        return owner.attributes if name == "*" else owner.attributes.get(name, MISSING)
    return owner.find(name)


class _Match:
    """Compares a call with a summary: its scopes and objects stand for those that the summary was made with."""

    __slots__ = ("_kinds", "_summary", "_taken", "pairs", "reads")

    def __init__(self, summary: Summary, kinds: Kinds) -> None:
        self._summary, self._kinds = summary, kinds
        self.pairs: dict[Any, Any] = {}
        self._taken: dict[Any, Any] = {}
        self.reads: Reads = {}

    def holds(self, call: FunctionCall) -> bool:
        """Whether every outer value that the summary depends on is of the same kind in this call."""
        summary = self._summary
        if not self._pair_scopes(summary.call.function.scope, call.function.scope):
            return False
        if not all(self._pair(old, new) for old, new in zip(summary.call.values, call.values, strict=True)):
            return False
        of = self._kinds.of
        for (owner, name), (old, kind) in summary.reads.items():
            target = self.pairs.get(owner, owner) if self.pairs else owner
            new = _current(target, name)
            if new is not old or type(new) not in _LASTING:
                if of(new) != kind or not self._pair(old, new):
                    return False
                old = new
            self.reads[target, name] = (old, kind)
        return True

    def _pair(self, old: Any, new: Any) -> bool:
        if old is new:
            return True
        kind = type(old)
        if kind is Object:
            return self._match(old, new)
        if kind is Function:
            return self._pair_scopes(old.scope, new.scope)
        if kind is Partial:
            return self._pair(old.function, new.function) and self._pair(old.this, new.this)
        return kind not in (list, dict) or not self._summary.outer

    def _pair_scopes(self, old: Scope | None, new: Scope | None) -> bool:
        while old is not new:
            if old is None or new is None or not self._match(old, new):
                return False
            old, new = old.parent, new.parent
        return True

    def _match(self, old: Any, new: Any) -> bool:
        """Let one thing stand for another, unless either stands for something else already."""
        return self.pairs.setdefault(old, new) is new and self._taken.setdefault(new, old) is old

"""Summaries compared with a call: whether everything that one depends on is of the same kind as it was."""

from __future__ import annotations

import ast
from typing import Any

from interlock.analyse.flow import Flow
from interlock.analyse.python.evaluation.scope import PythonScope
from interlock.analyse.python.evaluation.value_kinds import ValueKinds, is_lasting
from interlock.analyse.python.evaluation.values import Object, Partial, PythonFunction
from interlock.analyse.python.functions.frames import FunctionCall, Reads, current_value
from interlock.analyse.record import FrozenRecord
from interlock.model import Effect

RecordedWrite = tuple[Object, str, Any]


class Summary(FrozenRecord, frozen=True, gc=True):
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
    writes: tuple[RecordedWrite, ...]  # attributes of outer objects that it changed
    acts: bool  # whether it has effects, other than to print


class SummaryMatch:
    """Compares a call with a summary: its scopes and objects stand for those that the summary was made with."""

    __slots__ = ("_kinds", "_summary", "_taken", "pairs", "reads")

    def __init__(self, summary: Summary, kinds: ValueKinds) -> None:
        self._summary, self._kinds = summary, kinds
        self.pairs: dict[Any, Any] = {}
        self._taken: dict[Any, Any] = {}
        self.reads: Reads = {}

    def holds(self, call: FunctionCall) -> bool:
        """Whether every outer value that the summary depends on is of the same kind in this call."""
        summary = self._summary
        if not self._pair_scopes(summary.call.function.scope, call.function.scope):
            return False
        for old, new in zip(summary.call.values, call.values, strict=True):
            if old is not new and not self._pair(old, new):
                return False
        of, pairs, reads = self._kinds.of, self.pairs, self.reads
        for read, found in summary.reads.items():
            (owner, name), (old, kind) = read, found
            if pairs and owner in pairs:
                owner = pairs[owner]
                read = (owner, name)
            new = current_value(owner, name)
            if new is not old or not is_lasting(new):
                if of(new) != kind or not self._pair(old, new):
                    return False
                found = (new, kind)
            reads[read] = found
        return True

    def _pair(self, old: Any, new: Any) -> bool:
        if old is new:
            return True
        kind = type(old)
        if kind is Object:
            return self._match(old, new)
        if kind is PythonFunction:
            return self._pair_scopes(old.scope, new.scope)
        if kind is Partial:
            return self._pair(old.function, new.function) and self._pair(old.this, new.this)
        return kind not in (list, dict) or not self._summary.outer

    def _pair_scopes(self, old: PythonScope | None, new: PythonScope | None) -> bool:
        while old is not new:
            if old is None or new is None or not self._match(old, new):
                return False
            old, new = old.parent, new.parent
        return True

    def _match(self, old: Any, new: Any) -> bool:
        """Let one thing stand for another, unless either stands for something else already."""
        return self.pairs.setdefault(old, new) is new and self._taken.setdefault(new, old) is old

"""Function bodies while they are read: a `Frame` records which outer values a body depends on."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from interlock.analyse.flow import Flow
from interlock.analyse.python.evaluation.scope import MISSING, PythonScope
from interlock.analyse.python.evaluation.value_kinds import Large
from interlock.analyse.python.evaluation.values import Class, Object, PythonFunction
from interlock.analyse.record import FrozenRecord

if TYPE_CHECKING:
    from interlock.analyse.python.functions.summaries import Tracker

_NO_FILES: dict[str, Flow] = {}

Owner = PythonScope | Object | Class
Reads = dict[tuple[Owner, str], tuple[Any, Hashable]]


class FunctionCall(FrozenRecord, frozen=True, gc=True):
    """A call of a function of the text: what its parameters stand for, and by what its summaries are found.

    `version` counts changes that any body may depend on; a summary is good for the version that it was made at.
    """

    function: PythonFunction
    values: tuple[Any, ...]
    key: tuple[Hashable, ...]
    version: tuple[int, ...]


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
        "mark",
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
        self.mark = tracker.mark()
        self.first = self.mark[0]
        self.uses_files = False
        self.large = Large in map(type, call.key)  # whether a container has too many parts to compare
        self.mutations = tracker.kinds.mutations

    def look_up(self, scope: PythonScope | None, name: str) -> Any:
        """Return what a name stands for, or `MISSING`; a name from outside of the body is recorded."""
        outer: PythonScope | None = None
        while scope is not None:
            if outer is None and scope.birth < self.birth:
                outer = scope
            names = scope.names
            if name in names:
                if outer is not None:
                    self.record(outer, name, names[name])
                return names[name]
            scope = scope.parent
        if outer is not None:
            self.record(outer, name, MISSING)
        return MISSING

    def record(self, owner: Owner, name: str, value: Any) -> None:
        """Record an outer value at the first time that the body looks at it or changes it."""
        key, reads = (owner, name), self.reads
        if key not in reads:
            kind = self.kinds.of(value)
            reads[key] = (value, kind)
            if type(kind) is Large:
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
            elif type(owner) is PythonScope:
                name = key[1]
                while owner is not None and owner.birth >= birth and name not in owner.names:
                    owner = owner.parent
                if owner is not None and owner.birth < birth:
                    own.setdefault((owner, name), found)


def current_value(owner: Any, name: str) -> Any:
    """Return what a scope, an object or a class has by a name now, or `MISSING`; `*` is all of an object."""
    kind = type(owner)
    if kind is PythonScope:
        return owner.names[name] if name in owner.names else owner.get(name)
    if kind is Object:
        return owner.attributes if name == "*" else owner.attributes.get(name, MISSING)
    return owner.find(name)

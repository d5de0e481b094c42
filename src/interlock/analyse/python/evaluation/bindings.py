"""Assignments: names, attributes and items, and what they stand for afterwards."""

from __future__ import annotations

import ast
from typing import Any

from interlock.analyse.files.paths import HOLE
from interlock.analyse.python.clients.service_clients import find_redirected_libraries
from interlock.analyse.python.evaluation.marks import marks_of, mixture
from interlock.analyse.python.evaluation.name_resolution import Names
from interlock.analyse.python.evaluation.scope import MISSING
from interlock.analyse.python.evaluation.values import (
    MAX_CONSTANT,
    UNKNOWN,
    Class,
    Object,
    Ref,
    Unknown,
    as_text,
    either,
    is_list,
    is_same,
)
from interlock.analyse.python.functions.widening import is_numeric
from interlock.analyse.python.interlock_patches import is_own, report_replaced
from interlock.analyse.variables import read_variable


class Bindings(Names):
    """Gives names, attributes and items what they stand for."""

    __slots__ = ()

    def bind(self, target: ast.expr, value: Any) -> None:
        """Give a name, or several, what they stand for."""
        if type(target) is ast.Name:
            name = target.id
            if type(value) is Unknown and value.name != name and value.name not in self.reading.taints:
                value = Unknown(name)
            scope = self.scope
            if scope.log is None and not scope.declared:
                scope.names[name] = value
            else:
                scope.set(name, value)
        elif type(target) is ast.Attribute:
            owner = self.value(target.value)
            if type(owner) is Ref and is_own(owner.name):
                report_replaced(self.reading, self.at(target), owner.name)
            self._bind_member(owner, target.attr, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            listed = is_list(value)
            items = value if listed else ()
            rest = UNKNOWN if listed else mixture(self.reading, "…", (value,))
            kinds = [*map(type, target.elts)]
            starred = kinds.index(ast.Starred) if ast.Starred in kinds else -1
            if starred >= 0 and len(items) >= len(target.elts) - 1:  # `first, *rest = items`
                end = len(items) - (len(target.elts) - 1 - starred)
                self.bind(target.elts[starred].value, list(items[starred:end]))  # type: ignore[attr-defined]
                parts = [part for part in target.elts if not isinstance(part, ast.Starred)]
                for part, item in zip(parts, [*items[:starred], *items[end:]], strict=True):
                    self.bind(part, item)
                return
            for index, part in enumerate(target.elts):
                self.bind(part, items[index] if index < len(items) else rest)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, mixture(self.reading, "…", (value,)))
        elif isinstance(target, ast.Subscript):
            self.bind_item(target, self.value(target.value), self.index_of(target.slice), value)
        else:
            self.value(target)

    def _bind_member(self, owner: Any, name: str, value: Any) -> None:
        """Put something into an object: which of its methods run first is not known, so what it had stays possible."""
        if isinstance(owner, Object):
            if self.state.precise_steps < 0 and is_numeric(value):
                value = Unknown(name)
            before = owner.attributes.get(name, MISSING)
            self._record(owner.viewed, name, before)
            found = owner.attributes[name] = value if before is MISSING else either(before, value)
            if not is_same(before, found):
                self.tracker.kinds.note_change(owner.attributes)
        elif isinstance(owner, Class):
            self._record(owner, name, owner.find(name))
            self.tracker.kinds.note_change(owner.attributes)
            owner.attributes[name] = value
        elif isinstance(owner, Ref):
            self._patch(f"{owner.name}.{name}", value)

    def _patch(self, name: str, value: Any) -> None:
        """Record an attribute that is set on an imported module or object."""
        state = self.state
        if not is_same(state.members.get(name, MISSING), value):
            state.members[name] = value
            state.patches += 1

    def bind_item(self, node: ast.Subscript, owner: Any, index: Any, value: Any) -> None:
        """Put something into a container."""
        self.tracker.kinds.note_change()
        if isinstance(owner, dict) and len(owner) < MAX_CONSTANT:
            owner[index if isinstance(index, (str, int)) else as_text(index)] = value
        elif isinstance(owner, list) and owner and isinstance(index, int) and -len(owner) <= index < len(owner):
            owner[index] = value
        elif isinstance(owner, Ref) and owner.name == "os.environ" and isinstance(index, str):
            read_variable(self.reading, index, as_text(value), self.at(node))
            if isinstance(value, str) and HOLE not in value:
                self._patch(f"os.environ[{index}]", value)
            self.state.near.update(find_redirected_libraries(index, as_text(value)))
        elif isinstance(owner, Ref) and owner.name == "sys.modules" and is_own(as_text(index)):
            report_replaced(self.reading, self.at(node), as_text(index))
        elif isinstance(node.value, ast.Name) and marks_of(self.reading, value):
            self.bind(node.value, mixture(self.reading, node.value.id, (owner, value)))

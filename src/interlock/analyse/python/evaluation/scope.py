"""Names in Python: what they stand for, in which function, and what a branch may have made of them."""

from __future__ import annotations

from typing import Any

MISSING = object()


class PythonScope:
    """The names of a module, a function or a class."""

    __slots__ = ("birth", "declared", "log", "names", "parent")

    def __init__(self, parent: PythonScope | None = None, birth: int = -1) -> None:
        self.parent = parent
        self.birth: int = parent.birth if parent is not None and birth < 0 else birth  # by the tracker's count
        self.names: dict[str, Any] = {}
        self.declared: dict[str, PythonScope] = {}  # `global` and `nonlocal`: names that live elsewhere
        self.log: dict[str, Any] | None = None  # inside a branch: what names stood for before it

    def get(self, name: str) -> Any:
        """Return what a name stands for here, or `MISSING`."""
        scope: PythonScope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return MISSING

    def set(self, name: str, value: Any) -> None:
        """Let a name stand for a value."""
        scope = self.declared.get(name, self) if self.declared else self
        if scope.log is not None and name not in scope.log:
            scope.log[name] = scope.names.get(name, MISSING)
        scope.names[name] = value

    def declare(self, name: str, *, whole: bool) -> PythonScope | None:
        """Let a name live in the module if `whole`, else in the outer function that has it; return that scope."""
        scope = self.parent
        while scope is not None and scope.parent is not None and (whole or name not in scope.names):
            scope = scope.parent
        if scope is not None:
            self.declared[name] = scope
        return scope

    def take_back(self, log: dict[str, Any]) -> dict[str, Any]:
        """Undo what a branch did to names; return what it had made of them."""
        made = {name: self.names[name] for name in log}
        for name, before in log.items():
            if before is MISSING:
                del self.names[name]
            else:
                self.names[name] = before
        return made

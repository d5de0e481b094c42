"""Functions that a test replaces: `with mock.patch("shutil.rmtree"):` makes calls written that way do nothing."""

from __future__ import annotations

import ast

from interlock.analyse.python.evaluation.values import Ref

#: Arguments of `patch` after which the replacement still does nothing.
_HARMLESS = frozenset({"return_value", "autospec", "spec"})


def find_patched_name(node: ast.Call, function: object) -> tuple[str, ...]:
    """Return the dotted name that a context replaces by a mock, or nothing if the function may still be called."""
    if not isinstance(function, Ref) or function.name != "unittest.mock.patch" or len(node.args) != 1:
        return ()
    if any(keyword.arg not in _HARMLESS or isinstance(keyword.value, ast.Name) for keyword in node.keywords):
        return ()
    target = node.args[0]
    return (target.value,) if isinstance(target, ast.Constant) and isinstance(target.value, str) else ()


def is_patched(node: object, patched: list[str]) -> bool:
    """Whether a call names a function as a patch does: an imported name would still lead to the function itself."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _dotted_name(node.func) in patched


def _dotted_name(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    return ".".join(reversed(parts))

"""Computing constants: calls without effects, and operators, where their arguments are known."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from interlock.analyse.paths import hole
from interlock.analyse.python.values import (
    COMPUTE_ERRORS,
    MAX_CONSTANT,
    OPERATORS,
    PURE,
    UNKNOWN,
    Instance,
    Ref,
    Unknown,
    as_text,
    bounded,
    is_known,
)


def compute(function: Callable[..., Any], arguments: list[Any], keywords: dict[str, Any]) -> Any:
    if not all(is_known(value) for value in (*arguments, *keywords.values())):
        if function is PURE["os.path.join"]:
            return "/".join(as_text(value) for value in arguments)
        return arguments[0] if function in (str, PURE["os.path.expanduser"]) and arguments else UNKNOWN
    try:
        return bounded(function(*arguments, **keywords))
    except COMPUTE_ERRORS:
        return UNKNOWN


def combine(op: ast.operator, left: Any, right: Any) -> Any:
    """Return `left op right` where it can be told, strings with holes where one side is a string."""
    name = type(op).__name__
    if is_known(left) and is_known(right):
        if name == "Mult":
            return _repeat(left, right)
        function = OPERATORS.get(name)
        try:
            return bounded(function(left, right)) if function else UNKNOWN
        except COMPUTE_ERRORS:
            return UNKNOWN
    if name == "Add" and (isinstance(left, str) or isinstance(right, str)):
        return as_text(left) + as_text(right)
    if name == "Mod" and isinstance(left, str):
        values = (
            right if isinstance(right, (list, tuple)) and not isinstance(right, (Ref, Instance, Unknown)) else [right]
        )
        try:
            return left % tuple(as_text(value) for value in values)
        except COMPUTE_ERRORS:
            return left.replace("%s", hole("…"))
    if name == "Add" and isinstance(left, list) and isinstance(right, list):
        return left + right
    return UNKNOWN


def _repeat(left: Any, right: Any) -> Any:
    if isinstance(left, int) and not isinstance(right, int):
        left, right = right, left
    if not isinstance(right, int):
        return UNKNOWN
    size = len(left) if isinstance(left, (str, bytes, list, tuple)) else 1
    return bounded(left * right) if 0 <= right * size <= MAX_CONSTANT else UNKNOWN

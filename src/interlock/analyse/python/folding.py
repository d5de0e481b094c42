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
    WIDTH,
    Choice,
    as_text,
    bounded,
    either,
    is_known,
    words_of,
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
    if isinstance(left, Choice) or isinstance(right, Choice):
        return _combine_choices(op, left, right)
    if is_known(left) and is_known(right):
        try:
            return _computed(name, left, right)
        except COMPUTE_ERRORS:
            return UNKNOWN
    if name == "Add" and (isinstance(left, str) or isinstance(right, str)):
        return bounded(as_text(left) + as_text(right))
    if name == "Mod" and isinstance(left, str):
        values = words_of(right) or [as_text(right)]
        try:
            return UNKNOWN if WIDTH.search(left) else bounded(left % tuple(values))
        except COMPUTE_ERRORS:
            return left.replace("%s", hole("…"))
    if name == "Add" and isinstance(left, list) and isinstance(right, list):
        return bounded(left + right)
    return UNKNOWN


def _combine_choices(op: ast.operator, left: Any, right: Any) -> Any:
    found: Any = None
    lefts = left.values if isinstance(left, Choice) else (left,)
    rights = right.values if isinstance(right, Choice) else (right,)
    for first, (one, other) in enumerate((one, other) for one in lefts for other in rights):
        result = combine(op, one, other)
        found = either(found, result) if first else result
    return found


def _computed(name: str, left: Any, right: Any) -> Any:
    if name == "Mult":
        return _repeat(left, right)
    if name == "Mod" and isinstance(left, (str, bytes)) and WIDTH.search(as_text(left)):
        return UNKNOWN
    function = OPERATORS.get(name)
    return bounded(function(left, right)) if function else UNKNOWN


def _repeat(left: Any, right: Any) -> Any:
    if isinstance(left, int) and not isinstance(right, int):
        left, right = right, left
    if not isinstance(right, int) or not isinstance(left, (str, bytes, list, tuple, int)):
        return UNKNOWN
    size = len(left) if isinstance(left, (str, bytes, list, tuple)) else 1
    return bounded(left * right) if 0 <= right * size <= MAX_CONSTANT else UNKNOWN

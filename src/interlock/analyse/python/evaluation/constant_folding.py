"""Constant folding: pure functions and operators, where their operands are known."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from interlock.analyse.files.paths import HOLE, hole
from interlock.analyse.python.evaluation.pure_functions import COMPUTE_ERRORS, OPERATORS, WIDTH, may_grow
from interlock.analyse.python.evaluation.values import (
    MAX_CHOICES,
    MAX_CONSTANT,
    UNKNOWN,
    Choice,
    as_text,
    either_of,
    has_source,
    is_known,
    is_list,
    limit_size,
    words_of,
)


def compute(function: Callable[..., Any], arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Return the result of a pure function, or `UNKNOWN` if an argument is not known."""
    if not all(map(is_known, arguments)) or not all(map(is_known, keywords.values())):
        return UNKNOWN
    try:
        return limit_size(function(*arguments, **keywords))
    except COMPUTE_ERRORS:
        return UNKNOWN


def combine(op: ast.operator, left: Any, right: Any) -> Any:
    """Return `left op right` where it can be told, strings with holes where one side is a string."""
    name = type(op).__name__
    if type(left) is Choice or type(right) is Choice:
        return _combine_choices(op, left, right)
    if is_known(left) and is_known(right):
        try:
            return _apply(name, left, right)
        except COMPUTE_ERRORS:
            return UNKNOWN
    if name == "Add" and (isinstance(left, (str, bytes)) or isinstance(right, (str, bytes))):
        return limit_size(as_text(left) + as_text(right))
    if name == "Mod" and isinstance(left, str):
        return _format_percent(left, right)
    if name == "Add" and is_list(left) and is_list(right):
        return limit_size([*left, *right])
    return UNKNOWN


def _format_percent(left: str, right: Any) -> Any:
    if isinstance(right, dict):
        values: Any = {key: as_text(value) for key, value in right.items()}
    else:
        values = tuple(words_of(right) or [as_text(right)])
    given = values.values() if isinstance(values, dict) else values
    if may_grow(left, "%", given):
        return UNKNOWN
    try:
        return UNKNOWN if WIDTH.search(left) else limit_size(left % values)
    except COMPUTE_ERRORS:
        return left.replace("%s", next((text for text in values if HOLE in text), hole("…")))


def join_texts(parts: list[Any]) -> Any:
    """Return values concatenated as text; a `Choice` among them gives a `Choice` of texts."""
    if Choice not in map(type, parts):
        joined = "".join(map(as_text, parts))
        return UNKNOWN if len(joined) > MAX_CONSTANT else joined
    text: Any = ""
    for part in parts:
        if type(part) is Choice or type(text) is Choice:
            text = _combine_choices(ast.Add(), text, part, as_text)
        else:
            text += as_text(part)
        if isinstance(text, str) and len(text) > MAX_CONSTANT:
            return UNKNOWN
    return text


def _combine_choices(op: ast.operator, left: Any, right: Any, convert: Callable[[Any], Any] | None = None) -> Any:
    lefts = left.values if type(left) is Choice else (left,)
    rights = right.values if type(right) is Choice else (right,)
    if convert is not None:
        lefts, rights = tuple(map(convert, lefts)), tuple(map(convert, rights))
    found: list[Any] = []
    for one in lefts:
        found += [combine(op, one, other) for other in rights]
        if len(found) >= MAX_CHOICES and len(set(filter(has_source, found))) >= MAX_CHOICES:
            break  # nothing that follows would be kept
    return either_of(found)


def _apply(name: str, left: Any, right: Any) -> Any:
    if name == "Mult":
        return _repeat(left, right)
    if name == "Mod" and isinstance(left, (str, bytes)):
        given = right.values() if isinstance(right, dict) else right if isinstance(right, (list, tuple)) else [right]
        if WIDTH.search(as_text(left)) or may_grow(as_text(left), "%", given):
            return UNKNOWN
        if isinstance(right, list):
            right = tuple(right)  # a tuple of the text is kept as a list
    function = OPERATORS.get(name)
    return limit_size(function(left, right)) if function else UNKNOWN


def _repeat(left: Any, right: Any) -> Any:
    if isinstance(left, int) and not isinstance(right, int):
        left, right = right, left
    if not isinstance(right, int) or not isinstance(left, (str, bytes, list, tuple, int)):
        return UNKNOWN
    size = len(left) if isinstance(left, (str, bytes, list, tuple)) else 1
    return limit_size(left * right) if 0 <= right * size <= MAX_CONSTANT else UNKNOWN

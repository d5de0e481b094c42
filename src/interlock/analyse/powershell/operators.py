"""Operators of PowerShell on values: computed where both sides are known, else unknown with where they came from."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from interlock.analyse.powershell.casts import cast
from interlock.analyse.powershell.values import ScriptBlock, is_known, items_of, text_of
from interlock.analyse.scripts.values import MAX_ITEMS, MAX_TEXT, join
from interlock.patterns import late

_SLOT = late(r"\{\{|\}\}|\{(\d{1,3})(?:,[^}:]*)?(?::([^}]*))?\}")
_ERRORS = (ArithmeticError, ValueError, TypeError, LookupError, re.error)
#: What a regular expression may hold that is computed here: nothing that repeats what repeats.
_PLAIN_PATTERN = late(r"(?:[^\\(){}*+?|\[\]]|\\.|\[[^\]\[]{1,40}\][*+?]?|\.[*+?]?|\\.[+*?])*")


def operate(operator: str, left: Any, right: Any) -> Any:
    """Return what an operator gives, or None where that cannot be told."""
    known = _OPERATORS.get(operator.lower().replace("-c", "-", 1) if operator.lower() in _CASED else operator.lower())
    if known is None:
        return None
    try:
        return known(left, right)
    except _ERRORS:
        return None


_CASED = frozenset("-creplace -csplit -ceq -cne -clike -cmatch".split())


def _add(left: Any, right: Any) -> Any:
    if isinstance(left, list):
        return [*left, *items_of(right)][:MAX_ITEMS]
    if isinstance(left, dict) and isinstance(right, dict):
        return {**left, **right}
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left + right
    if left is None:
        return right
    return join(
        text_of(left) if not isinstance(left, tuple) else left, right if isinstance(right, tuple) else text_of(right)
    )


def _multiply(left: Any, right: Any) -> Any:
    if isinstance(left, (int, float)):
        return left * right if abs(left) < 10**15 and abs(right) < 10**15 else None
    if isinstance(left, str) and isinstance(right, int) and 0 <= right * max(len(left), 1) <= MAX_TEXT:
        return left * right
    if isinstance(left, list) and isinstance(right, int) and 0 <= right * len(left) <= MAX_ITEMS:
        return left * right
    return None


def _number(compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def run(left: Any, right: Any) -> Any:
        values = [int(side, 0) if isinstance(side, str) and side[:1].isdigit() else side for side in (left, right)]
        return compute(*values) if all(isinstance(side, (int, float)) for side in values) else None

    return run


def _divide(left: Any, right: Any) -> Any:
    return left // right if left % right == 0 else left / right


def _join(left: Any, right: Any) -> str:
    return text_of(right).join(text_of(item) for item in items_of(left))[:MAX_TEXT]


def _split(left: Any, right: Any) -> Any:
    by = items_of(right)
    pattern = text_of(by[0]) if by else r"\s+"
    if (
        isinstance(right, ScriptBlock)
        or not is_known(left)
        or not is_known(by)
        or not _PLAIN_PATTERN.fullmatch(pattern)
    ):
        return None
    return [part for item in items_of(left) for part in re.split(pattern, text_of(item))][:MAX_ITEMS]


def _replace(left: Any, right: Any) -> Any:
    by = items_of(right)
    pattern, new = text_of(by[0]) if by else "", text_of(by[1]) if len(by) > 1 else ""
    if not is_known(left) or any(isinstance(one, ScriptBlock) or not is_known(one) for one in by):
        return None
    if not _PLAIN_PATTERN.fullmatch(pattern) or sum(len(text_of(item)) for item in items_of(left)) > 20_000:
        return None
    new = re.sub(r"\$(?:\{(\w+)\}|(\d))", r"\\g<\1\2>", new.replace("\\", "\\\\"))
    found = [re.sub(pattern, new, text_of(item), flags=re.IGNORECASE)[:MAX_TEXT] for item in items_of(left)]
    return found if isinstance(left, list) else found[0]


def format_text(form: Any, values: Any) -> str:
    """Return a text with its numbered places filled in, as `-f` does.

    >>> format_text("{1}{0} {2:X}", ["b", "a", 255])
    'ab FF'
    """
    given = items_of(values)

    def fill(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0][0]
        value = given[int(found[1])] if int(found[1]) < len(given) else ""
        if isinstance(value, int) and (found[2] or "")[:1] in ("x", "X"):
            return format(value, found[2][0]).zfill(int(found[2][1:3]) if found[2][1:3].isdigit() else 0)
        return text_of(value)

    return _SLOT.sub(fill, text_of(form))[:MAX_TEXT]


def _range(left: Any, right: Any) -> Any:
    first, last = int(left), int(right)
    if abs(last - first) >= MAX_ITEMS:
        return None
    step = 1 if last >= first else -1
    return list(range(first, last + step, step))


def _equal(left: Any, right: Any) -> Any:
    if isinstance(left, list) or not is_known(left) or not is_known(right):
        return None
    return text_of(left).lower() == text_of(right).lower()


def _not_equal(left: Any, right: Any) -> Any:
    same = _equal(left, right)
    return None if same is None else not same


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": _add,
    "-": _number(lambda a, b: a - b),
    "*": _multiply,
    "/": _number(_divide),
    "%": _number(lambda a, b: a % b),
    "-bxor": _number(lambda a, b: int(a) ^ int(b)),
    "-band": _number(lambda a, b: int(a) & int(b)),
    "-bor": _number(lambda a, b: int(a) | int(b)),
    "-shl": _number(lambda a, b: int(a) << int(b) if b < 64 else None),
    "-shr": _number(lambda a, b: int(a) >> int(b)),
    "-join": _join,
    "-split": _split,
    "-isplit": _split,
    "-replace": _replace,
    "-ireplace": _replace,
    "-f": format_text,
    "..": _range,
    "-eq": _equal,
    "-ieq": _equal,
    "-ne": _not_equal,
    "-as": lambda left, right: cast(getattr(right, "name", ""), left),
}

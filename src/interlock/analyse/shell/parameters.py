"""Parameters: what the operators of `${…}` make of a value that is known."""

from __future__ import annotations

from collections.abc import Callable

MAX_VALUE = 65_536
_PATTERN = frozenset("*?[$\\")


def number(text: str) -> int | None:
    """Return a whole number that is written with few ASCII digits, or None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def signed(text: str) -> int | None:
    """Return a whole number that may be negative, or None."""
    text = text.strip(" ()")
    found = number(text.removeprefix("-").strip())
    return -found if found is not None and text.startswith("-") else found


def element(value: str | list[str] | None, index: str | None) -> str | None:
    """Return one element of an array, or all of them; a plain value is its own first element."""
    if isinstance(value, list):
        if not index:
            return value[0] if value else ""
        key = index.strip("[]")
        if key in ("@", "*"):
            return " ".join(value)
        at = signed(key)
        return value[at] if at is not None and -len(value) <= at < len(value) else None
    return value


def transformed(operator: str, value: str, operand: str) -> str | None:
    """Return the value after a case change, a cut, a removal or a replacement; None where that cannot be told."""
    change = _CHANGES.get(operator)
    return change(value, operand) if change else None


def _cut(value: str, operand: str) -> str | None:
    start, _, length = operand.strip().partition(":")
    first, count = signed(start), signed(length)
    if first is None or (length and count is None):
        return None
    rest = value[first:] if first >= -len(value) else ""
    return rest[:count] if length else rest


def _replace(times: int) -> Callable[[str, str], str | None]:
    def change(value: str, operand: str) -> str | None:
        old, _, new = operand.partition("/")
        if not old or not _PATTERN.isdisjoint(old) or len(value) + value.count(old) * len(new) > MAX_VALUE:
            return None
        return value.replace(old, new, times)

    return change


def _without_end(longest: bool) -> Callable[[str, str], str | None]:
    def change(value: str, operand: str) -> str | None:
        if operand == "/*":
            return value.partition("/")[0] if longest else value.rpartition("/")[0]
        return value.removesuffix(operand) if _PATTERN.isdisjoint(operand) else None

    return change


def _without_start(longest: bool) -> Callable[[str, str], str | None]:
    def change(value: str, operand: str) -> str | None:
        if operand == "*/":
            return value.rpartition("/")[2] if longest else value.partition("/")[2]
        return value.removeprefix(operand) if _PATTERN.isdisjoint(operand) else None

    return change


_CHANGES: dict[str, Callable[[str, str], str | None]] = {
    "^^": lambda value, _: value.upper(),
    ",,": lambda value, _: value.lower(),
    "^": lambda value, _: value[:1].upper() + value[1:],
    ",": lambda value, _: value[:1].lower() + value[1:],
    "@U": lambda value, _: value.upper(),
    "@L": lambda value, _: value.lower(),
    ":": _cut,
    "/": _replace(1),
    "//": _replace(-1),
    "%": _without_end(False),
    "%%": _without_end(True),
    "#": _without_start(False),
    "##": _without_start(True),
}

"""Operators of parameter expansion, applied to a known value: `${x:2:3}`, `${x/a/b}`, `${x%.txt}`, `${x^^}`."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable

from interlock.analyse.shell.expansion.escapes import decode_escapes

MAX_VALUE = 65_536
MAX_GLOB = 32
MAX_MATCHED = 256
_PATTERN = frozenset("*?[$\\")


def parse_number(text: str) -> int | None:
    """Return a whole number of at most nine ASCII digits, or None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def parse_signed(text: str) -> int | None:
    """Return a whole number that may be negative, or None."""
    text = text.strip(" ()")
    found = parse_number(text.removeprefix("-").strip())
    return -found if found is not None and text.startswith("-") else found


def first_item(value: str | list[str] | None) -> str | None:
    """Return the first item of an array, or a plain value itself."""
    return (value[0] if value else "") if isinstance(value, list) else value


def apply_operator(operator: str, value: str, operand: str) -> str | None:
    """Return the value after a substring, removal, replacement or change of case, or None if it is unknown."""
    change = _CHANGES.get(operator)
    return change(value, operand) if change else None


def _substring(value: str, operand: str) -> str | None:
    """Return `${value:start:length}`."""
    start, _, length = operand.strip().partition(":")
    first, count = parse_signed(start), parse_signed(length)
    if first is None or (length and count is None):
        return None
    rest = value[first:] if first >= -len(value) else ""
    return rest[:count] if length else rest


def _replace(times: int) -> Callable[[str, str], str | None]:
    """Return the operator `/` or `//`, which replaces a number of matches."""

    def change(value: str, operand: str) -> str | None:
        old, _, new = operand.partition("/")
        if not old or len(value) + value.count(old) * len(new) > MAX_VALUE:
            return None
        if _PATTERN.isdisjoint(old):
            return value.replace(old, new, times)
        pattern = _compile_glob(old, value)
        return None if pattern is None else pattern.sub(lambda _: new, value, max(times, 0))

    return change


def _compile_glob(glob: str, value: str) -> re.Pattern[str] | None:
    """Return the regular expression of a glob, or None if matching it against the value could take too long."""
    if "$" in glob or len(glob) > MAX_GLOB or len(value) > MAX_MATCHED:
        return None
    return re.compile(fnmatch.translate(glob).removesuffix(r"\Z").removesuffix(r"\z"))


def _remove_match(glob: str, value: str, longest: bool, *, at_end: bool) -> str | None:
    """Return a value without the longest or shortest prefix, or suffix, that a glob matches."""
    pattern = _compile_glob(glob, value)
    if pattern is None:
        return None
    cuts = range(len(value) + 1)
    for cut in cuts if at_end == longest else reversed(cuts):
        if pattern.fullmatch(value[cut:] if at_end else value[:cut]):
            return value[:cut] if at_end else value[cut:]
    return value


def _remove_suffix(longest: bool) -> Callable[[str, str], str | None]:
    """Return the operator `%` or `%%`."""

    def change(value: str, operand: str) -> str | None:
        if operand == "/*":
            return value.partition("/")[0] if longest else value.rpartition("/")[0]
        if _PATTERN.isdisjoint(operand):
            return value.removesuffix(operand)
        return _remove_match(operand, value, longest, at_end=True)

    return change


def _remove_prefix(longest: bool) -> Callable[[str, str], str | None]:
    """Return the operator `#` or `##`."""

    def change(value: str, operand: str) -> str | None:
        if operand == "*/":
            return value.rpartition("/")[2] if longest else value.partition("/")[2]
        if _PATTERN.isdisjoint(operand):
            return value.removeprefix(operand)
        return _remove_match(operand, value, longest, at_end=False)

    return change


_CHANGES: dict[str, Callable[[str, str], str | None]] = {
    "^^": lambda value, _: value.upper(),
    ",,": lambda value, _: value.lower(),
    "^": lambda value, _: value[:1].upper() + value[1:],
    ",": lambda value, _: value[:1].lower() + value[1:],
    "@k": lambda value, _: value.swapcase(),  # as `error_recovery` writes `${x~~}`
    "@u": lambda value, _: value[:1].upper() + value[1:],
    "@E": lambda value, _: decode_escapes(value),
    "@P": lambda value, _: value,
    "@Q": lambda value, _: "'" + value.replace("'", "'\\''") + "'",
    "@U": lambda value, _: value.upper(),
    "@L": lambda value, _: value.lower(),
    ":": _substring,
    "/": _replace(1),
    "//": _replace(-1),
    "%": _remove_suffix(False),
    "%%": _remove_suffix(True),
    "#": _remove_prefix(False),
    "##": _remove_prefix(True),
}

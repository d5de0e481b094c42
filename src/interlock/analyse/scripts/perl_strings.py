"""Strings of Perl: what their escapes stand for, and what `s///` and `tr///` make of a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from itertools import zip_longest

from interlock.analyse.files.paths import HOLE
from interlock.analyse.scripts.strings import LETTERS, character
from interlock.patterns import late

_ESCAPE = late(
    r"\\(?:x\{\s*(?P<long>[0-9a-fA-F_]{0,8})\s*\}|x(?P<hex>[0-9a-fA-F]{0,2})|o\{\s*(?P<octal>[0-7_]{1,11})\s*\}"
    r"|(?P<short>[0-7]{1,3})|N\{\s*U\+(?P<code>[0-9a-fA-F]{1,8})\s*\}|N\{(?P<name>[^{}]{1,90})\}|c(?P<control>.)"
    r"|(?P<mode>[LUQFElu])|(?P<plain>.))",
    re.DOTALL,
)
_NOT_WORD = late(r"[^\w]")


def _quote(text: str) -> str:
    return _NOT_WORD.sub(r"\\\g<0>", text)


_MODES: dict[str, Callable[[str], str]] = {"L": str.lower, "F": str.casefold, "U": str.upper, "Q": _quote}
_ONCE = {"l": str.lower, "u": str.upper}
_ESCAPED = late(r"\\(\W)")
_SPECIAL = frozenset("\\^$.|?*+()[]{}@")


def unescape_parts(parts: Iterable[tuple[bool, str]]) -> str:
    """Return a string of parts: text as it is written (true), and values that are filled in (false).

    >>> unescape_parts([(True, r"\\x72m \\LA"), (False, "B"), (True, r"\\E \\UcD\\E \\N{U+2f}\\057")])
    'rm ab CD //'
    """
    found: list[str] = []
    modes: list[str] = []
    once = ""

    def add(text: str) -> None:
        nonlocal once
        if text and once:
            text, once = _ONCE[once](text[0]) + text[1:], ""
        found.append(_apply(modes, text))

    for is_written, text in parts:
        at = 0
        for escape in _ESCAPE.finditer(text) if is_written and "\\" in text else ():
            add(text[at : escape.start()])
            at = escape.end()
            mode = escape["mode"]
            if mode is None:
                add(_unescape(escape))
            elif mode in _ONCE:
                once = mode
            elif mode == "E":
                del modes[-1:]
            else:
                modes = [one for one in modes if one == "Q" or mode == "Q"] + [mode]
        add(text[at:])
    return "".join(found)


def _apply(modes: list[str], text: str) -> str:
    """Return a text as the modes around it change it; holes stay as they are."""
    if not modes or not text:
        return text
    pieces = text.split(HOLE)
    for mode in reversed(modes):
        pieces = [piece if at % 2 else _MODES[mode](piece) for at, piece in enumerate(pieces)]
    return HOLE.join(pieces)


def _unescape(found: re.Match[str]) -> str:
    """Return the character that an escape stands for."""
    for group, base in (("long", 16), ("hex", 16), ("octal", 8), ("short", 8), ("code", 16)):
        if found[group] is not None:
            return character(int(found[group].replace("_", "") or "0", base))
    if found["name"] is not None:
        try:
            return unicodedata.lookup(found["name"])
        except KeyError:
            return "\ufffd"
    if found["control"] is not None:
        return character(ord(found["control"].upper()) ^ 64)
    return LETTERS.get(found["plain"], found["plain"]) if found["plain"] != "v" else "v"


def substitute(text: str, pattern: str, replacement: str, modifiers: str) -> str | None:
    """Return what `s/pattern/replacement/` makes of a text; None where the pattern is more than a plain text
    at its place.

    >>> substitute("rX -rf", "X", "m", ""), substitute("/a", "^", "rm ", ""), substitute("a", ".", "b", "")
    ('rm -rf', 'rm /a', None)
    """
    begins, ends = pattern[:1] == "^", pattern[-1:] == "$" and pattern[-2:-1] != "\\"
    body = pattern[begins : len(pattern) - ends]
    if not pattern or not _SPECIAL.isdisjoint(_ESCAPED.sub("", body)) or not set(modifiers) <= set("gmsru"):
        return None
    old = _ESCAPED.sub(r"\1", body)
    if not begins and not ends:
        return text.replace(old, replacement, -1 if "g" in modifiers else 1)
    if "\n" in text:
        return None
    if begins and ends:
        return replacement if text == old else text
    if begins:
        return replacement + text[len(old) :] if text.startswith(old) else text
    return text[: len(text) - len(old)] + replacement if text.endswith(old) else text


def transliterate(text: str, old: str, new: str, modifiers: str) -> str | None:
    """Return what `tr/old/new/` makes of a text; None with modifiers that do more than to replace.

    >>> transliterate("rX", "A-Z", "a-z", ""), transliterate("abc", "b", "", "d")
    ('rx', 'ac')
    """
    if not set(modifiers) <= set("rd"):
        return None
    before, after = _expand_ranges(old), _expand_ranges(new)
    if "d" not in modifiers and len(after) < len(before):
        after += (after[-1:] or before[len(after) :]) * (len(before) - len(after))
        after = after if new else before
    pairs: dict[str, str] = {}
    for one, other in zip_longest(before, after[: len(before)], fillvalue=""):
        pairs.setdefault(one, other)
    return "".join(pairs.get(char, char) for char in text)


def _expand_ranges(text: str) -> str:
    """Return a list of characters without its ranges: `a-c` is `abc`."""

    def expand(found: re.Match[str]) -> str:
        return "".join(map(chr, range(ord(found[1]), min(ord(found[2]), ord(found[1]) + 256) + 1)))

    return re.sub(r"(.)-(.)", expand, text[:512], flags=re.DOTALL)

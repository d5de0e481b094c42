"""The words of Tcl: escapes, lists, and braces."""

from __future__ import annotations

import re

from interlock.analyse.scripts.strings import character, closing_bracket
from interlock.patterns import late

_ESCAPE = late(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(\n[ \t]*)|(.))", re.DOTALL
)
_LETTERS = {"n": "\n", "r": "\n", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_PLAIN = late(r"[^\s{}\[\]$\"\\;]+")
MAX_WORDS = 500


def read_escape(text: str, at: int) -> tuple[str, int]:
    """Return what the backslash at `at` stands for, and where it ends.

    >>> read_escape(r"\\x65xec", 0), read_escape(r"\\n", 0)
    (('e', 4), ('\\n', 2))
    """
    found = _ESCAPE.match(text, at)
    if found is None:
        return "\\", at + 1
    number = found[1] or found[2] or found[3]
    if number or found[4]:
        return character(int(number, 16) if number else int(found[4], 8)), found.end()
    return " " if found[5] else _LETTERS.get(found[6], found[6]), found.end()


def split_list(text: str) -> list[str]:
    """Return the elements of a list.

    >>> split_list("rm {-rf x} a\\\\ b")
    ['rm', '-rf x', 'a b']
    """
    words: list[str] = []
    at = 0
    while at < len(text) and len(words) < MAX_WORDS:
        char = text[at]
        if char.isspace():
            at += 1
        elif char in '{"':
            end = closing_bracket(text, at + 1, "{", "}") if char == "{" else text.find('"', at + 1)
            end = len(text) if end < 0 else end
            words.append(text[at + 1 : end])
            at = end + 1
        else:
            word, at = _read_element(text, at)
            words.append(word)
    return words


def _read_element(text: str, at: int) -> tuple[str, int]:
    parts: list[str] = []
    while at < len(text) and not text[at].isspace():
        part, at = read_escape(text, at) if text[at] == "\\" else (text[at], at + 1)
        parts.append(part)
    return "".join(parts), at


def format_list(words: list[str]) -> str:
    """Return a list of words as a text that splits into them again.

    >>> format_list(["exec", "sh", "-c", "rm -rf /"])
    'exec sh -c {rm -rf /}'
    """
    return " ".join(word if _PLAIN.fullmatch(word) else "{" + word + "}" for word in words)

"""Where words, strings and brackets of PowerShell end."""

from __future__ import annotations

from interlock.patterns import late

_SINGLE = late(r"'(?:[^']|'')*+'?")
_BOUNDARY = frozenset(" \t\r\n;|&,)}")


def word_end(text: str, at: int, stops: str = "(") -> int:
    """Return where a word of a command ends: at white space, a separator or a bracket that is not a part of it."""
    start = at
    while at < len(text) and text[at] not in _BOUNDARY:
        char = text[at]
        if char == "`":
            at += 2
        elif char == "'":
            found = _SINGLE.match(text, at)
            at = found.end() if found else at + 1
        elif char == '"':
            at = find_string_end(text, at)
        elif text.startswith(("$(", "@("), at):
            at = find_bracket_end(text, at + 1)
        elif text.startswith("${", at):
            end = text.find("}", at)
            at = len(text) if end < 0 else end + 1
        elif char == "(" and at > start and text[start] in "$[\"'" and _CALLED.search(text[start:at]):
            at = find_bracket_end(text, at)
        elif char in stops and at > start:
            break
        elif char == "{":
            at = find_bracket_end(text, at)
        else:
            at += 1
    return min(at, len(text))


_CALLED = late(r"[.:]\w+$")


def find_string_end(text: str, at: int) -> int:
    """Return where a string in double quotes ends, past the subexpressions in it."""
    at += 1
    while at < len(text) and text[at] != '"':
        if text[at] == "`":
            at += 2
        elif text.startswith("$(", at):
            at = find_bracket_end(text, at + 1)
        else:
            at += 1
        if text.startswith('""', at):
            at += 2
    return at + 1


def find_bracket_end(text: str, at: int) -> int:
    """Return where a bracket is closed again; strings inside are passed over, to a depth."""
    depth = 0
    while at < len(text):
        char = text[at]
        if char == "`":
            at += 1
        elif char == "'":
            found = _SINGLE.match(text, at)
            at = found.end() - 1 if found else at
        elif char == '"':
            end = text.find('"', at + 1)
            at = len(text) if end < 0 else end
        elif char in "({":
            depth += 1
        elif char in ")}":
            depth -= 1
            if depth <= 0:
                return at + 1
        at += 1
    return at

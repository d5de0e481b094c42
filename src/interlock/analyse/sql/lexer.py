"""A lexer for all dialects of SQL: words and signs, without comments and the content of strings."""

from __future__ import annotations

from typing import NamedTuple

from interlock.patterns import late

_TOKEN = late(
    r"""(?xs)
      (?P<space>\s++|--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)
    | (?P<text>'(?:[^']|'')*+'?|\$(?P<tag>[A-Za-z_]\w*+|)\$)
    | (?P<quoted>"[^"]*+"|`[^`]*+`|\[(?!\s*+')[^\]\n]*+\])
    | (?P<word>[^\W\d][\w$]*+(?:\.[^\W\d][\w$]*+)*+)
    | (?P<other>\d[\w.]*+|.)
    """
)


class SqlToken(NamedTuple):
    """A word in lower case, a sign, or `''` for any string."""

    word: str
    start: int
    end: int


def tokenize(text: str) -> tuple[list[SqlToken], bool]:
    """Return the tokens of a text, and whether all its strings are closed.

    >>> [token.word for token in tokenize("DROP -- it\\n TABLE 'a;b'")[0]]
    ['drop', 'table', "''"]
    """
    found: list[SqlToken] = []
    at, whole = 0, True
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            break
        kind, start, end = match.lastgroup, at, match.end()
        if kind == "tag" or kind == "text":
            tag = match.group("tag")
            if tag is not None:
                close = text.find(f"${tag}$", end)
                end = close + len(tag) + 2 if close >= 0 else end
            elif end - start < 2 or text[end - 1] != "'":
                whole = False
            found.append(SqlToken("''", start, end))
        elif kind == "quoted":
            found.append(SqlToken(text[start + 1 : end - 1].lower(), start, end))
        elif kind != "space":
            found.append(SqlToken(match.group().lower(), start, end))
        at = end
    return found, whole


def statements(tokens: list[SqlToken]) -> list[list[SqlToken]]:
    """Return the tokens of each statement."""
    found: list[list[SqlToken]] = [[]]
    for token in tokens:
        if token.word == ";":
            found.append([])
        else:
            found[-1].append(token)
    return [statement for statement in found if statement]

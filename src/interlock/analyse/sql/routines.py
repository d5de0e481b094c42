"""Routines that a text creates and calls, or that do something other than their name says; text spelled in numbers."""

from __future__ import annotations

from interlock.analyse.reading import Reading, Site
from interlock.analyse.sql.lexer import SqlToken
from interlock.patterns import late

_BODY = late(r"^(?:\$(\w*)\$(.*)\$\1\$|'(.*)')$", 16)  # DOTALL
_KINDS = frozenset({"function", "procedure"})
# Names of routines that only look something up.
_READING = late(
    r"^(?:get|count|is|has|list|show|check|find|select|fetch|read|lookup|calc|compute|sum|total|view|current)_"
)
# Changes that no routine of such a name makes.
_DESTROYING = frozenset({"drop", "truncate", "grant", "delete", "alter"})
_CHANGING = _DESTROYING | {"update", "revoke", "copy", "execute"}
_CALLING = frozenset({"select", "call", "exec", "execute", "perform", "with", "values"})
# Characters by their numbers, one after the other: nobody writes text so, unless to hide it.
_SPELLED = late(
    r"(?i)(?:\bn?cha?r\s*\(\s*(?:0x[0-9a-f]+|\d+)\s*\)\s*(?:\|\||\+|,|&)\s*){3,}|\bcha?r\s*\((?:\s*\d+\s*,){5,}"
)
_DISGUISED = frozenset({"disguised"})


def read_called_routines(reading: Reading, text: str, found: list[list[SqlToken]], site: Site) -> None:
    """Read the body of each routine that the text calls, or that destroys something under the name of a read."""
    for at, statement in enumerate(found):
        name, body = _routine(text, statement)
        if not body:
            continue
        called = any(name in _words(other) for other in found[at + 1 :] if other[0].word in _CALLING)
        changes = called and not _CHANGING.isdisjoint(body.lower().split())
        if changes or (_READING.match(name) and _destroys(body)):
            reading.nest("sql", body, site.behind(name))


def _words(statement: list[SqlToken]) -> set[str]:
    return {token.word for token in statement}


def _routine(text: str, statement: list[SqlToken]) -> tuple[str, str]:
    """Return the name and the body of the routine that a statement creates, or empty texts."""
    words = [token.word for token in statement[:8]]
    if words[0] != "create" or _KINDS.isdisjoint(words):
        return "", ""
    at = next(index for index, word in enumerate(words) if word in _KINDS)
    name = words[at + 1] if at + 1 < len(words) else ""
    for token in statement:
        if token.word == "''":
            body = _BODY.match(text[token.start : token.end])
            if body and " " in (body[2] or body[3] or ""):
                return name, _statements_of(body[2] or body[3].replace("''", "'"))
    return name, ""


_FRAME = late(r"(?is)^\s*(?:declare\b.*?)?\bbegin\b(.*)\bend\b\s*;?\s*$")


def _statements_of(body: str) -> str:
    """Return the statements of a body without the block around them."""
    found = _FRAME.match(body)
    return found[1] if found else body


def _destroys(body: str) -> bool:
    words = body.lower().split()
    if not _DESTROYING.isdisjoint(words):
        return "delete" not in words or "where" not in words
    return False


def report_spelled(reading: Reading, text: str, site: Site) -> None:
    """Report text that is put together from the numbers of its characters."""
    if "(" in text and _SPELLED.search(text):
        reading.emit("code.opaque", site, "spelled text", _DISGUISED)

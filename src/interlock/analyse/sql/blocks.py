"""SQL inside SQL: blocks of a procedural language, prepared statements, and statements whose rows are copied."""

from __future__ import annotations

from interlock.analyse.reading import NONE
from interlock.analyse.sql.file_access import Statement
from interlock.analyse.sql.keyword_scan import read_functions, read_inner
from interlock.analyse.sql.lexer import Token, tokenize
from interlock.patterns import late

_DOLLARS = late(r"^\$(\w*)\$(.*)\$\1\$$", 16)  # DOTALL
_CALLS = frozenset({"execute", "exec", "call", "perform"})
#: Words that end a loop.
_LEAVING = frozenset({"exit", "for", "foreach", "return", "while"})


def read_block(statement: Statement) -> bool:
    """Emit the effects of `DO $$ … $$` by the statements in its body; return whether it is one."""
    if statement.words[0] != "do" or "''" not in statement.words:
        return False
    token = statement.tokens[statement.words.index("''")]
    found = _DOLLARS.match(statement.text[token.start : token.end])
    if found is None:
        return False
    reading, site = statement.reading, statement.site
    words = [inner.word for inner in tokenize(found[2])[0]]
    first = len(reading.effects)
    if words:
        read_inner(reading, words, site)
        read_functions(reading, words, site)
    if "loop" in words and _LEAVING.isdisjoint(words):
        reading.emit("disk.fill", site, "do")
    if not _CALLS.isdisjoint(words):
        reading.emit("db.execute", site, "do", frozenset({"dynamic"}))
    if len(reading.effects) == first:
        reading.emit("db.read", site, "do", NONE)
    return True


def copied_statement(statement: Statement) -> str:
    """Return the statement in `COPY ( … ) TO`, or an empty text."""
    words = statement.words
    if words[:2] != ["copy", "("]:
        return ""
    depth = 0
    for at, word in enumerate(words):
        depth += (word == "(") - (word == ")")
        if word == ")" and depth == 0:
            return statement.text[statement.tokens[1].end : statement.tokens[at].start]
    return ""


class PreparedStatements:
    """The texts that variables hold and that names were prepared from, in one text of SQL."""

    __slots__ = ("names", "text", "variables")

    def __init__(self, text: str) -> None:
        self.text = text
        self.variables: dict[str, str] = {}
        self.names: dict[str, str] = {}

    def resolve(self, statement: list[Token]) -> str | None:
        """Return the known SQL that a statement prepares or executes, else None."""
        words = [token.word for token in statement]
        if words[0] == "set" and words[1:2] == ["@"] and len(words) == 5 and words[4] == "''":
            self.variables[words[2]] = self._content(statement[4])
        elif words[0] == "prepare" and words[2:3] == ["from"]:
            known = self._content(statement[3]) if words[3:4] == ["''"] else self.variables.get(words[-1])
            if known is not None:
                self.names[words[1]] = known
                return "select 1"
        elif words[0] == "execute" and len(words) > 1:
            return self.names.get(words[1])
        return None

    def _content(self, token: Token) -> str:
        return self.text[token.start + 1 : token.end - 1].replace("''", "'")

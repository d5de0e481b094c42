"""SQL inside SQL: blocks of a procedural language, prepared statements, and statements whose rows are copied."""

from __future__ import annotations

from interlock.analyse.flow import NONE
from interlock.analyse.sql.file_access import Statement
from interlock.analyse.sql.keyword_scan import read_functions, read_inner
from interlock.analyse.sql.lexer import SqlToken, statements, tokenize
from interlock.analyse.sql.session_settings import read_settings
from interlock.analyse.sql.vocabulary import UNTRUSTED
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
    first = len(reading.effects)
    language = statement.words[statement.words.index("language") + 1 :][:1] if "language" in statement.words else []
    if not UNTRUSTED.isdisjoint(language):
        if language[0].startswith("plpython"):
            reading.nest("python", found[2], site.behind("do"))
        reading.emit("db.execute", site, "do", frozenset({"outside"}))
        return True
    tokens = tokenize(found[2])[0]
    words = [inner.word for inner in tokens]
    if words:
        read_inner(reading, words, site)
        read_functions(reading, words, site)
    for inside in statements(tokens):
        read_settings(reading, found[2], inside[1:] if inside[0].word == "begin" and inside[1:] else inside, site)
    if "loop" in words and _LEAVING.isdisjoint(words):
        reading.emit("disk.fill", site, "do")
    texts = _find_executed_texts(tokens, found[2])
    for text in texts:
        reading.nest("sql", text, site.behind("do"))
    if sum(word in _CALLS for word in words) > len(texts):
        reading.emit("db.execute", site, "do", frozenset({"dynamic"}))
    if len(reading.effects) == first:
        reading.emit("db.read", site, "do", NONE)
    return True


_PLACE = late(r"%(?:\d+\$)?[sIL]")
#: Words after a text that is executed as it is.
_ENDS = frozenset({";", "using", "into"})


def _find_executed_texts(tokens: list[SqlToken], body: str) -> list[str]:
    """Return the statements that a block executes from texts: `EXECUTE 'ANALYZE'`, `EXECUTE format('DROP VIEW %I', t)`.

    What `format` puts in is taken for a name or a value; a text that is put together otherwise is left out.
    """
    found = []
    words = [token.word for token in tokens]
    for at, word in enumerate(words):
        if word != "execute":
            continue
        formatted = words[at + 1 : at + 4] == ["format", "(", "''"]
        token = tokens[at + 3] if formatted else tokens[at + 1] if words[at + 1 : at + 2] == ["''"] else None
        after = words[at + 4 : at + 5] if formatted else words[at + 2 : at + 3]
        if (
            token is None
            or (formatted and after not in ([","], [")"]))
            or (not formatted and after[:1] and after[0] not in _ENDS)
        ):
            continue
        text = body[token.start : token.end]
        if text[:1] == "'" and not text.startswith("'%"):
            found.append(_PLACE.sub("x", text[1:-1].replace("''", "'").replace("%%", "%")))
    return found


def find_copied_statement(statement: Statement) -> str:
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

    def resolve(self, statement: list[SqlToken]) -> str | None:
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

    def _content(self, token: SqlToken) -> str:
        return self.text[token.start + 1 : token.end - 1].replace("''", "'")

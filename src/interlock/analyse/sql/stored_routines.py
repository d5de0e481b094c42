"""Functions, procedures, triggers and prepared statements that earlier calls of a run have stored in a database.

A trigger does nothing when it is created. So what it does is judged when a later statement sets it off.
"""

from __future__ import annotations

from interlock.analyse.files.run_files import STORED
from interlock.analyse.flow import Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.sql.lexer import SqlToken
from interlock.patterns import late

MAX_BODY, MAX_READ = 4_000, 8
_CREATED = late(
    r"(?is)\bcreate\s+(?:or\s+\w+\s+)?(?:definer\s*=\s*\S+\s+)?(?:temp(?:orary)?\s+)?(?:constraint\s+)?"
    r"(?P<kind>trigger|procedure|function|macro|rule)\s+(?:if\s+not\s+exists\s+)?(?P<name>[\w.\"`\[\]]{1,120})(?P<rest>.*)"
)
_PREPARED = late(r"(?is)\bprepare\s+(?P<name>\w{1,80})\s*(?:\([^)]{0,200}\)\s*)?(?:as|from)\s+(?P<rest>.*)")
_TABLE = late(r"(?is)\b(?:on|to)\s+(?:only\s+)?(?P<table>(?!insert\b|update\b|delete\b|select\b)[\w.\"`\[\]]{1,120})")
_FUNCTION = late(r"(?is)\bexecute\s+(?:function|procedure)\s+(?P<name>[\w.\"`]{1,120})")
#: Statements in a body that do something; declarations, conditions and returns do not.
_DOING = late(
    r"(?is)\b(?:delete\s+from|drop\s+(?:table|schema|database|view|user|role|index|column)|truncate\s+[\w%]|insert\s+into|update\s+[\w.\"`]+\s+set"
    r"|grant\s+\w|revoke\s+\w|alter\s+(?:table|user|role|system|database|schema)|copy\s+[\w(]|(?:perform|call)\s+[\w.\"`]{1,120}\s*\()[^;]{0,2000}"
)
_PERFORM = late(r"(?i)^perform\b")
_CALLING = frozenset({"select", "call", "exec", "execute", "perform", "with", "values"})
_WRITING = frozenset({"insert", "update", "delete", "merge", "replace", "copy", "upsert"})


def record_routines(reading: Reading, text: str) -> None:
    """Record the effects of the routines and triggers that a text creates, and the statements that it prepares."""
    for found in (*_CREATED.finditer(text), *_PREPARED.finditer(text)):
        kind = found.groupdict().get("kind", "")
        body = _body_of(reading, found["rest"])
        table = _TABLE.search(found["rest"]) if kind.lower() in ("trigger", "rule") else None
        name = f"on {_plain(table['table'])}" if table else _plain(found["name"])
        if body:
            reading.files[f"{STORED}{name}"] = Flow(body[:MAX_BODY])


def _body_of(reading: Reading, rest: str) -> str:
    """Return the statements of a body that do something; of a trigger, those of the function that it executes."""
    named = _FUNCTION.search(rest)
    known = reading.files.get(f"{STORED}{_plain(named['name'])}") if named else None
    if known is not None and known.text:
        return known.text
    doing = (found[0].replace("''", "'").strip("'$ \n") for found in _DOING.finditer(rest))
    return ";\n".join(_PERFORM.sub("SELECT", statement) for statement in doing)


def _plain(name: str) -> str:
    """Return the name of a table or a routine without its schema and its quotes, in lower case."""
    return name.rpartition(".")[2].strip('"`[]').lower()


def read_stored(reading: Reading, statements: list[list[SqlToken]], site: Site) -> None:
    """Read what earlier calls have stored and these statements set off."""
    stored = [key for key in reading.files if key.startswith(STORED)]
    for statement in statements if stored else ():
        words = {_plain(token.word) for token in statement}
        first = statement[0].word
        for key in stored[-MAX_READ:]:
            name = key.removeprefix(STORED)
            table = name.removeprefix("on ")
            sets_off = first in _WRITING if table != name else first in _CALLING
            if sets_off and table in words:
                _read_body(reading, key, site)


def _read_body(reading: Reading, key: str, site: Site) -> None:
    """Read a body once, even if its own statements set it off again."""
    body = reading.files[key].text
    if body is None or key in reading.importing:
        return
    reading.importing.add(key)
    try:
        reading.nest("sql", body, site.behind(key.removeprefix(STORED)))
    finally:
        reading.importing.discard(key)

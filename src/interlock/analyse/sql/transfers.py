"""SQL that sends, copies and asks other servers: where the data of a statement goes, by the addresses in it."""

from __future__ import annotations

from interlock.analyse.addresses.destinations import ACCOUNT, CARRIED, address_of
from interlock.analyse.flow import NONE
from interlock.analyse.reading import Reading, Site
from interlock.analyse.sql.lexer import SqlToken
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.stores import Sql
from interlock.model import Place
from interlock.patterns import late

_SQL = read_table("sql", Sql)

#: Functions and procedures that send what they are given to another server.
_SENDING = frozenset(_SQL.sending_functions)
#: Functions that fetch an address.
_FETCHING = frozenset(_SQL.fetching_functions)
#: Table functions of ClickHouse and DuckDB: a table that lies elsewhere, into which rows can be inserted.
_ELSEWHERE_TABLES = frozenset(_SQL.remote_tables)
_LINKS = frozenset(_SQL.links)
_SHOWING = frozenset({"filelistonly", "headeronly", "verifyonly", "labelonly", "rewindonly"})
_HELPING = late(
    r"(?:sys\.|dbo\.|master\.\.)?sp_(?:help\w*|columns\w*|tables\w*|who2?|spaceused|lock|databases|pkeys|fkeys|statistics|stored_procedures)"
)
_DATA = late(r"(?i)\.(?:csv|tsv|txt|jsonl?|ndjson|parquet|arrow|feather|avro|orc|xlsx)(?:\.(?:gz|bz2|xz|zst|lz4))?$")
_STORED = late(r"(?i)^(?:s3|s3a|gs|gcs|az|azure|abfss?|wasbs?|r2|hf|https?)://")
_HOST = late(r"(?i)\b(?:host|hostaddr|server)\s*=\s*([^\s';,]+)")
_LOCAL_PLACES = frozenset({Place.WORKSPACE, Place.SCRATCH, Place.HOME})
_COPY = frozenset({"copy", CARRIED})
_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})
_ADDRESS = late(r"://|^[\w.-]+:\d+$")


def read_harmless(reading: Reading, text: str, statement: list[SqlToken], site: Site) -> bool:
    """Emit the effect of a statement that only looks as if it left the database; return whether it is one."""
    words = [token.word for token in statement[:64]]
    if words[0] == "restore" and len(words) > 1 and words[1] in _SHOWING:
        reading.emit("db.read", site, "restore")
        return True
    if words[0] in ("exec", "execute") and len(words) > 1 and _HELPING.fullmatch(words[1]):
        reading.emit("db.read", site, words[1])
        return True
    return words[0] == "copy" and _read_copy(reading, text, statement, site)


def _read_copy(reading: Reading, text: str, statement: list[SqlToken], site: Site) -> bool:
    """Read `COPY` between a table and a data file; return whether the file is an ordinary one."""
    words = [token.word for token in statement]
    at = _find_direction(words)
    if not at or words[at + 1 : at + 2] != ["''"] or "program" in words:
        return False
    target = _literal(text, statement[at + 1])
    takes = words[at] == "from"
    name = words[1] if words[1] != "(" else None
    if _STORED.match(target):
        if takes:
            reading.emit("db.write", site, name)
            reading.emit("net.fetch", site, target)
        return takes
    resource, traits = reading.places.resource(target, site.cwd)
    if (
        not _DATA.search(target)
        or "secret" in traits
        or resource.place not in _LOCAL_PLACES
        or target.startswith("\\\\")
    ):
        return False
    reading.emit("db.write" if takes else "db.read", site, name)
    reading.file("fs.read" if takes else "fs.write", site, target)
    return True


def _find_direction(words: list[str]) -> int:
    """Return the index of the `TO` or `FROM` of a `COPY` that stands outside brackets, or 0."""
    depth = 0
    for at, word in enumerate(words):
        depth += (word == "(") - (word == ")")
        if depth == 0 and word in ("to", "from"):
            return at
    return 0


def _literal(text: str, token: SqlToken) -> str:
    """Return the content of a string."""
    return text[token.start : token.end].strip("'$").replace("''", "'")


def read_sends(reading: Reading, text: str, statement: list[SqlToken], site: Site) -> None:
    """Emit the sends of a statement: functions that post, tables elsewhere that rows go into, links to servers."""
    words = [token.word for token in statement]
    for at, word in enumerate(words[:-1]):
        base = word.rpartition(".")[2]
        if words[at + 1] != "(":
            continue
        if word in _SENDING or base in _SENDING:
            _report(reading, text, statement[at:], site, word, _request_flags(words))
        elif word in _FETCHING or base in _FETCHING:
            _read_fetch(reading, text, statement[at:], site)
        elif base in _ELSEWHERE_TABLES and words[max(0, at - 2) : at] == ["into", "function"]:
            _report(reading, text, statement[at:], site, word, _COPY)
        elif base in _LINKS and not _is_local_link(text, statement[at:]):
            reading.emit("db.execute", site, base, frozenset({"outside"}))


def _request_flags(words: list[str]) -> frozenset[str]:
    """Return `carried` if rows, or what functions and columns give, go with a request."""
    return _COPY if "select" in words[1:] or "from" in words or "begin" in words or "trigger" in words else NONE


def _report(reading: Reading, text: str, rest: list[SqlToken], site: Site, name: str, flags: frozenset[str]) -> None:
    """Emit a send to the first address among the strings of a call."""
    for token in rest[:32]:
        if token.word == "''":
            found = _literal(text, token)
            address = address_of(found) if _ADDRESS.search(found) else ""
            if address and not address.startswith("account:"):
                reading.url("net.send", site, found, flags, address)
                return
    reading.emit("net.send", site, name, flags | {ACCOUNT, "records"} if flags else flags)


def _read_fetch(reading: Reading, text: str, rest: list[SqlToken], site: Site) -> None:
    """Emit a fetch of the address that a call names; an address that is put together may carry anything."""
    words = [token.word for token in rest[:8]]
    at = words.index("''") if "''" in words else 0
    if at and words[at + 1 : at + 2] in ([")"], [","]):
        reading.url("net.fetch", site, _literal(text, rest[at]))
    else:
        reading.emit("db.execute", site, words[0], frozenset({"outside"}))


def _is_local_link(text: str, rest: list[SqlToken]) -> bool:
    """Whether a connection string names this machine, or no other one."""
    found = next((_literal(text, token) for token in rest[:4] if token.word == "''"), "")
    host = _HOST.search(found)
    if host is None:
        return "=" in found and "://" not in found
    return host[1].startswith("/") or host[1].lower() in _THIS_MACHINE

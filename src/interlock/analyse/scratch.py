"""Scratch data: databases, tables and indexes that are made for a trial, and the connections that lead to them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec

from interlock.analyse.paths import HOLE
from interlock.analyse.record import Record
from interlock.analyse.reading import SCRATCH_POINTS, Reading
from interlock.model import Place, Resource
from interlock.patterns import late

_WORDS = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TRIAL = frozenset(
    "test tests testing testdb testdata unittest unittests pytest tmp temp temporary scratch sandbox dummy throwaway "
    "playground e2e ephemeral fixture fixtures".split()
)
_REAL = frozenset("prod production prd live master main customer customers".split())
#: Last words of names that say what was measured: `test_results` is data.
_MEASURED = frozenset("result results run runs score scores case cases report reports history readings reading".split())
_HERE = frozenset({"localhost", "127.0.0.1", "::1", "[::1]", "0.0.0.0", "host.docker.internal", "memory", ":memory:"})
_SERVICE = late(r"[a-z]+$")
_URL = late(r"(?i)^[a-z][a-z0-9+.-]*://(?:[^@/\s]*@)?(\[[^\]]*\]|[^:/?#,\s]*)(?::\d+)?[^/?#\s]*(?:/([^?#\s]*))?")
_CHANGES = ("db.write", "db.delete", "db.drop", "db.alter", "db.grant")


@lru_cache(maxsize=1024)
def is_scratch_name(name: str) -> bool:
    """Whether a name says that the thing is for a trial, by its first or last word.

    >>> is_scratch_name("shop_test"), is_scratch_name("tmp_import"), is_scratch_name("test_results")
    (True, True, False)
    """
    name = name.rpartition(".")[2].rpartition("/")[2]
    if name.startswith(("#", "pg_temp")):
        return True
    words = [word.lower() for word in _WORDS.findall(name) if not word.isdigit()]
    if not words or not _REAL.isdisjoint(words) or words[-1] in _MEASURED:
        return False
    return words[0] in _TRIAL or words[-1] in _TRIAL or (len(words) > 1 and words[-2] in _TRIAL)


def is_local_host(host: str) -> bool:
    """Whether a server runs on this machine, or is a service of a local compose file: one plain word without digits."""
    name = host.lower()
    return name in _HERE or name.startswith("/") or (_SERVICE.fullmatch(name) is not None and name not in _REAL)


class Connection(Record, frozen=True, gc=False):
    """The database that a client connects to, as far as its arguments tell."""

    host: str = ""
    database: str = ""

    @property
    def is_remote(self) -> bool:
        """Whether the server is another machine."""
        return bool(self.host) and (HOLE in self.host or not is_local_host(self.host))

    @property
    def is_local(self) -> bool:
        """Whether the server is certainly this machine."""
        return bool(self.host) and HOLE not in self.host and is_local_host(self.host)

    @property
    def is_scratch(self) -> bool:
        """Whether the database is for a trial."""
        return not self.is_remote and bool(self.database) and is_scratch_name(self.database)


def parse_connection(url: str) -> Connection:
    """Return the connection that a URL describes: `postgresql://app@localhost/shop_test`, `sqlite:///:memory:`.

    >>> parse_connection("mysql://root:x@db.example.com:3306/shop?ssl=1")
    Connection(host='db.example.com', database='shop')
    """
    found = _URL.match(url)
    if found is None:
        return Connection()
    host, database = found[1] or "", found[2] or ""
    if url.startswith(("sqlite", "duckdb")):
        inner = database.lstrip("/")
        return Connection("localhost", "tmp" if inner in ("", ":memory:") or database.startswith("/tmp/") else inner)
    return Connection(host, database)


def mark_connection(reading: Reading, first: int, connection: Connection) -> None:
    """Say of the changes since `first` that they are made to scratch data, or to a database of this machine."""
    local, scratch = connection.is_local, connection.is_scratch
    if not local and not scratch:
        return
    effects = reading.effects
    for at in range(first, len(effects)):
        effect = effects[at]
        if effect.kind not in _CHANGES:
            continue
        resource = effect.resource
        if scratch:
            name = resource.name if resource else connection.database
            resource = Resource("table", name, Place.SCRATCH, SCRATCH_POINTS)
        flags = effect.flags | {"local"} if local else effect.flags
        effects[at] = msgspec.structs.replace(effect, resource=resource, flags=flags)


def any_scratch(names: Iterable[str]) -> bool:
    """Whether there are names, and all of them are of scratch data."""
    found = [name for name in names if name]
    return bool(found) and all(is_scratch_name(name) for name in found)

"""Scratch data: databases, tables and indexes that are made for a trial, and the connections that lead to them."""

from __future__ import annotations

import msgspec

from interlock.analyse.paths import HOLE
from interlock.analyse.reading import SCRATCH_POINTS, Reading
from interlock.analyse.record import Record
from interlock.analyse.scratch_names import REAL, is_scratch_name
from interlock.model import Place, Resource
from interlock.patterns import late

_HERE = frozenset("localhost 127.0.0.1 ::1 [::1] 0.0.0.0 host.docker.internal memory :memory:".split())
_SOCKET = late(r"/(var/)?(run|tmp)\b|/.*\.sock$")
_SERVICE = late(r"[a-z]+$")
_URL = late(r"(?i)^[a-z][a-z0-9+.-]*://(?:[^@/\s]*@)?(\[[^\]]*\]|[^:/?#,\s]*)(?::\d+)?[^/?#\s]*(?:/([^?#\s]*))?")
_CHANGES = ("db.write", "db.delete", "db.drop", "db.alter", "db.grant")

#: The last database of a Redis server, which test suites use by convention.
TEST_NUMBER = "15"
_NUMBERED = ("redis", "valkey", "unix")


def is_local_host(host: str) -> bool:
    """Whether a server runs on this machine, or is a service of a local compose file: one plain word without digits."""
    name = host.lower()
    return (
        name in _HERE or _SOCKET.match(name) is not None or (_SERVICE.fullmatch(name) is not None and name not in REAL)
    )


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
    if database == TEST_NUMBER and url.startswith(_NUMBERED):
        return Connection(host, "test")
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


def unmark_drops(reading: Reading, first: int) -> None:
    """Take back that whole databases of another machine are for a trial by their names: others may test there too."""
    effects = reading.effects
    for at in range(first, len(effects)):
        effect = effects[at]
        resource = effect.resource
        if effect.kind == "db.drop" and "table" not in effect.flags and resource and resource.place is Place.SCRATCH:
            effects[at] = msgspec.structs.replace(effect, resource=Resource(resource.type, resource.name))

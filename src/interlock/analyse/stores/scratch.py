"""Scratch data: databases, tables and indexes for tests, and connections to them."""

from __future__ import annotations

import msgspec

from interlock.analyse.files.paths import HOLE
from interlock.analyse.reading import SCRATCH_POINTS, Reading
from interlock.analyse.record import FrozenRecord
from interlock.analyse.stores.scratch_names import REAL, is_named_as_test, is_scratch_name
from interlock.model import Place, Resource
from interlock.patterns import late

_HERE = frozenset("localhost 127.0.0.1 ::1 [::1] 0.0.0.0 host.docker.internal memory :memory:".split())
# The last one is a folder below home; a proxy to another machine names its sockets after that: `x:europe:db`.
_SOCKET = late(r"/(var/)?(run|tmp)\b|/.*\.sock$|(?:~|/home/[^/:]+|/users/[^/:]+|/root)/(?!.*(?:cloudsql|\.\.))[^:]*$")
_OWN_FOLDER = late(r"(?:~|/tmp|/var/tmp|/home/[^/:]+|/users/[^/:]+|/root)(?:/|$)")
#: Ports above which no system service listens by default, but for these.
_HIGH, _KNOWN_PORTS = 10_000, frozenset({"11211", "15432", "13306", "26257", "27017", "33060", "50000"})
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


class DatabaseTarget(FrozenRecord, frozen=True, gc=False):
    """The database that a client connects to, by its arguments."""

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
        """Whether the database is for tests."""
        return not self.is_remote and bool(self.database) and is_scratch_name(self.database)


def is_development_server(host: str, port: str) -> bool:
    """Whether a server on this machine was started for development: its socket or its port is an unusual one.

    >>> is_development_server("~/.pgrx", ""), is_development_server("localhost", "28816")
    (True, True)
    >>> is_development_server("/var/run/postgresql", "5432"), is_development_server("db.example.com", "28816")
    (False, False)
    """
    if HOLE in host or (host and not is_local_host(host)):
        return False
    if host and _OWN_FOLDER.match(host.lower()):
        return True
    return len(port) == _PORT_DIGITS and port.isdecimal() and int(port) > _HIGH and port not in _KNOWN_PORTS


_PORT_DIGITS = 5


def mark_test_databases(reading: Reading, first: int) -> None:
    """Mark databases that are dropped on a development server as scratch data, if they are named as tests."""
    effects = reading.effects
    for at in range(first, len(effects)):
        effect = effects[at]
        resource = effect.resource
        if effect.kind == "db.drop" and "table" not in effect.flags and resource and is_named_as_test(resource.name):
            scratch = Resource(resource.type, resource.name, Place.SCRATCH, SCRATCH_POINTS)
            effects[at] = msgspec.structs.replace(effect, resource=scratch)


def parse_connection(url: str) -> DatabaseTarget:
    """Return the connection that a URL describes: `postgresql://app@localhost/shop_test`, `sqlite:///:memory:`.

    >>> parse_connection("mysql://root:x@db.example.com:3306/shop?ssl=1")
    DatabaseTarget(host='db.example.com', database='shop')
    """
    found = _URL.match(url)
    if found is None:
        return DatabaseTarget()
    host, database = found[1] or "", found[2] or ""
    if url.startswith(("sqlite", "duckdb")):
        inner = database.lstrip("/")
        return DatabaseTarget(
            "localhost", "tmp" if inner in ("", ":memory:") or database.startswith("/tmp/") else inner
        )
    if database == TEST_NUMBER and url.startswith(_NUMBERED):
        return DatabaseTarget(host, "test")
    return DatabaseTarget(host, database)


def mark_connection(reading: Reading, first: int, connection: DatabaseTarget) -> None:
    """Mark the changes since `first` as changes of scratch data, or of a database on this machine."""
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
    """Unmark databases on another machine that are scratch data only by name: others may test there too."""
    effects = reading.effects
    for at in range(first, len(effects)):
        effect = effects[at]
        resource = effect.resource
        if effect.kind == "db.drop" and "table" not in effect.flags and resource and resource.place is Place.SCRATCH:
            effects[at] = msgspec.structs.replace(effect, resource=Resource(resource.type, resource.name))

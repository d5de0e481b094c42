"""Where the text leads that a store's client is given: to scratch data, this machine, another one, or nobody knows."""

from __future__ import annotations

from interlock.analyse.paths import HOLE
from interlock.analyse.scratch import Connection, is_local_host, parse_connection
from interlock.analyse.scratch_names import is_scratch_name

SCRATCH, LOCAL, REMOTE, UNCERTAIN = "scratch", "local", "remote", "unknown"
#: Place of a client → a connection that stands for it.
#: Folders that a build fills, and can fill again.
_OUTPUT = (
    "build/",
    "./build/",
    "dist/",
    "./dist/",
    "out/",
    "./out/",
    "target/",
    "./target/",
    ".cache/",
    "tmp/",
    "./tmp/",
)
CONNECTIONS = {
    SCRATCH: Connection("localhost", "tmp"),
    LOCAL: Connection("localhost", ""),
    UNCERTAIN: Connection(),
    REMOTE: Connection("remote.example", ""),
}


def place_of_connection(connection: Connection) -> str:
    """Return where a connection leads."""
    if connection.is_remote:
        return REMOTE
    if connection.is_scratch:
        return SCRATCH
    return LOCAL if connection.is_local else UNCERTAIN


def place_of_text(text: str) -> str:
    """Return where a client leads by an address, a host or a file, or an empty text if it does not say.

    >>> place_of_text("redis://localhost:6379/0"), place_of_text(":memory:"), place_of_text("db.example.com:5432")
    ('local', 'scratch', 'remote')
    """
    if "://" in text:
        return place_of_connection(parse_connection(text))
    if text in ("", ":memory:") or text.startswith(("/tmp/", "/dev/shm/")) or is_scratch_name(text.partition(".")[0]):
        return SCRATCH
    if HOLE in text:
        return UNCERTAIN
    host = text.rpartition(":")[0] if text.count(":") == 1 else text
    if text.startswith(_OUTPUT):
        return "scratch"
    if text.endswith((".db", ".sqlite", ".sqlite3", ".duckdb")) or is_local_host(host):
        return LOCAL
    return REMOTE if "." in host or "-" in host or host.isalnum() else ""

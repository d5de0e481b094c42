"""The target of a store's client, by a text: scratch data, this machine, another machine, or unknown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from interlock.analyse.clients.store_methods import TABLE
from interlock.analyse.files.paths import HOLE
from interlock.analyse.stores.scratch import DatabaseTarget, is_local_host, parse_connection
from interlock.analyse.stores.scratch_names import is_scratch_name

SCRATCH, LOCAL, REMOTE, UNCERTAIN = "scratch", "local", "remote", "unknown"
#: Addresses of stores in memory.
_MEMORY = ("memory:", "mem:", "file::memory:", "inmem:")
#: Place of a client → a connection that stands for it.
CONNECTIONS = {
    SCRATCH: DatabaseTarget("localhost", "tmp"),
    LOCAL: DatabaseTarget("localhost", ""),
    UNCERTAIN: DatabaseTarget(),
    REMOTE: DatabaseTarget("remote.example", ""),
}


def place_of_connection(connection: DatabaseTarget) -> str:
    """Return the target of a connection."""
    if connection.is_remote:
        return REMOTE
    if connection.is_scratch:
        return SCRATCH
    return LOCAL if connection.is_local else UNCERTAIN


def place_of_text(text: str) -> str:
    """Return the target of a client by an address, a host or a file, or an empty text if it does not tell.

    >>> place_of_text("redis://localhost:6379/0"), place_of_text(":memory:"), place_of_text("db.example.com:5432")
    ('local', 'scratch', 'remote')
    """
    if text.startswith(_MEMORY):
        return SCRATCH
    if "://" in text:
        return place_of_connection(parse_connection(text))
    if text in ("", ":memory:") or text.startswith(("/tmp/", "/dev/shm/")) or is_scratch_name(text.partition(".")[0]):
        return SCRATCH
    if HOLE in text:
        return UNCERTAIN
    host = text.rpartition(":")[0] if text.count(":") == 1 else text
    if text.startswith(TABLE.build_folders):
        return "scratch"
    if text.endswith((".db", ".sqlite", ".sqlite3", ".duckdb")) or is_local_host(host):
        return LOCAL
    return REMOTE if "." in host or "-" in host or host.isalnum() else ""


def place_of_folder(path: str) -> str:
    """Return the target of a client that keeps its data in a folder of this machine.

    >>> place_of_folder("/tmp/vectors"), place_of_folder("./vectors"), place_of_folder(":memory:")
    ('scratch', 'local', 'scratch')
    """
    return SCRATCH if place_of_text(path) == SCRATCH and HOLE not in path[:1] else LOCAL


def is_scratch_address(values: Iterable[Any]) -> bool:
    """Whether one of the arguments of a call names test data; in a list, all names must.

    >>> is_scratch_address(["orders_test"]), is_scratch_address([["tmp_a", "orders"]]), is_scratch_address(["/test/"])
    (True, False, True)
    """
    return any(_is_scratch_path(value) for value in values)


def _is_scratch_path(value: Any) -> bool:
    if type(value) in (list, tuple):
        return bool(value) and all(_is_scratch_path(one) for one in value)
    return isinstance(value, str) and "*" not in value and HOLE not in value and is_scratch_name(value.strip("/"))

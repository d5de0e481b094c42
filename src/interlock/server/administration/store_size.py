"""The size of a store, its age, and how much of it is older than a time. Every answer takes a few lookups."""

from __future__ import annotations

import os

import msgspec

from interlock.audit.chain import read_head
from interlock.store.connection import Connection
from interlock.store.database import Database

_AT = "SELECT at FROM interlock_records WHERE seq >= :seq ORDER BY seq LIMIT 1"


class StoreSize(msgspec.Struct, frozen=True, kw_only=True):
    """How many records a store holds, since when, and how many bytes it takes."""

    records: int
    oldest_at: int | None
    bytes: int


def read_size(database: Database, connection: Connection) -> StoreSize:
    """Return the size of a store."""
    end = read_head(connection)
    oldest = connection.value(_AT, seq=end.base_seq + 1)
    return StoreSize(records=end.seq - end.base_seq, oldest_at=oldest, bytes=_bytes(database, connection))


def _bytes(database: Database, connection: Connection) -> int:
    if not connection.is_sqlite:
        return int(connection.value("SELECT pg_database_size(current_database())"))
    files = (database.url.path, f"{database.url.path}-wal")
    return sum(os.stat(file).st_size for file in files if os.path.exists(file))


def count_older(connection: Connection, before: int) -> int:
    """Return about how many records are older than a time: records are in the order of their times, or nearly so."""
    end = read_head(connection)
    low, high = end.base_seq, end.seq  # the record `low` is older, the one after `high` is not
    while low < high:
        middle = (low + high + 1) // 2
        at = connection.value(_AT, seq=middle)
        if at is not None and at < before:
            low = middle
        else:
            high = middle - 1
    return low - end.base_seq

"""Partitions in PostgreSQL: the tables that grow with every record are split by ranges of record numbers.

Each table has partitions of the same ranges, named by their first number. A partition has room for as many records as
are written in about a month. There is no default partition, since adding a partition beside one would block readers; a
writer that finds no room adds a partition itself.
"""

from __future__ import annotations

from typing import NamedTuple

from interlock.patterns import late
from interlock.store.clock import MICROSECONDS
from interlock.store.connection import Connection
from interlock.store.database import Database
from interlock.store.tables import DatabaseTable, actions, matches, records

PARTITIONED: tuple[DatabaseTable, ...] = (records, actions, matches)
#: For how long a partition should have room, how many records it has room for at least, and how much more than the one
#: before it at most.
MONTH = 30 * 86_400 * MICROSECONDS
LEAST, MOST_GROWTH = 100_000, 8
#: How long `drop_partitions` waits for the readers of each table. Others wait behind it meanwhile; it is less than the
#: second after which PostgreSQL looks for a deadlock.
_DROP_TIMEOUT = "250ms"
_ADVISORY_LOCK = 4_711_002  # held while partitions are added
_BOUND = "pg_get_expr(c.relpartbound, c.oid)"
_PARTITIONS = f"""
    SELECT c.relname, substring({_BOUND} from 'TO [(]''([0-9]+)''[)]')::bigint AS upper
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = to_regclass('{records.name}') ORDER BY upper
"""
_END = f"SELECT max(upper) FROM ({_PARTITIONS}) AS partitions"
_NUMBER = late(rf"{records.name}_([0-9]{{1,19}})")
_RECORD = "SELECT seq, at FROM interlock_records WHERE seq >= :seq ORDER BY seq LIMIT 1"


class Partition(NamedTuple):
    """The partitions of one range, one of each table: from the number `first` to the last one before `end`."""

    first: int
    end: int


class PartitionsInUseError(Exception):
    """A partition is being read, so that it cannot be dropped now."""


def list_partitions(connection: Connection) -> list[Partition]:
    """Return the partitions in order; none if the tables are not partitioned."""
    if connection.is_sqlite:
        return []
    found = ((_NUMBER.fullmatch(name), end) for name, end in connection.tuples(_PARTITIONS) if end is not None)
    return [Partition(int(name[1]), end) for name, end in found if name]


def find_room(connection: Connection) -> int | None:
    """Return the first record number for which there is no partition, or None if the tables are not partitioned."""
    found: int | None = connection.value(_END)
    return found


def make_room(connection: Connection, seq: int) -> int | None:
    """Add the partitions that are missing for the records up to a number; return what `find_room` returns then."""
    connection.value("SELECT pg_advisory_xact_lock(:lock)", lock=_ADVISORY_LOCK)
    end = find_room(connection)
    while end is not None and end <= seq:
        end = _add(connection, end)
    return end


def add_partition_ahead(database: Database) -> bool:
    """Add the next partition if less than half of the newest one is left; return whether one was added.

    It blocks neither readers nor writers, and of several servers one adds it.
    """
    if database.is_sqlite:
        return False
    with database.read() as connection:
        if not _is_due(connection):
            return False
    with database.write() as connection:
        connection.value("SELECT pg_advisory_xact_lock(:lock)", lock=_ADVISORY_LOCK)
        if not _is_due(connection):
            return False  # another server was faster
        _add(connection, list_partitions(connection)[-1].end)
    with database.write() as connection:  # PostgreSQL updates statistics of partitions, but not of their tables
        connection.run(f"ANALYZE {', '.join(table.name for table in PARTITIONED)}")
    return True


def _is_due(connection: Connection) -> bool:
    found = list_partitions(connection)
    newest = connection.value("SELECT seq FROM interlock_head") or 0
    return bool(found) and found[-1].end - newest < (found[-1].end - found[-1].first) // 2


def _add(connection: Connection, first: int) -> int:
    """Add a partition to each table; return the first number after it.

    A table is created and attached in two statements: creating it as a partition would lock out readers and writers.
    """
    end = first + _width(connection)
    for table in PARTITIONED:
        name = f"{table.name}_{first}"
        connection.run(f"CREATE TABLE {name} (LIKE {table.name} INCLUDING STORAGE)")
        connection.run(f"ALTER TABLE {table.name} ATTACH PARTITION {name} FOR VALUES FROM ({first}) TO ({end})")
    return end


def _width(connection: Connection) -> int:
    """Return how many records are written in a month, at the rate of the newest ones."""
    newest = connection.value("SELECT seq FROM interlock_head") or 0
    last = list_partitions(connection)[-1]
    ends = [connection.tuples(_RECORD, seq=seq) for seq in (max(0, newest - (last.end - last.first)), newest)]
    if not all(ends):
        return LEAST
    (older, older_at), (newer, newer_at) = (found[0] for found in ends)
    count, duration = int(newer - older), max(1, int(newer_at - older_at))
    return max(LEAST, min(count * MONTH // duration, count * MOST_GROWTH))


def keep_partitions(connection: Connection) -> None:
    """Prevent partitions from being dropped until this transaction ends. Call it before the first read.

    Dropping a partition takes its rows from older snapshots as well, unlike deleting rows.
    """
    if not connection.is_sqlite:
        connection.run(f"LOCK TABLE ONLY {records.name} IN ACCESS SHARE MODE")


def drop_partitions(connection: Connection, upto: int) -> None:
    """Drop the partitions that hold no record after a number; raise `PartitionsInUseError` if they are being read.

    The newest one stays. The locks, and the short limit for waiting, last until the transaction ends.
    """
    old = [found for found in list_partitions(connection)[:-1] if found.end <= upto + 1]
    if not old:
        return
    connection.run(f"SET LOCAL lock_timeout = '{_DROP_TIMEOUT}'")
    try:
        tables = ", ".join(f"ONLY {table.name}" for table in PARTITIONED)
        connection.run(f"LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE")
        names = [f"{table.name}_{partition.first}" for partition in old for table in PARTITIONED]
        connection.run(f"DROP TABLE {', '.join(names)}")
    except connection.lock_timeout as error:
        raise PartitionsInUseError from error

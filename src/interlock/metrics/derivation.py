"""Derive data from the chain in batches of records, with a cursor for each kind of data, without delaying decisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.store.connection import Connection
from interlock.store.tables import cursors

_CURSOR_AT = "SELECT at FROM interlock_cursors WHERE name = :name"
_ENDS = "SELECT seq, base_seq FROM interlock_head WHERE id = 1"
#: The number of a record, its kind, and its body if records of that kind are read.
RecordRow = tuple[int, str, str | None]


class RecordSpan(NamedTuple):
    """The records of a batch: after one record and up to another, how many, and whether they were the newest."""

    after: int | None
    upto: int
    records: int
    is_last: bool

    def claim(self, connection: Connection, name: str) -> bool:
        """Move the cursor over these records, and return True; or False if another process has done so already."""
        if read_cursor(connection, name) != self.after:
            return False
        if self.after is None:
            connection.insert(cursors, {"name": name, "at": self.upto})
        else:
            connection.update(cursors, {"name": name}, at=self.upto)
        return True


class Batch(Protocol):
    """Data derived from some records."""

    @property
    def span(self) -> RecordSpan:
        """The records."""
        ...

    def store(self, connection: Connection) -> bool:
        """Store it, and return True; or False if another process has done so already."""
        ...


def derive_new(
    journal: Journal, name: str, next_batch: Callable[[Connection], Batch | None], most: int | None = None
) -> int:
    """Derive from the records since the last time, from at most so many; return how many records are left."""
    done = 0
    while most is None or done < most:
        with journal.database.read() as connection:  # reading blocks no writer
            batch = next_batch(connection)
        if batch is None:
            return 0
        if journal.derive(name, batch.store):
            done += batch.span.records
            if batch.span.is_last:
                return 0  # under load there is always something new
    return count_left(journal, name)


def count_left(journal: Journal, name: str) -> int:
    """Return after how many records the chain ends."""
    with journal.database.read() as connection:
        end, base = connection.tuples(_ENDS)[0]
        return max(0, int(end) - max(int(base), read_cursor(connection, name) or 0))


def read_cursor(connection: Connection, name: str) -> int | None:
    """Return the last record that was read, or None if none was."""
    found: int | None = connection.value(_CURSOR_AT, name=name)
    return found


def forget_cursor(connection: Connection, name: str) -> None:
    """Forget the cursor, so that the next call begins with the first record."""
    connection.run("DELETE FROM interlock_cursors WHERE name = :name", name=name)


def discard_derived(journal: Journal, name: str, clear: Callable[[Connection], object]) -> None:
    """Discard derived data, so that the next call begins with the first record."""

    def begin_again(transaction: Transaction) -> None:
        clear(transaction.connection)
        forget_cursor(transaction.connection, name)

    journal.reset_derived(begin_again)


def empty_tables(connection: Connection, *names: str) -> None:
    """Delete all rows of tables."""
    for name in names:
        connection.run(f"DELETE FROM interlock_{name}")


def read_rows(connection: Connection, name: str, query: str, most: int) -> tuple[RecordSpan, list[RecordRow]] | None:
    """Return the next records by a query with `:after` and `:most`, without a decision of which records may follow."""
    after = read_cursor(connection, name)
    rows: list[RecordRow] = connection.tuples(query, after=after or 0, most=most)
    if not rows:
        return None
    is_last = len(rows) < most  # a decision and the records about it are written in one transaction
    if not is_last:
        last = max((at for at, row in enumerate(rows) if row[1] == "decision"), default=0)
        rows = rows[:last] or rows
    return RecordSpan(after, rows[-1][0], len(rows), is_last), rows

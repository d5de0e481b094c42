"""SQLite: a store in a file, opened so that what is committed stays."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from interlock.errors import StoreError
from interlock.store.files import create_file, make_folder

BUSY_SECONDS = 30
#: Errors that pass when another connection is done: with its transaction, or with opening or closing the file.
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)


class _Raw(sqlite3.Connection):
    """A connection that knows whether it may write."""

    _writes = True

    def let_write(self, may: bool) -> None:
        """Let whoever has the connection next write, or only read."""
        if may is not self._writes:
            self.execute(f"PRAGMA query_only = {int(not may)}")
            self._writes = may


class Sqlite:
    """How an embedded store is spoken to."""

    is_sqlite = True
    mark = "?"
    reading, writing = "BEGIN", "BEGIN IMMEDIATE"
    error: type[Exception] = sqlite3.Error
    #: Errors that are the fault of whoever gave the values, not of the database.
    of_values: tuple[type[Exception], ...] = (sqlite3.DataError, sqlite3.IntegrityError)

    def __init__(self, path: str) -> None:
        self._path = path
        _create(Path(path))

    def connect(self) -> _Raw:
        """Return a new connection."""
        raw = sqlite3.connect(
            self._path, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None, factory=_Raw
        )
        try:
            self._use_wal(raw)
            raw.execute("PRAGMA synchronous = FULL")
        except BaseException:
            raw.close()
            raise
        return raw

    def _use_wal(self, raw: _Raw) -> None:
        """Switch a new file to write-ahead logging; it stays switched.

        SQLite raises "database is locked" here without waiting, whatever the timeout: the switch upgrades a read
        lock, and two connections that both wait for that would wait forever. So this one lets go, waits for a random
        moment, and looks again; by then the other has usually made the switch for both.
        """
        deadline = time.monotonic() + BUSY_SECONDS
        while raw.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            try:
                raw.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if not self.may_pass(error) or time.monotonic() > deadline:
                    raise
            time.sleep(random.uniform(0.001, 0.02))  # noqa: S311 - spreads retries, keeps nothing secret

    def begin(self, raw: _Raw, statement: str, *, patient: bool) -> None:
        """Begin a transaction; whoever is not patient fails at once where another process writes."""
        raw.let_write(statement == self.writing)
        if patient:
            raw.execute(statement)
            return
        raw.execute("PRAGMA busy_timeout = 0")
        try:
            raw.execute(statement)
        finally:
            raw.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1_000}")

    def written(self, statement: str) -> str:
        """Return a statement as the driver wants it."""
        return statement

    def stream(
        self, raw: sqlite3.Connection, statement: str, given: Mapping[str, Any], size: int
    ) -> Generator[tuple[Any, ...]]:
        """Yield many rows; SQLite finds each when it is asked for."""
        cursor = raw.execute(statement, given)
        cursor.arraysize = size
        try:
            yield from cursor
        finally:
            cursor.close()

    def is_lost(self, _raw: sqlite3.Connection) -> bool:
        """Whether a connection can be used no more."""
        return False

    def may_pass(self, error: Exception) -> bool:
        """Whether a transaction failed for a reason that may pass."""
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY


def _create(path: Path) -> None:
    """Create the file of a new store; only its owner may read what agents do."""
    try:
        make_folder(path.parent)
        if not path.exists():
            create_file(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise StoreError(f"the store `{path}` cannot be created: {why}") from None

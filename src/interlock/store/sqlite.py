"""SQLite: a store in a file, opened so that what is committed stays."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from interlock.errors import StoreError

BUSY_SECONDS = 30
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


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
        _make(Path(path))

    def connect(self) -> _Raw:
        """Return a new connection."""
        raw = sqlite3.connect(
            self._path, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None, factory=_Raw
        )
        for setting in ("journal_mode = WAL", "synchronous = FULL"):
            raw.execute(f"PRAGMA {setting}")
        return raw

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


def _make(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # nobody else reads what agents do
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise StoreError(f"the store `{path}` cannot be made: {why}") from None

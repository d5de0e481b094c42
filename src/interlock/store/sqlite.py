"""SQLite: a store in a file, with durable commits."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from interlock.errors import StoreError
from interlock.store.files import create_file, make_folder

BUSY_SECONDS = 30
#: Errors that pass once another connection has ended its transaction, or has opened or closed the file.
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)


class _RawConnection(sqlite3.Connection):
    """A connection that can be switched between reading only and writing."""

    _writable = True

    def set_writable(self, writable: bool) -> None:
        """Allow or forbid writing."""
        if writable is not self._writable:
            self.execute(f"PRAGMA query_only = {int(not writable)}")
            self._writable = writable


class Sqlite:
    """The driver for SQLite."""

    is_sqlite = True
    placeholder = "?"
    begin_read: tuple[str, ...] = ("BEGIN",)
    begin_write: tuple[str, ...] = ("BEGIN IMMEDIATE",)
    error: type[Exception] = sqlite3.Error
    value_errors: tuple[type[Exception], ...] = (sqlite3.DataError, sqlite3.IntegrityError)
    lock_timeout: type[Exception] = sqlite3.OperationalError

    def __init__(self, path: str) -> None:
        self._path = path
        _create(Path(path))

    def connect(self) -> _RawConnection:
        """Return a new connection."""
        raw = sqlite3.connect(
            self._path, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None, factory=_RawConnection
        )
        try:
            if os.path.getsize(self._path) == 0:  # later, it would need the write lock, and change nothing
                raw.execute("PRAGMA auto_vacuum = INCREMENTAL")
            self._use_wal(raw)
            raw.execute("PRAGMA synchronous = FULL")
        except BaseException:
            raw.close()
            raise
        return raw

    def _use_wal(self, raw: sqlite3.Connection) -> None:
        """Switch a new file to write-ahead logging; the file stays in that mode.

        Here SQLite raises "database is locked" at once, whatever the timeout: the switch upgrades a read lock, and two
        connections that both waited to upgrade theirs would wait forever. So this one retries after a short random
        pause; by then another connection has usually switched the file.
        """
        deadline = time.monotonic() + BUSY_SECONDS
        while raw.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            try:
                raw.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if not self.is_transient(error) or time.monotonic() > deadline:
                    raise
            import random

            time.sleep(random.uniform(0.001, 0.02))  # noqa: S311 - it spreads retries, and keeps no secret

    def begin(self, raw: _RawConnection, statements: Sequence[str], *, wait: bool) -> bool:
        """Begin a transaction. With `wait=False`, raises at once if another process is writing."""
        raw.set_writable(statements == self.begin_write)
        if wait:
            raw.execute(statements[0])
            return True
        raw.execute("PRAGMA busy_timeout = 0")
        try:
            raw.execute(statements[0])
        finally:
            raw.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1_000}")
        return True

    def translate(self, statement: str) -> str:
        """Return a statement unchanged: SQLite takes `:name` as it is."""
        return statement

    def commit_early(self, raw: sqlite3.Connection) -> None:
        """Commit durably."""
        raw.execute("COMMIT")

    def pipeline(self, _raw: sqlite3.Connection) -> AbstractContextManager[object]:
        """Return an empty block: a file has no round trips."""
        return nullcontext()

    def stream(
        self, raw: sqlite3.Connection, statement: str, given: Mapping[str, Any], size: int
    ) -> Generator[tuple[Any, ...]]:
        """Yield rows as SQLite finds them."""
        cursor = raw.execute(statement, given)
        cursor.arraysize = size
        try:
            yield from cursor
        finally:
            cursor.close()

    def is_closed(self, _raw: sqlite3.Connection) -> bool:
        """Whether a connection can no longer be used: a file is never disconnected."""
        return False

    def is_transient(self, error: Exception) -> bool:
        """Whether the same transaction may succeed when it is retried."""
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY

    def advise(self, error: Exception) -> str:
        """Return what a user can do about an error: a file is not even read without permission to write."""
        is_read_only = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_READONLY
        return "; use a copy, or an account that may write to the file and its folder" if is_read_only else ""


def _create(path: Path) -> None:
    """Create the file of a new store, readable by its owner only."""
    try:
        make_folder(path.parent)
        if not path.exists():
            create_file(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise StoreError(f"the store `{path}` cannot be created: {why}") from None

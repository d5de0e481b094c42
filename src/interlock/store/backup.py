"""Backups: every table as it is at one moment, in a SQLite file that can be proved and read like any store."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from interlock.errors import StoreError
from interlock.store.database import Database
from interlock.store.migrate import migrate
from interlock.store.tables import TABLES
from interlock.store.url import sqlite_url

PAGE = 2_000


def back_up(database: Database, target: Path, progress: Callable[[int], None] = lambda _rows: None) -> int:
    """Copy a store into a new file; return the number of rows. The file is there whole, or not at all."""
    if target.exists():
        raise StoreError(f"`{target}` is there already; a backup does not write over anything")
    if not target.parent.is_dir():
        raise StoreError(f"there is no folder `{target.parent}`; a backup does not make one")
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        rows = _copy(database, draft, progress)
        os.replace(draft, target)
    except OSError as error:
        raise StoreError(f"the backup `{target}` cannot be written: {error.strerror}") from None
    finally:
        for left in (draft, Path(f"{draft}-wal"), Path(f"{draft}-shm")):
            left.unlink(missing_ok=True)
    return rows


def _copy(database: Database, file: Path, progress: Callable[[int], None]) -> int:
    copy = Database(sqlite_url(str(file)))
    rows = 0
    try:
        migrate(copy)
        with database.read() as source, copy.write() as target:
            for table in TABLES:
                target.run(f"DELETE FROM {table.name}")
                found = source.stream(f"SELECT {', '.join(table.columns)} FROM {table.name}", PAGE)
                while part := list(islice(found, PAGE)):
                    target.append(table, part)
                    rows += len(part)
                    progress(rows)
    finally:
        copy.close()  # the last connection folds the write-ahead log into the file
    return rows

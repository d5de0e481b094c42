"""Backups: a consistent copy of every table in a SQLite file, which can be verified and read like any store."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from interlock.errors import StoreError
from interlock.store.database import Database
from interlock.store.migrate import migrate
from interlock.store.partitions import keep_partitions
from interlock.store.tables import TABLES
from interlock.store.url import sqlite_url

PAGE = 2_000


def back_up(database: Database, target: Path, progress: Callable[[int], None] = lambda _rows: None) -> int:
    """Copy a store into a new file; return the number of rows. If anything fails, no file is left behind."""
    if target.exists():
        raise StoreError(f"`{target}` already exists, and a backup does not overwrite files; choose another name")
    if not target.parent.is_dir():
        raise StoreError(f"the folder `{target.parent}` does not exist; create it first")
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        rows = _copy(database, draft, progress)
        os.replace(draft, target)
    except OSError as error:
        raise StoreError(f"the backup `{target}` cannot be written: {error.strerror}") from None
    finally:
        for leftover in (draft, Path(f"{draft}-wal"), Path(f"{draft}-shm")):
            leftover.unlink(missing_ok=True)
    return rows


def _copy(database: Database, file: Path, progress: Callable[[int], None]) -> int:
    copy = Database(sqlite_url(str(file)))
    rows = 0
    try:
        migrate(copy)
        with database.read() as source, copy.write() as target:
            keep_partitions(source)
            for table in TABLES:
                target.run(f"DELETE FROM {table.name}")
                stream = source.stream(f"SELECT {', '.join(table.columns)} FROM {table.name}", PAGE)
                while page := list(islice(stream, PAGE)):
                    target.append(table, page)
                    rows += len(page)
                    progress(rows)
    finally:
        copy.close()  # closing the last connection merges the write-ahead log into the file
    return rows

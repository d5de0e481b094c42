"""Backups: every table as it is at one moment, in a SQLite file that can be proved and read like any store."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import delete, insert, select

from interlock.errors import StoreError
from interlock.store.database import Database
from interlock.store.migrate import migrate
from interlock.store.tables import metadata

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
    copy = Database(f"sqlite:///{file}")
    rows = 0
    try:
        migrate(copy)
        with database.read() as source, copy.write() as target:
            for table in metadata.sorted_tables:
                target.execute(delete(table))
                found = source.execution_options(yield_per=PAGE).execute(select(table)).mappings()
                for part in found.partitions():
                    target.execute(insert(table), [dict(row) for row in part])
                    rows += len(part)
                    progress(rows)
    finally:
        copy.close()  # the last connection folds the write-ahead log into the file
    return rows

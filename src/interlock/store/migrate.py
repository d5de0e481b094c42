"""The schema of a database: made where there is none, checked where there is one, brought up to date when asked.

A step is a file of statements in `steps`, named by its number. One that was ever released is never changed again.
"""

from __future__ import annotations

import os
from pathlib import Path

from interlock.errors import StoreError
from interlock.store.connection import Connection
from interlock.store.database import Database
from interlock.store.tables import head

#: The newest step in `steps`; a test compares the two.
NEWEST = "0003"
GENESIS = "0" * 64
_STEPS = Path(__file__).parent / "steps"
_EMBEDDED = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'interlock_version'"
#: What the catalogue says now; `to_regclass` goes by what it said when this connection last asked.
_SHARED = "SELECT relname FROM pg_class WHERE relname = 'interlock_version' AND pg_table_is_visible(oid)"
_LOCK = 4_711_001  # of PostgreSQL's advisory locks, the one by which only one process changes the schema


def revision_of(connection: Connection) -> str | None:
    """Return the step that a database has reached, or None for one that holds nothing of ours."""
    if connection.value(_EMBEDDED if connection.is_sqlite else _SHARED) is None:
        return None
    found: str | None = connection.value("SELECT version_num FROM interlock_version")
    return found


def prepare(database: Database) -> None:
    """Make the schema in an empty database; raise where an old or a newer one is found."""
    with database.read() as connection:
        found = revision_of(connection)
    if found is None:
        migrate(database)
    elif found != NEWEST:
        raise StoreError(
            f"the store `{database.shown}` is at step {found}, and this version needs {NEWEST}; "
            + ("run `interlock store migrate`" if found < NEWEST else "install a newer interlock")
        )


def migrate(database: Database, to: str = NEWEST) -> tuple[str | None, str]:
    """Bring the schema up to a step; return where it was and where it is. Whoever comes second finds it done.

    It is there whole, or not at all: both databases undo a schema like everything else.
    """
    with database.write() as connection:
        if not database.is_sqlite:
            connection.value("SELECT pg_advisory_xact_lock(:lock)", lock=_LOCK)
        before = revision_of(connection)
        if before is not None and before > NEWEST:
            raise StoreError(f"the store `{database.shown}` is at step {before}; install a newer interlock")
        for step in steps():
            if (before or "") < step <= to:
                _take(connection, step)
        if connection.value("SELECT id FROM interlock_head") is None:
            _begin_chain(connection)
        return before, max(before or "", to)


def steps() -> list[str]:
    """Return the numbers of all steps, in their order."""
    return sorted(file.name.partition("_")[0] for file in _STEPS.glob("*.sql"))


def _take(connection: Connection, step: str) -> None:
    """Take one step, and note that it was taken."""
    (file,) = _STEPS.glob(f"{step}_*.sql")
    text = file.read_text("utf-8").format(number="INTEGER" if connection.is_sqlite else "BIGINT")
    for statement in text.split(";"):
        if statement.strip():
            connection.run(statement)
    if revision_of(connection) is None:
        connection.run("INSERT INTO interlock_version (version_num) VALUES (:step)", step=step)
    else:
        connection.run("UPDATE interlock_version SET version_num = :step", step=step)


def _begin_chain(connection: Connection) -> None:
    first = {"id": 1, "store_id": os.urandom(16).hex(), "seq": 0, "base_seq": 0, "key_id": "", "signature": ""}
    connection.insert(head, {**first, "hash": GENESIS, "base_hash": GENESIS})

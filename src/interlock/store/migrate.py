"""The schema of a database: made where there is none, checked where there is one, brought up to date when asked."""

from __future__ import annotations

import secrets
from pathlib import Path

from sqlalchemy import Connection, insert, inspect, select, text

from interlock.errors import StoreError
from interlock.store.database import Database
from interlock.store.tables import head

#: The newest step in `migrations/versions`; a test compares the two.
NEWEST = "0003"
GENESIS = "0" * 64
_LOCK = 4_711_001  # of PostgreSQL's advisory locks, the one by which only one process changes the schema


def revision_of(connection: Connection) -> str | None:
    """Return the step that a database has reached, or None for one that holds nothing of ours."""
    if not inspect(connection).has_table("interlock_version"):
        return None
    return connection.execute(text("SELECT version_num FROM interlock_version")).scalar()


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
    """Bring the schema up to a step; return where it was and where it is. Whoever comes second finds it done."""
    with database.write() as connection:
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        before = revision_of(connection)
        if before is not None and before > NEWEST:
            raise StoreError(f"the store `{database.shown}` is at step {before}; install a newer interlock")
        if before != to:
            _upgrade(connection, to)
        if connection.execute(select(head.c.id)).first() is None:
            _begin_chain(connection)
        return before, to


def _upgrade(connection: Connection, to: str) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def _begin_chain(connection: Connection) -> None:
    connection.execute(
        insert(head).values(
            id=1,
            store_id=secrets.token_hex(16),
            seq=0,
            hash=GENESIS,
            key_id="",
            signature="",
            base_seq=0,
            base_hash=GENESIS,
        )
    )

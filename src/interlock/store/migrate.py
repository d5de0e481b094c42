"""The schema of a database: created if there is none, and migrated: in PostgreSQL, which others may use, on request.

Each migration is a file of statements in `migrations`, named by its number, or one file for each database, such as
`0020_partitions.sqlite.sql` and `0020_partitions.postgresql.sql`. A released migration never changes.
"""

from __future__ import annotations

import os
from pathlib import Path

from interlock.errors import StoreError
from interlock.store.connection import Connection
from interlock.store.database import Database
from interlock.store.tables import head

#: The newest file in `migrations`; a test compares the two.
NEWEST = "0021"
GENESIS = "0" * 64
_MIGRATIONS = Path(__file__).parent / "migrations"
_SQLITE_TABLE = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'interlock_version'"
#: Reads the current catalogue; `to_regclass` may answer from what this connection has cached.
_POSTGRESQL_TABLE = "SELECT relname FROM pg_class WHERE relname = 'interlock_version' AND pg_table_is_visible(oid)"
_ADVISORY_LOCK = 4_711_001  # held in PostgreSQL while the schema is changed


def schema_version(connection: Connection) -> str | None:
    """Return the number of the newest migration that was applied, or None if there is no schema yet."""
    if connection.value(_SQLITE_TABLE if connection.is_sqlite else _POSTGRESQL_TABLE) is None:
        return None
    found: str | None = connection.value("SELECT version_num FROM interlock_version")
    return found


def prepare(database: Database) -> None:
    """Create the schema in an empty database, and bring a file up to date; raise if PostgreSQL has another version."""
    with database.read() as connection:
        found = schema_version(connection)
    if found is None or (found < NEWEST and database.is_sqlite):
        migrate(database)
    elif found < NEWEST:
        raise StoreError(
            f"the store `{database.shown}` has schema version {found}, and this version of Interlock needs {NEWEST}; "
            "run `interlock store migrate`"
        )
    elif found > NEWEST:
        raise _newer(database, found)


def migrate(database: Database, to: str = NEWEST) -> tuple[str | None, str]:
    """Apply the missing migrations up to a version; return the versions before and after.

    It is one transaction under the write lock: of several processes one migrates, and the others find it done.
    """
    with database.write() as connection:
        if not database.is_sqlite:
            connection.value("SELECT pg_advisory_xact_lock(:lock)", lock=_ADVISORY_LOCK)
        before = schema_version(connection)
        if before is not None and before > NEWEST:
            raise _newer(database, before)
        for version in list_migrations():
            if (before or "") < version <= to:
                _apply(connection, version)
        if connection.value("SELECT id FROM interlock_head") is None:
            _begin_chain(connection)
        return before, max(before or "", to)


def _newer(database: Database, version: str) -> StoreError:
    return StoreError(f"the store `{database.shown}` has schema version {version}; install a newer interlock")


def list_migrations() -> list[str]:
    """Return the numbers of all migrations, in order."""
    return sorted({file.name.partition("_")[0] for file in _MIGRATIONS.glob("*.sql")})


def _apply(connection: Connection, version: str) -> None:
    """Apply one migration, and store its number."""
    for statement in _split(_read(version, is_sqlite=connection.is_sqlite)):
        if statement.strip():
            connection.run(statement)
    if schema_version(connection) is None:
        connection.run("INSERT INTO interlock_version (version_num) VALUES (:version)", version=version)
    else:
        connection.run("UPDATE interlock_version SET version_num = :version", version=version)


def _read(version: str, *, is_sqlite: bool) -> str:
    """Return the text of a migration for one of the databases."""
    other = ".postgresql.sql" if is_sqlite else ".sqlite.sql"
    (file,) = (file for file in _MIGRATIONS.glob(f"{version}_*.sql") if not file.name.endswith(other))
    return file.read_text("utf-8").format(number="INTEGER" if is_sqlite else "BIGINT")


def _split(text: str) -> list[str]:
    """Split a text into statements. Text between two `$$` belongs to one statement.

    >>> _split("SELECT 1; DO $$ BEGIN; END $$; SELECT 2")
    ['SELECT 1', ' DO $$ BEGIN; END $$', ' SELECT 2']
    """
    found = [""]
    for number, part in enumerate(text.split("$$")):
        if number % 2:
            found[-1] += f"$${part}$$"
        else:
            first, *others = part.split(";")
            found = [*found[:-1], found[-1] + first, *others]
    return found


def _begin_chain(connection: Connection) -> None:
    """Insert the head of an empty chain, with a new store id."""
    first = {"id": 1, "store_id": os.urandom(16).hex(), "seq": 0, "base_seq": 0, "key_id": "", "signature": ""}
    connection.insert(head, {**first, "hash": GENESIS, "base_hash": GENESIS})

"""A PostgreSQL store that is used again is like a new one."""

from __future__ import annotations

import psycopg
import pytest

from interlock.gate import Gate
from interlock.model import Action
from tests.world.postgres import Server
from tests.world.used_stores import UsedStores

_TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1"


def rows_of(url: str) -> dict[str, list[str]]:
    """Return the rows of every table, but for the id of the store."""
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE interlock_head SET store_id = ''")
        names = [str(name) for (name,) in connection.execute(_TABLES)]
        found = {name: [str(row) for row in connection.execute(f"SELECT * FROM {name}")] for name in names}
        connection.rollback()
    return found


@pytest.fixture
def used(postgres: Server, own: object) -> str:
    """A store in which somebody has worked."""
    url = postgres.prepared()
    with Gate(store=url) as gate:
        gate.decide(Action.shell("git push --force origin main"))
    return url


@pytest.fixture
def stores(postgres: Server) -> UsedStores:
    """Stores that are used again, of which there are none yet."""
    return UsedStores(postgres.url, postgres._template)


def test_a_store_is_empty_when_it_is_used_again(postgres: Server, stores: UsedStores, used: str) -> None:
    before = rows_of(stores.url_of(postgres._template))
    assert rows_of(used) != before
    stores.add(used)
    again = stores.take()
    assert again not in (None, used), "by another name"
    assert rows_of(str(again)) == before
    assert stores.take() is None


def test_a_store_is_not_used_again_while_somebody_is_connected(stores: UsedStores, used: str) -> None:
    stores.add(used)
    with psycopg.connect(used):
        assert stores.take() is None


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TABLE other (x int)",
        "DROP TABLE interlock_servers",
        "ALTER TABLE interlock_runs ADD COLUMN more int",
        "ALTER TABLE interlock_runs RENAME TO other",
        "CREATE INDEX ON interlock_runs (state)",
        "CREATE FUNCTION other() RETURNS int LANGUAGE sql RETURN 1",
        "ALTER TABLE interlock_runs ALTER COLUMN state DROP NOT NULL",
    ],
)
def test_a_store_whose_schema_was_changed_is_not_used_again(stores: UsedStores, used: str, change: str) -> None:
    with psycopg.connect(used, autocommit=True) as connection:
        connection.execute(change)
    stores.add(used)
    assert stores.take() is None

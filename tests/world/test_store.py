"""The store: URLs, the schema and its migrations, on both databases."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from interlock.audit.journal import Journal
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.record import Entry
from interlock.audit.verify import verify
from interlock.errors import StoreError
from interlock.store.backup import back_up
from interlock.store.connection import Connection
from interlock.store.database import Database
from interlock.store.migrate import NEWEST, list_migrations, migrate, prepare, schema_version
from interlock.store.tables import TABLES, counts, cursors, levels
from interlock.store.url import parse_url, sqlite_url
from tests.world.requests import put

WRONG = {
    "": "is not the URL of a store",
    "nonsense": "is not the URL of a store",
    "mysql://x/y": "`mysql` stores are not supported",
    "sqlite://": "outlives the process",
    "sqlite:///:memory:": "outlives the process",
    "sqlit:///x.db": "did you mean `sqlite`?",
    "sqlite:///x.db?timeout=6": "takes no options",
    "sqlite:///a%00b": "null byte",
    "postgresql://h:port/x": "is not the URL of a store",
    "postgresql://h/x?host=a&host=b": "given twice",
    "postgresql://a\0b/x": "is not the URL of a store",
}
#: How a URL is shown. This must never change, since anchors are found by it.
SHOWN = {
    "sqlite:////home/josé/a b@c.db": "sqlite:////home/jos%C3%A9/a b%40c.db",
    "sqlite:////tmp/my%20folder/x.db": "sqlite:////tmp/my folder/x.db",
    "postgres://ann:p%40w@[::1]:5432/db": "postgresql://ann:***@[::1]:5432/db",
    "postgresql:///db?port=5433&host=/var/run": "postgresql:///db?host=%2Fvar%2Frun&port=5433",
    "postgresql://h/d?sslkey=k&sslpassword=hunter2": "postgresql://h/d?sslkey=k&sslpassword=***",
    "postgresql://ann:x@h/d%20b?application_name=ops@corp": "postgresql://ann:***@h/d b?application_name=ops%40corp",
    "postgresql+psycopg://one:1,[::2]:2/db": "postgresql://one:1,[::2]:2/db",
    "postgresql://h/x?password=hunter2": "postgresql://h/x?password=***",
    "postgresql://h/\x1b[31m": "postgresql://h/%1B%5B31m",
}
#: Passwords as people write them, and what a server is told.
PASSWORDS = {"100%hunter2": "100%hunter2", "hun ter2": "hun ter2", "a/b?c": "a/b?c", "p%40w%2F": "p@w/", "%zz": "%zz"}


@pytest.mark.parametrize("url", SHOWN)
def test_the_display_of_a_url_never_changes(url: str) -> None:
    assert parse_url(url).shown == SHOWN[url]


@pytest.mark.parametrize("password", PASSWORDS)
def test_a_password_reaches_only_the_server(password: str) -> None:
    url = parse_url(f"postgresql://ann:{password}@127.0.0.1:1/x")
    assert url.server["password"] == PASSWORDS[password]
    assert PASSWORDS[password] not in repr(url)
    with pytest.raises(StoreError) as found:
        prepare(Database(f"postgresql://ann:{password}@127.0.0.1:1/x"))
    assert PASSWORDS[password] not in str(found.value)


@pytest.mark.parametrize("text", ["postgresql:/ann:hunter2@db", "ann:hunter2@db", "postgresql://u:x@hunter2@h:p/d"])
def test_an_invalid_url_shows_no_password(text: str) -> None:
    with pytest.raises(StoreError) as found:
        parse_url(text)
    assert "hunter2" not in str(found.value)


@pytest.mark.parametrize("url", WRONG)
def test_an_invalid_url_says_what_to_write(url: str) -> None:
    with pytest.raises(StoreError, match=WRONG[url]):
        parse_url(url)


def test_a_password_is_not_shown() -> None:
    assert "hunter2" not in Database("postgresql://ann:hunter2@127.0.0.1:1/x").shown


def test_an_unreachable_server_is_one_line() -> None:
    with pytest.raises(StoreError, match="failed: connection") as found:
        prepare(Database("postgresql://ann:hunter2@127.0.0.1:1/x"))
    assert "\n" not in str(found.value)
    assert "hunter2" not in str(found.value)


def test_a_folder_that_cannot_be_created_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be created"):
        Database(f"sqlite:///{tmp_path / 'file' / 'x.db'}")


def test_a_file_that_is_not_a_database_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("this is a text, and a longer one than any header is, so that it is read as one" * 9)
    with pytest.raises(StoreError, match="not a database"):
        prepare(Database(f"sqlite:///{tmp_path / 'x.db'}"))


@pytest.mark.parametrize("name", ["100%", "a?b", "josé", "\udcff", "a#b%41"])
def test_a_folder_may_be_called_anything(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    prepare(Database(sqlite_url(str(folder / "x.db"))))
    assert (folder / "x.db").exists()
    assert parse_url(sqlite_url(str(folder))).path == str(folder)


def test_a_new_store_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    prepare(Database(f"sqlite:///{tmp_path / 'folder' / 'x.db'}"))
    assert stat.S_IMODE((tmp_path / "folder" / "x.db").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o700


_EMBEDDED = (
    "SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY c.cid"
)
_SHARED = (
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' AND NOT "
    "(SELECT relispartition FROM pg_class WHERE oid = to_regclass(table_name)) ORDER BY ordinal_position"
)


@pytest.mark.no_schema
def test_the_migrations_create_the_schema(database: Database) -> None:
    with database.read() as connection:
        assert schema_version(connection) == NEWEST
        every = _EMBEDDED if database.is_sqlite else _SHARED
        found: dict[str, list[str]] = {}
        for table, column in connection.tuples(every):
            found.setdefault(table, []).append(column)
    assert found.pop("interlock_version") == ["version_num"]
    assert {name: sorted(columns) for name, columns in found.items()} == {
        table.name: sorted(table.columns) for table in TABLES
    }


def test_the_newest_migration_is_the_last_file() -> None:
    assert list_migrations() == [f"{number:04}" for number in range(1, int(NEWEST) + 1)]


@pytest.mark.no_schema
def test_migrating_adds_counters_by_the_week(store: str) -> None:
    database, day = Database(store), 86_400_000_000
    migrate(database, to="0020")
    with database.write() as connection:
        for number, grain in ((0, 86_400), (6, 86_400), (7, 86_400), (0, 3_600)):
            key = {"grain": grain, "at": number * day, "level": "low"}
            names = {"what": "action", "name": "Bash", "agent_id": "a", "outcome": "allow"}
            connection.insert(counts, {**key, **names, "count": 1 + number, "points": 10})
            connection.insert(levels, {**key, "verdict": "allow", "count": 1 + number})
    migrate(database)
    with database.read() as connection:
        query = "SELECT at, count, points FROM interlock_counts WHERE grain = 604800 ORDER BY at"
        assert connection.tuples(query) == [(0, 8, 20), (7 * day, 8, 10)]
        query = "SELECT at, level, verdict, count FROM interlock_levels WHERE grain = 604800 ORDER BY at"
        assert connection.tuples(query) == [(0, "low", "allow", 8), (7 * day, "low", "allow", 8)]


@pytest.mark.no_schema
def test_migrating_keeps_the_data(store: str, own: Path) -> None:
    database = Database(store)
    migrate(database, to="0001")
    journal = Journal(database, SigningKey.at(own), own)
    entries = [Entry(kind="decision", at=1, actor="x", name=f"tool {number}") for number in range(50)]
    for entry in entries:
        put(journal, entry)
    if database.is_sqlite:
        prepare(database)
    else:  # other servers may be using it
        with pytest.raises(StoreError, match="run `interlock store migrate`"):
            prepare(database)
        assert migrate(database) == ("0001", NEWEST)
    with database.read() as connection:
        found = connection.values("SELECT name FROM interlock_records WHERE kind = 'decision' ORDER BY seq")
    assert found == [entry.name for entry in entries]
    assert verify(database, KeyRing([SigningKey.at(own).public]), folder=own).good


def test_a_newer_schema_is_left_alone(database: Database) -> None:
    with database.write() as connection:
        connection.run("UPDATE interlock_version SET version_num = '9999'")
    for attempt in (prepare, migrate):
        with pytest.raises(StoreError, match="install a newer interlock"):
            attempt(database)


def test_a_failed_transaction_changes_nothing(database: Database) -> None:
    def fail() -> None:
        with database.write() as connection:
            connection.run("UPDATE interlock_head SET seq = 7")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with database.read() as connection:
        assert connection.value("SELECT seq FROM interlock_head") == 0


def test_a_read_transaction_cannot_write(database: Database) -> None:
    with pytest.raises(StoreError, match=r"read-?only"), database.read() as connection:
        connection.run("UPDATE interlock_head SET seq = 7")
    with database.write() as connection:  # on the same connection
        assert connection.run("UPDATE interlock_head SET seq = 7") == 1


def test_a_failed_read_does_not_block_the_connection(tmp_path: Path) -> None:
    """The next transaction on the same connection sees current data, and may write."""
    database = Database(f"sqlite:///{tmp_path / 'x.db'}")
    prepare(database)
    with database.write() as connection:
        connection.run("INSERT INTO interlock_secrets VALUES ('a', 'b'), ('c', CAST(x'ff' AS TEXT))")
    kept = []
    query = "SELECT value, name FROM interlock_secrets ORDER BY name"
    for read in (Connection.rows, Connection.tuples, Connection.values, lambda one, query: list(one.stream(query, 1))):
        with pytest.raises(StoreError) as found, database.read() as connection:
            read(connection, query)
        kept.append(found.value)  # and with it everything that was at hand
    with database.read() as connection, contextlib.suppress(ZeroDivisionError):
        for _ in connection.stream("SELECT name FROM interlock_secrets", 1):
            raise ZeroDivisionError
    other = Database(f"sqlite:///{tmp_path / 'x.db'}")
    with other.write() as connection:
        connection.run("DELETE FROM interlock_secrets")
    with database.read() as connection:
        assert connection.value("SELECT count(*) FROM interlock_secrets") == 0
    with database.write(wait=False) as connection:
        assert connection.run("UPDATE interlock_head SET seq = 0") == 1


def test_two_streams_at_once(database: Database) -> None:
    with database.read() as connection:
        one, other = (connection.stream("SELECT id FROM interlock_head", 1) for _ in range(2))
        assert (list(one), list(other)) == ([(1,)], [(1,)])


@pytest.mark.no_schema
def test_the_second_process_finds_the_schema(store: str) -> None:
    """One looked when there was nothing, and waits for its turn while the other makes it."""
    one, other = Database(store), Database(store)
    with one.read() as connection:
        assert schema_version(connection) is None
    assert migrate(other) == (None, NEWEST)
    assert migrate(one) == (NEWEST, NEWEST)
    assert migrate(one, to="0001") == (NEWEST, NEWEST), "nothing goes down"


def test_an_unknown_column_is_an_error(database: Database) -> None:
    with pytest.raises(ValueError, match="has no column nope"), database.write() as connection:
        connection.insert(cursors, {"name": "a", "at": 1, "nope": 5})


def test_a_child_leaves_its_parents_connection_alone(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'x.db'}")
    prepare(database)
    child = -1
    with database.write() as connection:
        connection.run("UPDATE interlock_head SET seq = 7")
        child = os.fork()
    if child == 0:
        with database.read() as connection:
            os._exit(0 if len(database._pool._in_use) == 1 else 1)
    assert os.waitpid(child, 0)[1] == 0
    with database.read() as connection:
        assert connection.value("SELECT seq FROM interlock_head") == 7


def test_a_backup_is_a_store_that_verifies(journal: Journal, own: Path, tmp_path: Path) -> None:
    for number in range(100):
        entry = Entry(kind="decision", at=number, actor="x", data={"text": "é\n" * number})
        put(journal, entry)
    target = tmp_path / "backup.db"
    rows = back_up(journal.database, target)
    copy = Database(f"sqlite:///{target}")
    with copy.read() as connection:
        assert rows == sum(connection.value(f"SELECT count(*) FROM {table.name}") for table in TABLES)
    prepare(copy)
    proof = verify(copy, KeyRing([SigningKey.at(own).public]), folder=own)
    assert proof.good, proof.faults
    assert proof.records == 101
    with pytest.raises(StoreError, match="does not overwrite files"):
        back_up(journal.database, target)
    assert {file.name for file in tmp_path.iterdir()} >= {"backup.db"}
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".backup")]


def test_a_store_that_may_only_be_read_says_what_to_do(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'store.db'}")
    prepare(database)
    raw = sqlite3.connect(f"file:{tmp_path / 'store.db'}?mode=ro", uri=True)
    with contextlib.closing(raw), pytest.raises(sqlite3.OperationalError) as refused:
        raw.execute("DELETE FROM interlock_head")
    assert "use a copy, or an account that may write" in str(database.error(refused.value))
    assert "use a copy" not in str(database.error(sqlite3.OperationalError("no such table")))

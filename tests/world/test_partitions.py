"""Partitions in PostgreSQL: there is always room for records, retention drops old ones, and migrating loses nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from interlock.audit.journal import Journal
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.prune import prune
from interlock.audit.record import Entry
from interlock.audit.rows import ROW_RECORDS
from interlock.audit.verify import verify
from interlock.errors import StoreError
from interlock.gate import Gate
from interlock.store import migrate as migration
from interlock.store import partitions
from interlock.store.clock import MICROSECONDS, now
from interlock.store.database import Database
from interlock.store.migrate import NEWEST, migrate, schema_version
from interlock.store.partitions import (
    LEAST,
    MONTH,
    PARTITIONED,
    Partition,
    add_partition_ahead,
    keep_partitions,
    list_partitions,
)
from interlock.store.tables import records
from tests.world.postgres import Server
from tests.world.requests import put

ROOM = 20
#: When records are written, after the one in which the key is registered.
LATER = now().wall + 12 * MONTH


@pytest.fixture
def store(postgres: Server) -> str:
    return postgres.prepared()


@pytest.fixture
def small(store: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A store whose first partitions have room for few records, and so have all others."""
    monkeypatch.setattr(partitions, "LEAST", ROOM)
    monkeypatch.setattr(partitions, "MOST_GROWTH", 1)
    database = Database(store)
    with database.write() as connection:
        for table in PARTITIONED:
            connection.run(f"DROP TABLE {table.name}_0")
            bound = f"FOR VALUES FROM (MINVALUE) TO ({ROOM + 1})"
            connection.run(f"CREATE TABLE {table.name}_0 PARTITION OF {table.name} {bound}")
    yield database
    database.close()


@pytest.fixture
def writer(small: Database, own: Path) -> Journal:
    return Journal(small, SigningKey.at(own), own)


def fill(journal: Journal, number: int, at: int = 1) -> None:
    """Append so many records in transactions of their own, each a microsecond after the one before."""
    for one in range(number):
        put(journal, Entry(kind="decision", at=at + one, actor="x", name=f"tool {one}"))


def ranges(database: Database) -> list[Partition]:
    with database.read() as connection:
        return list_partitions(connection)


def names_of(database: Database, table: str) -> set[str]:
    query = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = to_regclass(:table)"
    with database.read() as connection:
        return {name.removeprefix(f"{table}_") for name in connection.values(query, table=table)}


def numbers(database: Database) -> list[int]:
    with database.read() as connection:
        return connection.values("SELECT seq FROM interlock_records ORDER BY seq")


def is_good(database: Database, own: Path) -> bool:
    proof = verify(database, KeyRing([SigningKey.at(own).public]), folder=own)
    assert proof.good, proof.faults
    return proof.good


def run_together(*calls: Callable[[], object]) -> None:
    """Begin several calls at the same moment, and raise what one of them raised."""
    barrier, errors = threading.Barrier(len(calls)), []

    def run(call: Callable[[], object]) -> None:
        try:
            barrier.wait()
            call()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


# room for records


def test_a_new_store_has_one_partition_of_each_table(store: str) -> None:
    database = Database(store)
    assert ranges(database) == [Partition(0, LEAST + 1)]
    assert all(names_of(database, table.name) == {"0"} for table in PARTITIONED)


def test_the_number_of_a_record_stays_unique(writer: Journal, small: Database) -> None:
    fill(writer, 3)
    with pytest.raises(StoreError, match="duplicate key"), small.write() as connection:
        connection.run("INSERT INTO interlock_records SELECT * FROM interlock_records WHERE seq = 2")


def test_a_writer_that_finds_no_room_adds_a_partition(writer: Journal, small: Database, own: Path) -> None:
    fill(writer, 3 * ROOM)
    assert ranges(small)[:3] == [Partition(0, 21), Partition(21, 41), Partition(41, 61)]
    assert len({frozenset(names_of(small, table.name)) for table in PARTITIONED}) == 1
    assert numbers(small) == list(range(1, 3 * ROOM + 2))
    assert is_good(small, own)


def test_one_transaction_may_need_several_partitions(writer: Journal, small: Database, own: Path) -> None:
    entries = [Entry(kind="decision", at=1, actor="x") for _ in range(3 * ROOM)]
    writer.commit(lambda transaction: [transaction.append(entry) for entry in entries])
    assert numbers(small) == list(range(1, 3 * ROOM + 2))
    assert is_good(small, own)


def test_a_writer_that_takes_missing_partitions_for_granted_tries_again(
    writer: Journal, small: Database, own: Path
) -> None:
    fill(writer, 5)
    writer._room = 10 * ROOM  # as it would be if somebody had put an older copy of the database in its place
    fill(writer, 2 * ROOM)
    assert numbers(small) == list(range(1, 2 * ROOM + 7))
    assert is_good(small, own)


def test_servers_that_find_no_room_at_once(store: str, writer: Journal, small: Database, own: Path) -> None:
    others = [Journal(Database(store), SigningKey.at(own), own) for _ in range(3)]
    run_together(*(lambda one=one: fill(one, 30) for one in (writer, *others)))
    assert numbers(small) == list(range(1, len(numbers(small)) + 1))
    found = ranges(small)
    assert [one.end for one in found[:-1]] == [one.first for one in found[1:]]
    assert is_good(small, own)


def test_of_several_servers_one_adds_the_next_partition(store: str, writer: Journal, small: Database) -> None:
    assert not add_partition_ahead(small)
    fill(writer, ROOM // 2 + 2)
    run_together(*(lambda: add_partition_ahead(Database(store)) for _ in range(4)))
    assert ranges(small) == [Partition(0, 21), Partition(21, 41)]
    assert not add_partition_ahead(small)


def test_adding_a_partition_waits_for_no_reader_and_no_writer(store: str, writer: Journal, small: Database) -> None:
    """Both hold their locks all the time; if it had to wait for them, it would raise."""
    fill(writer, ROOM // 2 + 2)
    reader, other, adding = Database(store), Database(store), Database(store)
    with reader.read() as reading, other.write() as writing, adding.write() as adder:
        reading.values("SELECT seq FROM interlock_records JOIN interlock_actions USING (seq)")
        writing.run("DELETE FROM interlock_records WHERE seq = 1")
        adder.run("SET LOCAL lock_timeout = '1ms'")
        partitions.make_room(adder, ROOM + 5)
        writing.run("INSERT INTO interlock_matches VALUES (3, 'rule', 'x', 1)")
    assert ranges(small)[-1] == Partition(21, 41)


def test_retention_keeps_room_for_new_records(small: Database, store: str) -> None:
    with Gate(store=store) as gate:
        fill(gate.journal, ROOM // 2 + 2)
        gate.retention.step()
        assert ranges(small)[-1].first == ROOM + 1


@pytest.mark.parametrize(
    ("days", "room"),
    [(0, 2 * LEAST), (1, 2 * LEAST), (30, LEAST), (15, 2 * LEAST), (20, LEAST * 3 // 2), (300, LEAST)],
)
def test_a_partition_has_room_for_a_month(store: str, monkeypatch: pytest.MonkeyPatch, days: int, room: int) -> None:
    """The first partition was filled in so many days."""
    monkeypatch.setattr(partitions, "MOST_GROWTH", 2)
    database = Database(store)
    with database.write() as connection:
        for seq, at in ((1, LATER), (LEAST, LATER + days * MONTH // 30)):
            row = {"seq": seq, "at": at, "record_id": str(seq), "kind": "x", "body": "{}", "hash": "x"}
            connection.insert(records, row)
        connection.run("UPDATE interlock_head SET seq = :seq", seq=LEAST)
        partitions.make_room(connection, LEAST + 1)
        found = list_partitions(connection)
    assert abs(found[-1].end - found[-1].first - room) <= 2 * room // LEAST


# retention


def test_retention_drops_partitions_and_deletes_the_rest(writer: Journal, small: Database, own: Path) -> None:
    fill(writer, 70, at=LATER)
    removed = prune(writer, LATER + 50, "x")
    assert removed == numbers(small)[0] - 1
    assert 40 < removed < 60
    for table in PARTITIONED:
        assert names_of(small, table.name).isdisjoint({"0", "21"})
    assert is_good(small, own)
    fill(writer, 30, at=LATER + 100)
    assert is_good(small, own)


def test_one_step_drops_one_partition(writer: Journal, small: Database, own: Path) -> None:
    fill(writer, 70, at=LATER)
    steps = [prune(writer, LATER + 50, "x", most=4) for _ in range(5)]
    assert steps[:2] == [20, 20]
    assert 0 < steps[2] <= 4
    assert ranges(small)[0].first == 41
    assert is_good(small, own)


def test_the_newest_partition_stays(writer: Journal, small: Database, own: Path) -> None:
    fill(writer, ROOM - 1, at=LATER)
    assert prune(writer, LATER + MONTH, "x") == ROOM
    assert ranges(small)[0] == Partition(0, 21)
    fill(writer, ROOM, at=LATER + MONTH)
    assert is_good(small, own)


def test_a_partition_that_is_read_is_emptied_and_dropped_later(store: str, writer: Journal, small: Database) -> None:
    fill(writer, 50, at=LATER)
    with Database(store).read() as reader:
        keep_partitions(reader)
        before = reader.values("SELECT seq FROM interlock_records")
        assert prune(writer, LATER + 45, "x", most=15) == 15
        assert prune(writer, LATER + 45, "x", most=15) == 15
        assert len(reader.values("SELECT seq FROM interlock_records")) == len(before), "a snapshot keeps its rows"
    assert ranges(small)[0] == Partition(0, 21)
    assert prune(writer, LATER + 45, "x", most=15) == 10
    assert ranges(small)[0] == Partition(41, 61)


def test_a_store_is_verified_while_retention_drops_partitions(store: str, writer: Journal, own: Path) -> None:
    def retain() -> None:
        for cut in range(10, 90, 5):
            prune(writer, LATER + cut, "x")

    def check() -> None:
        for _ in range(8):
            assert is_good(Database(store), own)

    fill(writer, 100, at=LATER)
    run_together(retain, check)


# migration


@pytest.fixture
def older(postgres: Server, own: Path) -> Database:
    """A store without partitions, with records of several months; some are not in the order of their times."""
    database = Database(postgres.new())
    migrate(database, to="0019")
    journal = Journal(database, SigningKey.at(own), own)
    for month, day in ((3, 1), (3, 31), (4, 1), (4, 2), (3, 31), (6, 30), (7, 1)):
        at = int(datetime(2040, month, day, tzinfo=UTC).timestamp()) * MICROSECONDS
        for _ in range(5):
            put(journal, Entry(kind="decision", at=at, actor="x", name=f"{month}-{day}"))
    with database.write() as connection:
        connection.run(
            "INSERT INTO interlock_actions SELECT seq, at, 'r', 'a', 'p', 't', 'allow', 'low', '', 'k', NULL "
            "FROM interlock_records"
        )
        connection.run("INSERT INTO interlock_matches SELECT seq, 'rule', 'x', at FROM interlock_records")
    return database


def contents(database: Database) -> list[list[tuple[object, ...]]]:
    with database.read() as connection:
        return [
            connection.tuples(f"SELECT {', '.join(table.columns)} FROM {table.name} ORDER BY seq")
            for table in PARTITIONED
        ]


def indexes(database: Database) -> dict[str, str]:
    query = "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = ANY(:tables::text[])"
    with database.read() as connection:
        found = connection.tuples(query, tables=[table.name for table in PARTITIONED])
    return {name: text.replace(" ON ONLY ", " ON ") for name, text in found}


def test_an_older_store_is_migrated_by_months(older: Database, own: Path) -> None:
    before, had = contents(older), indexes(older)
    assert ranges(older) == []
    assert migrate(older, to="0020") == ("0019", "0020")
    found = ranges(older)
    with older.read() as connection:
        starts = [
            connection.value("SELECT min(seq) FROM interlock_records WHERE name = :name", name=name)
            for name in ("3-1", "4-1", "6-30", "7-1")
        ]
    assert [one.first for one in found] == [0, *starts]
    assert found[-1].end >= LEAST
    has = indexes(older)
    assert had.pop("interlock_records_record_id_key")
    assert has.pop("interlock_records_by_id")
    assert has.pop("interlock_actions_requested")
    assert has == had
    assert migrate(older) == ("0020", NEWEST)
    assert contents(older) == before
    assert is_good(older, own)
    fill(Journal(older, SigningKey.at(own), own), 3, at=LATER)
    assert is_good(older, own)


def test_the_steps_of_runs_have_an_index_of_their_own(store: str) -> None:
    text = indexes(Database(store))["interlock_records_steps_of_runs"]
    assert all(f"'{kind}'" in text for kind in ROW_RECORDS["runs"].all_kinds), "or else it is not used"


def test_retention_drops_the_months_of_an_older_store(older: Database, own: Path) -> None:
    migrate(older)
    april = ranges(older)[2]
    before = int(datetime(2040, 5, 1, tzinfo=UTC).timestamp()) * MICROSECONDS
    assert prune(Journal(older, SigningKey.at(own), own), before, "x") == april.end - 1
    assert ranges(older)[0].first == april.end
    assert is_good(older, own)


def test_an_interrupted_migration_changes_nothing(older: Database, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, split = contents(older), migration._split
    monkeypatch.setattr(migration, "_split", lambda text: [*split(text), "SELECT 1 / 0"])
    with pytest.raises(StoreError, match="division by zero"):
        migrate(older)
    assert contents(older) == before
    assert ranges(older) == []
    with older.read() as connection:
        assert schema_version(connection) == "0019"
    assert is_good(older, own)


def test_sqlite_has_no_partitions(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'x.db'}")
    migrate(database)
    assert ranges(database) == []
    assert not add_partition_ahead(database)

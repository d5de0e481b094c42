"""Opening a new store for the first time, from many threads and many processes at once."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sqlite3
import threading
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from interlock.audit.anchor import Anchor, list_anchors
from interlock.audit.chain import Head
from interlock.audit.journal import Journal
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.record import Entry
from interlock.audit.spool import Spool
from interlock.audit.verify import verify
from interlock.errors import StoreError
from interlock.gate import Gate
from interlock.model import Action
from interlock.store import sqlite
from interlock.store.database import Database
from interlock.store.files import create_file, lock_file, read_locked
from interlock.store.migrate import prepare
from tests.world.postgres import Server
from tests.world.requests import put

THREADS, PROCESSES = 8, 6
#: What each does: it is given its number, and that of the attempt.
Task = Callable[[int, int], object]


def run_threads(task: Task, count: int = THREADS, attempts: int = 1) -> list[str]:
    """Call a function from several threads at the same moment, in each attempt anew; return the errors."""
    start, errors = threading.Barrier(count), list[str]()

    def call(number: int) -> None:
        for attempt in range(attempts):
            start.wait()
            try:
                task(number, attempt)
            except BaseException:
                errors.append(traceback.format_exc())

    threads = [threading.Thread(target=call, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def run_processes(task: Task, count: int = PROCESSES, attempts: int = 1) -> list[str]:
    """Call a function from several processes at the same moment, in each attempt anew; return the errors.

    The processes are copies of this one, which is large: they are made once for all attempts.
    """
    start = multiprocessing.get_context("fork").Barrier(count)
    read, write = os.pipe()
    children = [_fork(task, number, start, write, attempts) for number in range(count)]
    os.close(write)
    with os.fdopen(read, "r") as errors:
        found = errors.read()
    failed = [child for child in children if os.waitpid(child, 0)[1]]
    return [found] if found or failed else []


def _fork(task: Task, number: int, start: Barrier, errors: int, attempts: int) -> int:
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        for attempt in range(attempts):
            start.wait()
            task(number, attempt)
        status = 0
    except BaseException:
        start.abort()  # or the others wait for this one
        os.write(errors, traceback.format_exc().encode())
    finally:
        os._exit(status)


Run = Callable[..., list[str]]


@pytest.fixture(params=[run_threads, run_processes], ids=["threads", "processes"])
def run(request: pytest.FixtureRequest) -> Run:
    found: Run = request.param
    return found


@pytest.fixture(params=["sqlite", "postgresql"])
def new_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Return a function that returns the URL of a new store each time."""
    if request.param == "postgresql":
        server: Server = request.getfixturevalue("postgres")
        return server.new
    numbers = iter(range(1_000))
    return lambda: f"sqlite:///{tmp_path}/{next(numbers)}/folder/store.db"


def test_opening_at_once(new_store: Callable[[], str], run: Run, own: Path) -> None:
    """Everyone finds one schema, one key and one chain, and everything that is written is in it."""
    stores = [new_store() for _ in range(5)]
    folders = [own / str(attempt) for attempt in range(5)]

    def write(number: int, attempt: int) -> None:
        database, folder = Database(stores[attempt]), folders[attempt]
        prepare(database)
        journal = Journal(database, SigningKey.at(folder), folder)
        put(journal, Entry(kind="decision", at=1, actor="x", name=f"{number}"))
        journal.content.put(f"#!/bin/sh\necho {number % 2}\n")
        journal.close()

    assert run(write, attempts=5) == []
    for store, folder in zip(stores, folders, strict=True):
        database = Database(store)
        proof = verify(database, KeyRing([SigningKey.at(folder).public]), folder=folder)
        assert proof.good, proof.faults
        with database.read() as connection:
            names = connection.values("SELECT name FROM interlock_records WHERE kind = 'decision'")
            keys = connection.values("SELECT key_id FROM interlock_keys")
        database.close()
        assert sorted(names) == sorted(map(str, range(len(names))))
        assert len(names) in (THREADS, PROCESSES)
        assert keys == [SigningKey.at(folder).key_id]
        assert len(list_anchors(folder)) == 1


def test_opening_gates_at_once(new_store: Callable[[], str], run: Run, own: Path) -> None:
    store = new_store()

    def decide(number: int, _attempt: int) -> None:
        with Gate(store=store) as gate:
            gate.decide(Action.shell(f"ls {number}"))

    assert run(decide) == []
    proof = verify(Database(store), KeyRing([SigningKey.at(own).public]), folder=own)
    assert proof.good, proof.faults


def test_a_new_file_is_switched_although_it_is_being_read(tmp_path: Path) -> None:
    """SQLite itself raises at once here; a connection waits until the reader is done."""
    file = tmp_path / "x.db"
    with contextlib.closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as reader:
        reader.execute("CREATE TABLE other (x)")
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM other")
        timer = threading.Timer(0.3, lambda: reader.execute("COMMIT"))
        timer.start()
        with contextlib.closing(sqlite.Sqlite(str(file)).connect()) as opened:
            assert opened.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        timer.join()


def test_a_file_that_stays_locked_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.1)
    file = tmp_path / "x.db"
    with contextlib.closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as reader:
        reader.execute("CREATE TABLE other (x)")
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM other")
        with pytest.raises(StoreError, match="locked") as found:
            prepare(Database(f"sqlite:///{file}"))
    assert found.value.again


def test_creating_a_file_does_not_release_locks_of_this_process(tmp_path: Path) -> None:
    """POSIX locks are released when any descriptor of the file is closed; other processes then write in between."""
    url = f"sqlite:///{tmp_path / 'x.db'}"
    database = Database(url)
    prepare(database)
    with database.write() as connection:
        connection.run("UPDATE interlock_head SET seq = 1")
        assert not create_file(tmp_path / "x.db")
        Database(url)

        def write(_number: int, _attempt: int) -> None:
            with Database(url).write(wait=False):
                pass

        (error,) = run_processes(write, 1)
    assert "database is locked" in error


def test_keys_created_at_once_are_one_key(own: Path, run: Run) -> None:
    def sign(number: int, attempt: int) -> None:
        folder = own / str(attempt)
        create_file(folder / f"{number}", SigningKey.at(folder).public.encode())

    assert run(sign, attempts=8) == []
    for folder in (own / str(attempt) for attempt in range(8)):
        assert {file.read_text() for file in folder.glob("[0-9]*")} == {SigningKey.at(folder).public}
        assert not list(folder.glob(".*")), "no draft is left"


def test_an_anchor_that_is_being_created_is_never_seen_empty(own: Path) -> None:
    """A verification that runs while another process first writes finds a whole anchor, or none."""
    for attempt in range(20):
        folder = own / str(attempt)
        done = threading.Event()

        def move(number: int, _attempt: int, folder: Path = folder, done: threading.Event = done) -> None:
            if number == 0:
                try:
                    for seq in range(1, 30):
                        head = Head("store", seq, f"{seq:064}", "key", "", 0, "")
                        Anchor(folder, "store", "url").move(head)
                finally:
                    done.set()
            while not done.is_set():
                for _, found in list_anchors(folder):
                    assert found is not None
                    assert found.hash == f"{found.seq:064}"

        assert run_threads(move, 3) == []
        assert Anchor(folder, "store", "url").read() == (29, f"{29:064}")


def test_entries_spooled_at_once_are_all_kept(journal: Journal, own: Path, run: Run) -> None:
    spool = Spool(own, journal.store_id, journal.key)

    def keep(number: int, _attempt: int) -> None:
        for part in range(10):
            entry = Entry(kind="decision", at=1, actor="x", name=f"{number}.{part}")
            Spool(own, journal.store_id, journal.key).append([entry])

    assert run(keep) == []
    assert spool.merge(journal) in (10 * THREADS, 10 * PROCESSES)
    assert verify(journal.database, KeyRing([journal.key.public]), folder=own).good


@contextlib.contextmanager
def idle_child() -> Iterator[None]:
    """Fork a process that does nothing until the end of the block."""
    wait, go = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(go)
        os.read(wait, 1)
        os._exit(0)
    os.close(wait)
    try:
        yield
    finally:
        os.close(go)
        os.waitpid(child, 0)


def test_a_process_forked_meanwhile_does_not_keep_a_file_locked(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with contextlib.ExitStack() as stack:
        with lock_file(file) as handle:
            os.write(handle, b"1")
            stack.enter_context(idle_child())
        done = threading.Thread(target=read_locked, args=(file,), daemon=True)
        done.start()
        done.join(timeout=60)
        assert not done.is_alive()

"""How fast a decision is recorded: beside a bare insert into SQLite with the same flush, measured in the same run."""

from __future__ import annotations

import os
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from interlock import Action
from interlock.audit.chain import Transaction
from interlock.audit.keys import KeyRing
from interlock.audit.read import RecordFilter, read_page
from interlock.audit.record import Entry
from interlock.audit.verify import verify
from interlock.gate import Gate

WHERE = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}
ACTION = Action.shell("git diff --stat HEAD~1", **WHERE)
CALLERS = 32
ROUNDS = 5
Row = Callable[..., None]


@contextmanager
def gate() -> Iterator[tuple[Gate, Path]]:
    """Give a gate on a store of its own, on the disk that this project stands on."""
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as folder:
        os.environ["INTERLOCK_HOME"] = folder
        with Gate(store=f"sqlite:///{folder}/store.db") as opened:
            yield opened, Path(folder)


def bare(file: Path, count: int) -> float:
    """Return how long one insert takes, each with a flush of its own, in microseconds."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS t (seq INTEGER PRIMARY KEY, body TEXT)")
    body = "x" * 500
    start = time.perf_counter()
    for _ in range(count):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO t (body) VALUES (?)", (body,))
        connection.execute("COMMIT")
    taken = time.perf_counter() - start
    connection.close()
    return taken / count * 1_000_000


def callers(opened: Gate, number: int, each: int) -> float:
    """Return how long one recorded decision takes when so many call at once, in microseconds."""

    def call() -> None:
        for _ in range(each):
            opened.check(ACTION)

    threads = [threading.Thread(target=call) for _ in range(number)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return (time.perf_counter() - start) / (number * each) * 1_000_000


def recording(row: Row) -> None:
    print("\n  a recorded decision on SQLite, flushed to the disk before it is answered")
    with gate() as (opened, folder):
        opened.check(ACTION)
        callers(opened, CALLERS, 5)
        found = [
            (bare(folder / "bare.db", 200), callers(opened, 1, 100), callers(opened, CALLERS, 30))
            for _ in range(ROUNDS)
        ]
    alone, one, many = (statistics.median(column) for column in zip(*found, strict=True))
    row("a bare insert, one caller", alone, "µs")
    row("Gate.check, one caller", one, "µs", f"{one / alone:.2f} × a bare insert")
    ratio = statistics.median(many / alone for alone, _, many in found)
    row(f"Gate.check, {CALLERS} callers", many, "µs", f"{ratio:.2f} × a bare insert", "goal 1.5 ×")


def reading(row: Row) -> None:
    print("\n  reading a run page by page")
    with gate() as (opened, _):
        numbers = {}
        for count in (1_000, 10_000):
            entries = [
                Entry(kind="decision", at=n, actor="x", run_id=f"run-{count}", name="Bash") for n in range(count)
            ]
            opened.journal.commit(_appending(entries))
            numbers[count] = opened.journal.last_seq
        for count, last in numbers.items():
            wanted = RecordFilter(run_id=f"run-{count}")
            for where, after in (("first", 0), ("last", last - 101)):
                taken = min(_timed(opened, wanted, after) for _ in range(20))
                row(f"{where} 100 of {count:,} actions", taken, "µs")


def _appending(entries: list[Entry]) -> Callable[[Transaction], None]:
    def operation(transaction: Transaction) -> None:
        for entry in entries:
            transaction.append(entry)

    return operation


def _timed(opened: Gate, wanted: RecordFilter, after: int) -> float:
    start = time.perf_counter()
    found = read_page(opened.journal.database, wanted, after=after, limit=100)
    assert len(found) == 100
    return (time.perf_counter() - start) * 1_000_000


def proving(row: Row) -> None:
    print("\n  proving the chain")
    with gate() as (opened, folder):
        for _ in range(100):
            entries = [Entry(kind="decision", at=1, actor="x", data={"text": "ls" * 100}) for _ in range(1_000)]
            opened.journal.commit(_appending(entries))
        start = time.perf_counter()
        proof = verify(opened.journal.database, KeyRing([opened.journal.key.public]), folder=folder)
        taken = time.perf_counter() - start
        assert proof.good
        row(f"{proof.records:,} records", taken * 1_000, "ms", f"{taken / proof.records * 1e6:.1f} s for a million")

"""Writes in the thread of an event loop: none is lost, each fails alone, and no store blocks the loop."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.keys import KeyRing
from interlock.audit.pending_write import Operation, ReservedWrite
from interlock.audit.record import Entry
from interlock.audit.verify import verify
from interlock.store.database import Database


def append(transaction: Transaction) -> tuple[int, int]:
    """Append a record; return its number, and the thread that did so."""
    return transaction.append(Entry(kind="decision", at=1, actor="x")).seq, threading.get_ident()


def refuse(transaction: Transaction) -> tuple[int, int]:
    transaction.append(Entry(kind="decision", at=1, actor="x"))
    raise ValueError("no")


async def write_all(journal: Journal, *operations: Operation[Any]) -> list[Any]:
    places: list[ReservedWrite[Any]] = [ReservedWrite() for _ in operations]
    for place, operation in zip(places, operations, strict=True):
        place.operation = operation
    journal.write_now(places)
    return await asyncio.gather(*(journal.wait_for(place) for place in places), return_exceptions=True)


def good(journal: Journal, own: Path) -> bool:
    return verify(journal.database, KeyRing([journal.key.public]), folder=own).good


def test_writes_share_a_transaction_and_fail_alone(journal: Journal, own: Path) -> None:
    first, failed, last = asyncio.run(write_all(journal, append, refuse, append))
    assert isinstance(failed, ValueError)
    assert last[0] == first[0] + 1, "what the one that failed had appended is not there"
    here = threading.get_ident()
    assert (first[1] == here) is journal.database.is_sqlite, "a server is written to by the thread"
    assert good(journal, own)


def test_threads_and_event_loops_write_concurrently(journal: Journal, own: Path) -> None:
    numbers: list[int] = []

    def thread() -> None:
        numbers.extend(journal.commit(append)[0] for _ in range(25))

    async def loop() -> None:
        for _ in range(25):
            numbers.extend(found[0] for found in await write_all(journal, append, append))

    threads = [threading.Thread(target=thread) for _ in range(3)]
    for one in threads:
        one.start()
    asyncio.run(loop())
    for one in threads:
        one.join(60)
    assert len(numbers) == len(set(numbers)) == 125
    assert good(journal, own)


def held_by_thread(journal: Journal, leave: threading.Event) -> Callable[[], None]:
    entered = threading.Event()

    def hold(transaction: Transaction) -> None:
        entered.set()
        assert leave.wait(60)

    thread = threading.Thread(target=journal.commit, args=(hold,))
    thread.start()
    assert entered.wait(60)
    return thread.join


def held_by_another(journal: Journal, leave: threading.Event) -> Callable[[], None]:
    entered = threading.Event()
    other = Database(journal.database.shown)

    def hold() -> None:
        with other.write() as connection:
            connection.run("UPDATE interlock_head SET id = id")
            entered.set()
            assert leave.wait(60)
        other.close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert entered.wait(60)
    return thread.join


@pytest.mark.parametrize("held", [held_by_thread, held_by_another])
def test_an_event_loop_runs_on_while_the_store_is_locked(journal: Journal, own: Path, held: Any) -> None:
    journal.commit(append)
    leave = threading.Event()
    ended = held(journal, leave)

    async def go_on() -> list[Any]:
        writing = asyncio.create_task(write_all(journal, append, append))
        for _ in range(20):  # the loop lives while that waits
            await asyncio.sleep(0.005)
        assert not writing.done()
        leave.set()
        return await writing

    try:
        found = asyncio.run(go_on())
    finally:
        leave.set()
        ended()
    assert [one[0] for one in found] == [3, 4]
    assert {one[1] for one in found} != {threading.get_ident()}, "it was handed over"
    assert good(journal, own)


def test_a_slow_store_is_left_to_the_thread_for_a_while(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interlock.audit.journal.SLOW_SECONDS", 0.05)

    def slow(transaction: Transaction) -> tuple[int, int]:
        time.sleep(0.1)
        return append(transaction)

    async def several() -> list[bool]:
        await write_all(journal, slow)
        [(_, after)] = await write_all(journal, append)
        journal._slow_until = 0.0
        [(_, later)] = await write_all(journal, append)
        return [by == threading.get_ident() for by in (after, later)]

    journal.commit(append)
    assert asyncio.run(several()) == [False, journal.database.is_sqlite]

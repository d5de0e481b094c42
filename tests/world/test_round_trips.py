"""How often a PostgreSQL is asked, and that what is read ahead or sent late is what it would have been otherwise."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from interlock import Action, Gate
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.keys import KeyRing
from interlock.audit.pending_write import Concurrent, ThreadWrite
from interlock.audit.record import Entry
from interlock.audit.runs import OPEN, Run, find_run, run_queries, start_run
from interlock.audit.verify import verify
from interlock.errors import StoreError, TamperedError
from interlock.store.clock import now
from interlock.store.connection import Connection
from interlock.store.tables import runs
from tests.world.postgres import Server

PATIENCE = 60.0


@pytest.fixture
def gate(postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    monkeypatch.setenv("INTERLOCK_HOME", str(tmp_path))
    with Gate(store=postgres.prepared()) as found:
        found.check(Action.shell("ls"))
        yield found


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is sent to the database from now on, one entry for each round trip."""
    found: list[str] = []
    send, commit = Connection._send, Connection.commit

    def sent(connection: Connection, work: Callable[[], Any], *, together: bool = False) -> Any:
        if not connection._is_sending:
            found.append("statements")
        return send(connection, work, together=together)

    def committed(connection: Connection) -> None:
        found.append("commit")
        commit(connection)

    monkeypatch.setattr(Connection, "_send", sent)
    monkeypatch.setattr(Connection, "commit", committed)
    return found


def new_run(name: str) -> Run:
    return Run(run_id=name, agent_id=None, started_by="ann", workspace=None, state=OPEN, started_at=now().wall)


def starting(name: str) -> Concurrent[Run]:
    return Concurrent(lambda transaction: start_run(transaction, new_run(name)), name, reads=run_queries(name))


def commit_together(journal: Journal, *operations: Concurrent[Any]) -> list[ThreadWrite[Any]]:
    """Run operations in one batch, as the thread that writes does."""
    writes: list[ThreadWrite[Any]] = [ThreadWrite(one) for one in operations]
    journal._run_batch(writes, wait=True)
    return writes


def test_decisions_that_begin_runs_take_three_round_trips(gate: Gate, trips: list[str]) -> None:
    writes = commit_together(gate.journal, *(starting(f"run-{number}") for number in range(5)))
    assert trips == ["statements", "statements", "commit"]
    assert [write.result().run_id for write in writes] == [f"run-{number}" for number in range(5)]
    assert verify(gate.journal.database, KeyRing([gate.journal.key.public])).good


def test_an_operation_sees_what_an_earlier_one_of_its_batch_has_written(gate: Gate) -> None:
    found: list[Run | None] = []

    def look(transaction: Transaction) -> None:
        found.append(find_run(transaction.connection, "run"))

    commit_together(gate.journal, starting("run"), Concurrent(look, "run", reads=run_queries("run")))
    assert [run and run.run_id for run in found] == ["run"]


def test_a_row_that_was_changed_outside_is_noticed_when_it_is_read_ahead(gate: Gate) -> None:
    commit_together(gate.journal, starting("run"))
    with gate.journal.database.write() as connection:
        connection.update(runs, {"run_id": "run"}, started_by="eve")
    (write,) = commit_together(gate.journal, starting("run"))
    with pytest.raises(TamperedError):
        write.result()


def test_a_value_that_the_database_rejects_fails_its_own_operation_alone(gate: Gate) -> None:
    def insert_twice(transaction: Transaction) -> None:
        row = {"run_id": "good", "started_by": "eve", "state": OPEN, "started_at": 1, "seq": 1}
        transaction.write(runs, row, {"run_id": "good"}, new=True)

    commit_together(gate.journal, starting("good"))
    bad, other = commit_together(gate.journal, Concurrent(insert_twice, "good"), starting("other"))
    with pytest.raises((StoreError, psycopg.IntegrityError)):
        bad.result()
    assert other.result().run_id == "other"
    with gate.journal.database.read() as connection:
        assert find_run(connection, "other") is not None


@pytest.mark.parametrize("alone", [True, False])
def test_nobody_waits_for_what_is_derived(gate: Gate, *, alone: bool) -> None:
    begun, end = threading.Event(), threading.Event()

    def derive(connection: Connection) -> None:
        begun.set()
        assert end.wait(PATIENCE)

    work = threading.Thread(target=gate.journal.derive, args=("counts", derive), daemon=True)
    work.start()
    assert begun.wait(PATIENCE)
    entry = Entry(kind="event", at=now().wall, actor="ann", name="tool.completed")
    if alone:
        gate.journal.commit(lambda transaction: transaction.append(entry))
    else:
        gate.decide(Action.shell("ls -l"))
    end.set()
    work.join(PATIENCE)
    assert not work.is_alive()


def test_what_was_derived_is_reset_only_while_nothing_is_derived(gate: Gate) -> None:
    begun, end, order = threading.Event(), threading.Event(), list[str]()

    def derive(connection: Connection) -> None:
        begun.set()
        assert end.wait(PATIENCE)
        order.append("derived")

    work = threading.Thread(target=gate.journal.derive, args=("counts", derive), daemon=True)
    reset = threading.Thread(
        target=gate.journal.reset_derived, args=(lambda _transaction: order.append("reset"),), daemon=True
    )
    work.start()
    assert begun.wait(PATIENCE)
    reset.start()
    reset.join(0.3)  # it may not have begun by then; if it does not wait at all, it is too early in most runs
    end.set()
    for thread in (work, reset):
        thread.join(PATIENCE)
    assert order == ["derived", "reset"]

"""What is derived from the chain is written beside decisions: none of it needs a PostgreSQL store alone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from interlock import Action, Gate
from interlock.audit.concurrent_transaction import share_store
from interlock.audit.journal import Journal
from interlock.learning.usage import count_new_usage
from interlock.metrics.action_index import index_new_actions
from interlock.metrics.counters import count_new_records
from tests.world.postgres import Server


@pytest.mark.parametrize("derive", [count_new_records, index_new_actions, count_new_usage])
def test_it_does_not_wait_for_a_transaction_that_records_a_decision(
    derive: Callable[[Journal], int], postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERLOCK_HOME", str(tmp_path))
    with Gate(store=postgres.prepared()) as gate:
        gate.check(Action.shell("ls"))
        journal = gate.journal
        work = threading.Thread(target=derive, args=(journal,), daemon=True)
        with journal.database.write() as connection:
            share_store(connection, journal.store_id, "a decision")
            work.start()
            work.join(30)
            assert not work.is_alive(), "it waits for the end of the transaction"

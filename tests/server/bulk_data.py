"""Create very many requests at once, and watch the statements that a database executes."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import pytest

from interlock.approval.request import Approval
from interlock.approval.transitions import open_request
from interlock.audit.chain import Transaction
from interlock.audit.digest import action_digest
from interlock.audit.runs import OPEN, Run, start_run
from interlock.engine import Engine
from interlock.gate.decision_record import DecisionRecord
from interlock.store.clock import MICROSECONDS, now
from interlock.store.connection import Connection
from interlock.store.sqlite import Sqlite
from tests.server.live_server import Running
from tests.world.requests import PUSH


def many_pending(running: Running, count: int, *, seconds_ago: int = 0) -> list[Approval]:
    """Open approval requests as the gate does, a thousand in a transaction; each expires after five minutes."""
    gate, decision = running.service.gate, Engine().decide(PUSH)
    assert decision.needs is not None
    at = now()
    at = at._replace(wall=at.wall - seconds_ago * MICROSECONDS, ticks=at.ticks - seconds_ago * MICROSECONDS)
    run = Run(run_id="many", agent_id="bot", started_by="zoe", workspace=None, state=OPEN, started_at=at.wall)
    digest = action_digest(gate.journal.store_id, PUSH)
    first = DecisionRecord(msgspec.structs.replace(PUSH, agent_id="bot"), decision, digest, run).approval_request(
        decision.needs, at, 300, gate.approvals.rules
    )
    opened = [msgspec.structs.replace(first, approval_id=f"{number:032x}") for number in range(count)]

    def open_some(transaction: Transaction, start: int) -> None:
        start_run(transaction, run)
        for number, approval in enumerate(opened[start : start + 1_000], start):
            open_request(transaction, approval, at._replace(wall=at.wall + number))

    for start in range(0, count, 1_000):
        gate.journal.commit(functools.partial(open_some, start=start))
    return opened


class Watch:
    """Records the statements that the database of a server executes, and none of servers that are still stopping."""

    def __init__(self, running: Running) -> None:
        self.statements: list[tuple[str, Any]] = []
        self.transactions = 0  # how many write transactions were begun
        self._database = running.service.journal.database
        self._patches = pytest.MonkeyPatch()

    def __enter__(self) -> Watch:
        execute, begin = Connection._execute, Sqlite.begin

        def executed(connection: Connection, statement: str, given: Any) -> Any:
            if connection._driver is self._database._driver:
                self.statements.append((statement, given))
            return execute(connection, statement, given)

        def begun(driver: Sqlite, raw: Any, statements: Sequence[str], *, wait: bool) -> bool:
            self.transactions += driver is self._database._driver and statements == driver.begin_write
            return begin(driver, raw, statements, wait=wait)

        self._patches.setattr(Connection, "_execute", executed)
        self._patches.setattr(Sqlite, "begin", begun)
        return self

    def __exit__(self, *_: object) -> None:
        self._patches.undo()

    def plans(self, table: str = "interlock_approvals") -> Iterator[str]:
        """Yield the query plan of each statement that reads a table, by default that of approval requests."""
        for statement, given in list(self.statements):
            if statement.lstrip().startswith("SELECT") and f"FROM {table}" in statement:
                with self._database.read() as connection:
                    for row in connection.tuples(f"EXPLAIN QUERY PLAN {statement}", **given):
                        yield str(row[-1])

"""PostgreSQL restarts while a server answers: calls wait for it, and everything that was answered is recorded once."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from interlock.audit.keys import KeyRing
from interlock.audit.read import RecordFilter, read_all
from interlock.audit.verify import verify
from interlock.gate import Gate
from tests.server.client import Client, Reply
from tests.server.live_server import Running, ended, start, until
from tests.world.postgres import Server

RESTARTS = 3


@pytest.fixture
def own_postgres() -> Iterator[Server]:
    """A server that no other test uses, so that it can be restarted."""
    with TemporaryDirectory(prefix="interlock-pg-") as folder:
        server = Server(Path(folder), own=True)
        yield server
        server.stop()


class Load:
    """Callers that go on until told to stop, each with one kind of call."""

    def __init__(self, agent: Client, reviewer: Client) -> None:
        self._agent, self._reviewer = agent, reviewer
        self._stop = threading.Event()
        self.failed: list[Reply] = []
        self.decided: list[str] = []
        self.reported: list[str] = []
        self.made: Counter[str] = Counter()
        self._threads = [threading.Thread(target=self._run, args=(call,), daemon=True) for call in self._calls]

    @property
    def _calls(self) -> list[str]:
        return ["decide", "decide_in_new_run", "report", "read"]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        ended(*self._threads)

    def wait_for_more(self) -> None:
        """Wait until each kind of call was made twice again: the second one began after this."""
        before = self.made.copy()
        until(lambda: all(self.made[call] >= before[call] + 2 for call in self._calls))

    def _run(self, call: str) -> None:
        for number in itertools.count():
            if self._stop.is_set():
                return
            reply = getattr(self, f"_{call}")(f"{call}-{number}")
            if reply.status != 200:
                self.failed.append(reply)
            self.made[call] += 1

    def _decide(self, name: str, run: str = "run") -> Reply:
        action = {"toolName": "Bash", "inputPayload": {"command": f"ls {name}"}, "runId": run}
        reply = self._agent.post("/v1/evaluate", action)
        if reply.status == 200:
            self.decided.append(f"ls {name}")
        return reply

    def _decide_in_new_run(self, name: str) -> Reply:
        return self._decide(name, run=name)

    def _report(self, name: str) -> Reply:
        event = {"eventId": name, "type": "tool.completed", "runId": "reports", "summary": name}
        reply = self._agent.post("/v1/events", event)
        if reply.status == 200:
            self.reported.append(name)
        return reply

    def _read(self, _name: str) -> Reply:
        return self._reviewer.get("/v1/runs", limit=2)


def test_calls_wait_while_postgresql_restarts(own_postgres: Server) -> None:
    running, stop = start(Gate(store=own_postgres.new()))
    try:
        load = Load(running.agent(), running.reviewer())
        load.start()
        load.wait_for_more()
        for _ in range(RESTARTS):
            own_postgres.restart()
            load.wait_for_more()
        load.stop()
        assert not load.failed
        assert_recorded_once(running, load)
    finally:
        ended(stop())


def assert_recorded_once(running: Running, load: Load) -> None:
    """Check that every answered call is in the chain, none of them twice, and that the chain is whole."""
    journal = running.service.journal
    decisions = Counter(line.record.data["text"] for line in read_all(journal.database, RecordFilter(kind="decision")))
    events = Counter(line.record.data["text"] for line in read_all(journal.database, RecordFilter(kind="event")))
    assert {text: decisions[text] for text in load.decided} == dict.fromkeys(load.decided, 1)
    assert {text: events[text] for text in load.reported} == dict.fromkeys(load.reported, 1)
    proof = verify(journal.database, KeyRing([journal.key.public]))
    assert proof.good, proof.faults

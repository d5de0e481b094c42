"""The server's event loop waits for no store: it answers others while an action cannot be recorded."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from interlock.audit.journal import Journal
from tests.loop_watch import watch_loops
from tests.server.conftest import Serve
from tests.server.live_server import ASKS, SAFE


def test_the_server_answers_others_while_an_action_waits_for_the_store(serve: Serve) -> None:
    running = serve()
    agent = running.agent()
    agent.post("/v1/evaluate", SAFE).ok()
    answered: list[Any] = []
    waiting = threading.Thread(target=lambda: answered.append(agent.post("/v1/evaluate", SAFE).ok()))
    with running.service.journal.database.write():  # holds the lock that recording needs
        waiting.start()
        for _ in range(20):
            running.nobody.get("/healthz").ok()
        assert not answered
    waiting.join(60)
    assert [one["verdict"] for one in answered] == ["allow"]


def test_deciding_never_blocks_the_loop(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing in the loop's own thread, which ends after a few milliseconds, is left out here."""

    def hand_over(_self: Journal, writes: Sequence[Any]) -> Sequence[Any]:
        return writes

    monkeypatch.setattr(Journal, "_write_here", hand_over)
    running = serve()
    agent = running.agent()
    long = {"toolName": "Bash", "inputPayload": {"command": "ls " + "a " * 2_000}}
    with watch_loops():
        for action in (SAFE, ASKS, long, {"toolName": "wire_transfer", "inputPayload": {"amount": 5}}):
            agent.post("/v1/evaluate", {**action, "runId": "r1"}).ok()
            agent.post("/v1/evaluate", action).ok()
        agent.post("/v1/events", {"eventId": "e1", "type": "tool.completed", "runId": "r1"}).ok()
        agent.get("/v1/runs/r1").ok()

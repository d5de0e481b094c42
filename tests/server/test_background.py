"""Background work: a model is asked once, streams end when access is revoked, spools are merged."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from interlock.access.roles import Role
from interlock.audit.read import RecordFilter, read_all
from tests.model_server import Asked, Wire, running
from tests.server.client import Client
from tests.server.conftest import Serve
from tests.server.live_server import ASKS, SAFE, Running, bearer
from tests.world.test_gate import broken, mended


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something holds; a busy machine may take its time."""
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.02)


def test_an_agent_that_asks_again_and_again_does_not_have_the_model_asked_each_time(serve: Serve) -> None:
    answer = threading.Event()

    def slowly(wire: Wire, asked: Asked) -> None:
        answer.wait(30)
        wire.send(asked.message(asked.answer("approve", "fine")))

    with running() as endpoint:
        endpoint.script = slowly
        reviewer = f'[reviewer]\nname = "local"\nprotocol = "openai"\nendpoint = "{endpoint.url}"\nmodel = "m"\n'
        server = serve(configured=f"{reviewer}[approvals]\none_person = false\n")
        agent, bob = server.agent("ann"), server.reviewer("bob")
        first = agent.post("/v1/evaluate", ASKS).ok()["approval"]["approvalId"]
        for _ in range(12):
            assert agent.post("/v1/evaluate", ASKS).ok()["approval"]["approvalId"] == first
        assert bob.get("/v1/runs").status == 200, "pages do not wait for the model"
        answer.set()
        eventually(lambda: any(one["model"] for one in bob.get(f"/v1/approvals/{first}").ok()["answers"]))
        assert len(endpoint.seen) == 1


def ends(caller: Client, shut: Callable[[], Any]) -> None:
    """See that a stream is over once its reader may not see it any more."""
    with caller.begun("GET", "/v1/events/stream", timeout=30) as response:
        assert response.readline().startswith(b"retry")
        shut()
        while response.readline():
            pass  # until the server ends it; a stream that goes on runs into the time limit


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interlock.server.api.stream.HEARTBEAT_SECONDS", 0.1)


@pytest.mark.usefixtures("often")
def test_a_stream_ends_with_the_key_it_was_opened_with(alone: Running) -> None:
    keys = alone.service.authenticator.keys
    key, secret = keys.create("screens", Role.REVIEWER, owner="bob", actor="test")
    ends(bearer(alone.port, secret), lambda: keys.revoke(key.key_id, "test"))


@pytest.mark.usefixtures("often")
def test_a_stream_ends_with_the_session_it_was_opened_in(alone: Running) -> None:
    person = alone.signed_in("rita", Role.REVIEWER)
    ends(person, lambda: alone.service.authenticator.people.change("rita", "test", state="shut out"))


def test_spooled_records_are_merged_once_the_store_is_back(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interlock.audit.spool.BACKOFF_SECONDS", 0.0)
    server = serve(configured='[audit]\nunwritable = "spool"\n')
    agent = server.agent("ann")
    agent.post("/v1/evaluate", SAFE).ok()
    gate = server.service.gate
    broken(gate)
    assert agent.post("/v1/evaluate", SAFE).ok()["allowed"]
    mended(gate)
    decided = RecordFilter(kind="decision")
    eventually(lambda: len(list(read_all(gate.journal.database, decided))) == 2)

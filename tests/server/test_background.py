"""Background work: a model is asked once, streams end when access is revoked, spools are merged."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from interlock.access.roles import Role
from interlock.audit.read import RecordFilter, read_all
from interlock.policy.pins import Pins
from tests.model_server import Asked, Wire, running
from tests.server.client import Client
from tests.server.conftest import Serve
from tests.server.live_server import ASKS, SAFE, Running, bearer
from tests.world.test_gate import broken, mended
from tests.world.test_second_stage import judging, settings


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


def test_a_person_overrides_a_model_once(serve: Serve) -> None:
    with running() as endpoint:
        endpoint.script = judging("high", "none")
        server = serve(configured=settings(endpoint).replace("one_person = true", "one_person = false"))
        agent = server.key(Role.AGENT, "ann", pins=Pins(trusted=True))  # whose reports on the person's words count
        bob = server.reviewer("bob")
        agent.post("/v1/runs", {"runId": "r1"}).ok(201)
        agent.post("/v1/runs/r1/requests", {"text": "tidy up my branch"}).ok(201)
        refused = agent.post("/v1/evaluate", {**ASKS, "runId": "r1"}).ok()["approval"]["approvalId"]
        eventually(lambda: bob.get(f"/v1/approvals/{refused}").ok()["state"] == "rejected")
        page = server.signed_in("rita", Role.REVIEWER).get(f"/approvals/{refused}")
        assert "Override the model" in page.body.decode()
        assert agent.post(f"/v1/approvals/{refused}/override").status == 403
        opened = bob.post(f"/v1/approvals/{refused}/override").ok()
        assert opened["state"] == "pending"
        assert opened["approvalId"] != refused
        again = bob.post(f"/v1/approvals/{refused}/override")
        assert again.status == 422
        assert "overridden once already" in again.detail


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

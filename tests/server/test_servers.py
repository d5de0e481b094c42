"""Several servers on one store, and servers that stop: answers count everywhere and are not lost."""

from __future__ import annotations

import contextlib
import http.client
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from interlock.access.roles import Role
from interlock.audit.keys import SigningKey
from interlock.gate import Gate
from tests.server.client import Client, events
from tests.server.conftest import OTHERS_ANSWER, Serve
from tests.server.live_server import ASKS, SAFE, Running, served, until
from tests.server.payloads import at, beside, event_of, is_waited_for, pending, policy
from tests.world.postgres import Server

ROOT = Path(__file__).parents[2]


# two servers, one store


@pytest.fixture
def pair(
    serve: Serve, postgres: Server, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Running, Running]:
    """Two servers on one PostgreSQL, each with a folder and a signing key of its own, and told of the other's."""
    store, elsewhere = postgres.new(), tmp_path / "elsewhere"
    keys = [SigningKey.at(folder).public for folder in (own, elsewhere)]
    for folder in (own, elsewhere):
        (folder / "interlock.toml").write_text(f"{OTHERS_ANSWER}[audit]\nkeys = {json.dumps(keys)}\n")
    first = serve(store)
    monkeypatch.setenv("INTERLOCK_HOME", str(elsewhere))
    return first, serve(store)


def test_an_answer_at_one_server_returns_the_call_that_waits_at_the_other(pair: tuple[Running, Running]) -> None:
    here, there = pair
    agent, reviewer = here.agent("ann"), here.reviewer("bob")
    returned = beside(lambda: agent.post("/v1/evaluate?wait=60", ASKS))
    approval_id = until(lambda: pending(reviewer))
    until(lambda: is_waited_for(here, approval_id))
    there.approve(at(there, reviewer), approval_id).ok()
    found = returned().ok()
    assert (found["allowed"], found["approval"]["state"]) == (True, "approved")


def test_a_no_at_one_server_returns_the_call_that_waits_at_the_other(pair: tuple[Running, Running]) -> None:
    here, there = pair
    agent, reviewer = here.agent("ann"), here.reviewer("bob")
    approval_id = here.asked(agent)["approval"]["approvalId"]
    returned = beside(lambda: agent.get(f"/v1/approvals/{approval_id}", wait=60))
    until(lambda: is_waited_for(here, approval_id))
    at(there, reviewer).post(f"/v1/approvals/{approval_id}/reject", {"reason": "no"}).ok()
    assert returned().ok()["why"] == "rejected by `bob`: no"


def test_an_approval_counts_once_at_all_servers_together(pair: tuple[Running, Running]) -> None:
    here, there = pair
    agent, reviewer = here.agent("ann"), here.reviewer("bob")
    action = {**ASKS, "runId": "r"}
    approval_id = here.asked(agent, action)["approval"]["approvalId"]
    here.approve(reviewer, approval_id).ok()
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(at(one, agent).post, "/v1/evaluate", action) for one in (here, there) * 4]
        allowed = [call.result().ok()["allowed"] for call in calls]
    assert sorted(allowed) == [False] * 7 + [True]


def test_sessions_tickets_and_forms_of_one_server_count_at_the_other(pair: tuple[Running, Running]) -> None:
    here, there = pair
    browser = here.signed_in("rita", Role.REVIEWER)
    approval_id = here.asked(here.agent("ann"))["approval"]["approvalId"]
    ticket = browser.get(f"/v1/approvals/{approval_id}").ok()["challenge"]["ticket"]
    given = {"ticket": ticket, "answers": here.answers(approval_id)}
    reply = at(there, browser).post(f"/v1/approvals/{approval_id}/approve", given)
    assert reply.ok()["state"] == "approved"


def test_events_and_figures_are_the_same_at_both(pair: tuple[Running, Running]) -> None:
    here, there = pair
    agent, reviewer = here.agent("ann"), here.reviewer("bob")
    for one in (here, there):
        at(one, agent).post("/v1/evaluate", {**SAFE, "runId": "r"}).ok()
        assert at(one, agent).post("/v1/events", event_of("e")).ok()["duplicate"] is (one is there)
    for one in (here, there):
        assert at(one, reviewer).get("/v1/metrics/risk").ok()["actions"] == 2
        assert at(one, reviewer).get("/v1/audit/verify").ok()["faults"] == [], "each knows the key of the other"
        assert at(one, reviewer).get("/v1/runs/r").ok()["actions"] == 2


def test_a_stream_at_one_server_shows_records_of_another(pair: tuple[Running, Running]) -> None:
    here, there = pair
    agent, reviewer = here.agent("ann"), here.reviewer("bob")
    with at(there, reviewer).begun("GET", "/v1/events/stream?kind=decision") as response:
        stream = events(response)
        until(there.is_followed)
        agent.post("/v1/evaluate", SAFE).ok()
        assert next(stream).data["name"] == "Bash"


def test_a_policy_that_is_written_at_one_server_counts_at_the_other(pair: tuple[Running, Running]) -> None:
    here, there = pair
    agent, admin = here.agent("ann"), here.admin("eve")
    action = {"toolName": "tool", "runId": "r"}
    assert at(there, agent).post("/v1/evaluate", action).ok()["verdict"] == "allow"
    admin.post("/v1/policies", policy("block")).ok(201)
    until(lambda: at(there, agent).post("/v1/evaluate", action).ok()["verdict"] == "block")
    admin.post("/v1/policies/mine/disable").ok()
    until(lambda: at(there, agent).post("/v1/evaluate", action).ok()["verdict"] == "allow")
    assert at(there, admin).get("/v1/policies/mine").ok()["version"] == 2


def test_a_policy_that_is_written_at_one_server_counts_for_the_very_next_action_at_the_other(
    pair: tuple[Running, Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("interlock.gate.configuration.LOOK_SECONDS", 1.0)  # on a machine that is quicker than the 20 ms
    here, there = pair
    agent, admin = here.agent("ann"), here.admin("eve")
    action = {"toolName": "tool", "runId": "r"}
    at(there, agent).post("/v1/evaluate", action).ok()
    admin.post("/v1/policies", policy("block")).ok(201)
    assert at(there, agent).post("/v1/evaluate", action).ok()["verdict"] == "block"


# stopping and starting


def test_requests_that_wait_go_on_waiting_after_a_restart(serve: Serve, store: str) -> None:
    with served(Gate(store=store)) as before:
        agent, reviewer = before.agent("ann"), before.reviewer("bob")
        before.admin("eve").post("/v1/policies", policy("require_approval", approval={"timeoutSeconds": 1})).ok(201)
        short = before.asked(agent, {"toolName": "tool"})["approval"]["approvalId"]
        long = before.asked(agent, {**ASKS, "runId": "r"})["approval"]["approvalId"]
        ticket = reviewer.get(f"/v1/approvals/{long}").ok()["challenge"]["ticket"]
    after = serve(store)
    agent, reviewer = at(after, agent), at(after, reviewer)
    assert reviewer.get(f"/v1/approvals/{short}", wait=30).ok()["state"] == "expired"
    assert reviewer.post(f"/v1/approvals/{short}/approve", {}).status == 409
    told = reviewer.get("/v1/audit", approvalId=short).ok()["items"]
    assert (told[0]["kind"], told[0]["data"]["why"]) == ("approval.expired", "no answer in time")
    assert reviewer.get(f"/v1/approvals/{long}").ok()["state"] == "pending"
    assert after.asked(agent, {**ASKS, "runId": "r"})["approval"]["approvalId"] == long
    given = {"ticket": ticket, "answers": after.answers(long)}
    assert reviewer.post(f"/v1/approvals/{long}/approve", given).ok()["state"] == "approved"
    assert agent.post("/v1/evaluate", {**ASKS, "runId": "r"}).ok()["by"] == "approval"


def test_a_server_that_is_killed_loses_nothing_that_it_has_answered(serve: Serve, store: str) -> None:
    words = [sys.executable, "-W", "ignore", "-m", "tests.server.server_process", store]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT) as program:
        try:
            assert program.stdout is not None
            told = json.loads(program.stdout.readline())
            agent, reviewer = Client(told["port"], told["agent"]), Client(told["port"], told["reviewer"])
            approval_id = agent.post("/v1/evaluate", {**ASKS, "runId": "r"}).ok()["approval"]["approvalId"]
            answered: list[str] = []

            def ask_until_it_is_gone() -> None:
                with contextlib.suppress(OSError, http.client.HTTPException):
                    while True:
                        answered.append(agent.post("/v1/evaluate", SAFE).ok()["decisionId"])

            with ThreadPoolExecutor(5) as pool:
                waiting = pool.submit(reviewer.get, f"/v1/approvals/{approval_id}", wait=60)
                asking = [pool.submit(ask_until_it_is_gone) for _ in range(4)]
                until(lambda: len(answered) > 40)
                program.kill()
                for one in asking:
                    one.result()
                with pytest.raises((OSError, http.client.HTTPException)):
                    waiting.result()
        finally:
            program.kill()
    after = serve(store)
    agent, reviewer = at(after, agent), at(after, reviewer)
    kept = [item["recordId"] for page in reviewer.pages("/v1/audit", kind="decision", limit=500) for item in page]
    assert set(answered) <= set(kept)
    assert len(kept) == len(set(kept))
    assert reviewer.get("/v1/audit/verify").ok()["faults"] == []
    assert reviewer.get(f"/v1/approvals/{approval_id}").ok()["state"] == "pending"
    after.approve(reviewer, approval_id).ok()
    assert agent.post("/v1/evaluate", {**ASKS, "runId": "r"}).ok()["by"] == "approval"
    assert reviewer.get("/v1/metrics/risk").ok()["actions"] == len(kept) + 1

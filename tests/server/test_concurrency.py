"""Concurrent requests: runs keep their state, and slow callers do not block others."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from interlock import Action
from interlock.access.roles import Caller, Role
from interlock.analyse.files.paths import Places
from interlock.audit.journal import Journal
from interlock.audit.pending_write import ReservedWrite
from interlock.audit.read import RecordFilter, read_page
from interlock.audit.run_state import SNAPSHOT_EVERY
from interlock.config.settings import ServerSettings
from interlock.errors import StoreError
from interlock.gate import Gate
from interlock.metrics.counters import count_new_records
from interlock.metrics.derivation import count_left
from interlock.policies.repository import parse_policy
from interlock.policy.policies import Policy
from interlock.sanitise import plain
from interlock.server.middleware import _apply_proxy_headers
from interlock.server.service import Service
from tests.server.live_server import ASKS, SAFE, Running, until

BOT = Caller(name="ann", role=Role.AGENT, agent="bot", key_id="k")


@pytest.fixture
def service(own: Path, tmp_path: Path) -> Any:
    with Gate(store=f"sqlite:///{tmp_path / 'store.db'}") as gate:
        yield Service(gate, ServerSettings(rate=0), url="http://127.0.0.1:8700")


def test_the_first_actions_of_a_run_share_its_state(service: Service) -> None:
    """What one of them fetches is known when the next is decided, however they came in."""

    async def together() -> str:
        async with service.lifespan():
            fetch = Action.shell("curl -sSLo tool.sh https://tools.example/tool.sh", run_id="new", cwd="/w")
            others = [Action.shell(f"ls {number}", run_id="new", cwd="/w") for number in range(5)]
            await asyncio.gather(*(service.evaluate(BOT, action) for action in (fetch, *others)))
            return (await service.evaluate(BOT, Action.shell("bash tool.sh", run_id="new", cwd="/w"))).verdict.value

    assert asyncio.run(together()) == "require_approval"


def test_a_run_keeps_its_session_while_others_come_and_go(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.gate.sessions.limit = 2

    async def kept() -> bool:
        mine = await service.session_for(BOT, Action.shell("ls", run_id="mine"))
        for number in range(10):
            await service.session_for(BOT, Action.shell("ls", run_id=f"other {number}"))
        again = await service.session_for(BOT, Action.shell("ls", run_id="mine"))
        return again.recorder is mine.recorder

    assert asyncio.run(kept())


@pytest.mark.parametrize("end", ["complete", "fail", "run.completed", "run.failed"])
def test_sessions_of_runs_that_have_ended_are_not_kept(alone: Running, end: str) -> None:
    agent = alone.agent("ann", "bot")
    for number in range(5):
        call = {"toolName": "Bash", "inputPayload": {"command": "ls"}, "runId": f"r{number}"}
        agent.post("/v1/evaluate", call).ok()
        if number == 0:
            continue
        if "." in end:
            agent.post("/v1/events", {"eventId": f"end {number}", "type": end, "runId": f"r{number}"}).ok()
        else:
            agent.post(f"/v1/runs/r{number}/{end}", {} if end == "fail" else None).ok()
    until(lambda: [session.run_id for session in alone.service.gate.sessions] == ["r0"])


def test_a_turn_is_bounded(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[int] = []
    write = Journal.write_now

    def noted(self: Journal, places: Sequence[ReservedWrite[Any]]) -> None:
        turns.append(len(places))
        write(self, places)

    monkeypatch.setattr(Journal, "write_now", noted)

    async def many() -> None:
        async with service.lifespan():
            await service.evaluate(BOT, Action.shell("ls"))
            await asyncio.gather(*(service.evaluate(BOT, Action.shell(f"ls {number}")) for number in range(300)))

    asyncio.run(many())
    assert len(turns) > 1
    assert max(turns) <= 64


@pytest.mark.parametrize("field", ["cwd", "workspace", "home", "docstring", "tool_name"])
def test_long_actions_do_not_block_other_requests(service: Service, field: str) -> None:
    async def quick(action: Action) -> bool:
        async with service.lifespan():
            await service.evaluate(BOT, Action.shell("ls"))
            return (await service.session_for(BOT, action)).is_quick(action)

    given: dict[str, Any] = {"tool_name": "Bash", "input_payload": {"command": "ls"}, "agent_id": "bot"}
    assert asyncio.run(quick(Action(**given)))
    assert not asyncio.run(quick(Action(**{**given, field: "/a" * 400_000})))


def test_a_path_that_no_machine_has_is_no_path() -> None:
    """Looking one up takes the square of its depth."""
    assert Places(cwd="/a" * 400_000, workspace="/a" * 400_000, home="/a" * 400_000).cwd is None
    assert Places(cwd="/a").cwd == "/a"


def test_another_writer_delays_the_event_loop_only_briefly(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, entered, leave = service.journal, threading.Event(), threading.Event()
    tries: list[int] = []
    write = Journal._write_here

    def noted(self: Journal, places: Sequence[ReservedWrite[Any]]) -> Any:
        tries.append(len(places))
        return write(self, places)

    def hold(_transaction: object) -> None:
        entered.set()
        assert leave.wait(60)

    async def waits() -> None:
        for _ in range(20):
            place: ReservedWrite[None] = ReservedWrite()
            place.operation = lambda _transaction: None
            journal.write_now([place])

    monkeypatch.setattr(Journal, "_write_here", noted)
    monkeypatch.setattr("interlock.audit.journal.SLOW_SECONDS", 1.0)
    thread = threading.Thread(target=journal.commit, args=(hold,))
    thread.start()
    try:
        assert entered.wait(60)
        asyncio.run(waits())
    finally:
        leave.set()
        thread.join()
    assert tries == [1], "after losing the write lock once, writes go to the journal's thread for a while"


def stops(policy_id: str, tool: str) -> Policy:
    return parse_policy({"policyId": policy_id, "action": "block", "conditions": [f"toolName={tool}"]})


def test_a_policy_that_is_written_while_others_are_read_counts(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = service.gate
    kept = gate.policies.load

    def reads() -> Any:
        found = kept()
        monkeypatch.undo()
        gate.policies.save(stops("late", "deploy"), "ann", known=0, note="")
        return found

    gate.policies.save(stops("early", "x"), "bob", known=0, note="")
    monkeypatch.setattr(gate.policies, "load", reads)
    gate.configuration.reload_policies()
    gate.configuration.reload_policies()
    assert gate.decide(Action(tool_name="deploy")).verdict.value == "block"


def test_agents_of_one_person_do_not_have_each_others_runs(alone: Running) -> None:
    alpha, beta = alone.agent("ann", "alpha"), alone.agent("ann", "beta")
    alpha.post("/v1/evaluate", {**SAFE, "runId": "alphas"}).ok()
    alpha.post("/v1/evaluate", {**SAFE, "runId": "alphas", "agentId": "alpha/helper"}).ok()
    assert beta.get("/v1/runs/alphas").status == 404
    assert beta.post("/v1/evaluate", {**SAFE, "runId": "alphas"}).status == 403
    event = {"eventId": "e", "type": "tool.completed", "runId": "alphas"}
    assert beta.post("/v1/events", event).status == 403
    assert beta.post("/v1/runs", {"runId": "alphas"}).status == 403
    assert beta.post("/v1/runs/alphas/complete").status == 403
    assert alpha.post("/v1/runs/alphas/complete").ok()["state"] == "ended"


def test_who_leaves_uses_nothing_up(alone: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    agent, bob = alone.agent("ann", "bot"), alone.reviewer("bob")
    action = {**ASKS, "runId": "mine"}
    left: list[Callable[[], bool]] = []
    returned = threading.Event()
    evaluate = alone.service.evaluate

    async def noted(caller: Caller, given: Action, wait: float = 0, has_left: Any = None) -> Any:
        if wait:
            left.append(has_left)
        try:
            return await evaluate(caller, given, wait, has_left or (lambda: False))
        finally:
            if wait:
                returned.set()

    monkeypatch.setattr(alone.service, "evaluate", noted)
    with pytest.raises(TimeoutError):
        agent.send("POST", "/v1/evaluate?wait=60", action, timeout=1)
    until(lambda: left and left[0]())  # the server has noticed
    [waiting] = bob.get("/v1/approvals").ok()["items"]
    alone.approve(bob, waiting["approvalId"]).ok()
    assert returned.wait(60)
    assert bob.get(f"/v1/approvals/{waiting['approvalId']}").ok()["usedAt"] is None
    assert agent.post("/v1/evaluate", action).ok()["allowed"] is True


def test_background_work_survives_unexpected_errors(
    alone: Running, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    calls = iter([PermissionError("spool"), ValueError("odd")])
    swept = threading.Event()

    def sweep() -> int:
        for error in calls:
            raise error
        swept.set()
        return 0

    with caplog.at_level(logging.ERROR, "interlock.server"):
        monkeypatch.setattr(alone.service.gate.approvals, "expire_due", sweep)
        assert swept.wait(30)


def test_a_foreign_record_is_not_counted(own: Path, tmp_path: Path) -> None:
    with Gate(store=f"sqlite:///{tmp_path / 'store.db'}") as gate:
        gate.decide(Action.shell("ls"))
        gate.decide(Action.shell("ls"))
        with gate.journal.database.write() as connection:
            body = '{"kind":"decision","at":"yesterday"}'
            connection.run("UPDATE interlock_records SET body = :body WHERE kind = 'decision' AND seq < 5", body=body)
        assert count_left(gate.journal, "counts") > 0
        assert count_new_records(gate.journal) == 0
        assert count_left(gate.journal, "counts") == 0


def test_a_gate_that_was_closed_says_so(own: Path, tmp_path: Path) -> None:
    gate = Gate(store=f"sqlite:///{tmp_path / 'store.db'}")
    gate.close()
    gate.close()
    with pytest.raises(StoreError, match="was closed"):
        gate.journal.commit(lambda _transaction: None)


@pytest.mark.parametrize(
    ("headers", "address"),
    [
        ([(b"x-forwarded-for", b"6.6.6.6, 9.9.9.9")], "9.9.9.9"),
        ([(b"x-forwarded-for", b"6.6.6.6"), (b"x-forwarded-for", b"9.9.9.9")], "9.9.9.9"),
        ([], "127.0.0.1"),
    ],
)
def test_of_several_addresses_the_proxys_own_counts(headers: list[tuple[bytes, bytes]], address: str) -> None:
    scope = {"headers": headers, "client": ("127.0.0.1", 1), "scheme": "http"}
    _apply_proxy_headers(scope)
    assert scope["client"][0] == address


def test_a_secret_in_an_address_is_not_logged(
    alone: Running, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_secret: str) -> None:
        raise OSError("the disk is gone")

    secret = alone.service.authenticator.sessions.create_link(
        alone.service.authenticator.people.add("mia", Role.REVIEWER, "test").name
    )
    monkeypatch.setattr(alone.service.authenticator.sessions, "start_with_link", fail)
    with caplog.at_level(logging.ERROR, "interlock.server"):
        form = alone.nobody.having(content_type="application/x-www-form-urlencoded")
        assert form.send("POST", f"/sign-in/{secret}", b"").status == 500
        until(lambda: caplog.records)
    assert secret not in caplog.text.partition("Traceback")[0]


def test_a_renewed_cookie_arrives_even_with_a_refusal(alone: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = alone.signed_in("mia", Role.ADMIN)
    monkeypatch.setattr("interlock.access.sessions.ROTATE_SECONDS", -1)
    refused = browser.having(x_csrf_token="wrong").post("/v1/policies", {})
    assert refused.status == 403
    assert "set-cookie" in refused.headers


def test_requesters_cannot_approve_once_there_is_a_second_person(serve: Any) -> None:
    running = serve(configured="")
    ann = running.signed_in("ann", Role.ADMIN)
    approval_id = running.asked(running.agent("ann", "bot"))["approval"]["approvalId"]
    assert ann.get(f"/v1/approvals/{approval_id}").ok()["challenge"]
    running.signed_in("bob", Role.REVIEWER)
    reply = running.approve(ann, approval_id)
    assert reply.status in (403, 422), reply
    assert "started the run" in reply.detail


def test_invisible_characters_are_shown_and_other_scripts_left_alone() -> None:
    assert plain("ori\u034fgin ma\ufe0fin") == "ori\\u034fgin ma\\ufe0fin"
    assert plain("e" + "\u0301" * 9).count("\u0301") == 2
    assert plain("Zoë naïve Ἀθῆναι tiếng Việt") == "Zoë naïve Ἀθῆναι tiếng Việt"


def test_a_run_whose_actions_arrive_together_is_snapshot_on_time(service: Service) -> None:
    """Else loading its state would read all of its records."""
    together, rounds = SNAPSHOT_EVERY // 2, 8

    async def many() -> None:
        async with service.lifespan():
            await service.evaluate(BOT, Action.shell("ls", run_id="busy"))
            for number in range(rounds):
                actions = [Action.shell(f"ls {number} {one}", run_id="busy") for one in range(together)]
                await asyncio.gather(*(service.evaluate(BOT, action) for action in actions))

    asyncio.run(many())
    records = read_page(service.journal.database, RecordFilter(run_id="busy"), limit=1_000)
    kinds = ["snapshot" if one.record.name == "snapshot" else one.record.kind for one in records]
    runs = "".join("s" if kind == "snapshot" else "d" for kind in kinds if kind in ("snapshot", "decision")).split("s")
    assert sum(map(len, runs)) == rounds * together + 1
    assert all(SNAPSHOT_EVERY - together <= len(one) <= SNAPSHOT_EVERY + together + 1 for one in runs[:-1])
    assert len(runs) > 2

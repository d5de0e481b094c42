"""`Gate(url, key=…)`: the same API as the embedded gate, with decisions, approvals, runs and records at a server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from interlock import Action, ActionRefused, ConfigError, Gate, Outcome, RunExecutor, Verdict
from interlock.access.roles import Role
from interlock.analyse.declared_action import DeclaredAction
from interlock.approval.request import Approval
from interlock.audit.read import RecordFilter, read_all
from interlock.errors import ForbiddenError, ServerError
from interlock.gate.approval_flow import Submission
from interlock.gate.remote.address import RemoteOptions
from interlock.gate.remote.gate import RemoteGate
from interlock.knowledge.tool import Tool
from tests.server.live_server import Running, until

PUSH = "git push --force origin main"
QUICK = RemoteOptions(timeout=20, total_timeout=40, attempts=3)


def connect(server: Running, name: str, options: RemoteOptions = QUICK, **more: Any) -> RemoteGate:
    """Return a gate with a new agent's key."""
    secret = server.key(Role.AGENT, "ann", name, **more).headers["authorization"].split()[1]
    return Gate.remote(f"http://127.0.0.1:{server.port}", secret, options=options)


@pytest.fixture
def gate(shared: Running, request: pytest.FixtureRequest) -> Iterator[RemoteGate]:
    """A gate with a key of its own, which is named after the test."""
    with connect(shared, request.node.name[:80]) as gate:
        yield gate


def recorded(server: Running, kind: str, agent: str | None) -> list[Any]:
    found = [line.record for line in read_all(server.service.journal.database, RecordFilter(kind=kind))]
    return [record for record in found if str(record.agent_id).split("/")[0] == agent]


def request_of(step: Submission | Outcome) -> Approval:
    """Return the request of an action, which must have one."""
    assert step.approval is not None
    return step.approval


def answer_next(server: Running, agent: str | None, *, approve: bool) -> Callable[[], None]:
    """Answer the next request of an agent in a thread; return a function that waits for it."""

    def answer() -> None:
        pending = lambda: [one for one in server.service.gate.approvals.list() if one.agent_id == agent]  # noqa: E731
        [found] = until(pending)
        if approve:
            assert server.approve(server.reviewer(), found.approval_id).status == 200
        else:
            body = {"reason": "not today", "instead": "git push --force-with-lease"}
            server.reviewer().post(f"/v1/approvals/{found.approval_id}/reject", body).ok()

    thread = threading.Thread(target=answer)
    thread.start()
    return thread.join


def test_what_may_run_is_recorded_once_at_the_server(shared: Running, gate: RemoteGate) -> None:
    outcome = gate.check(Action.shell("ls"))
    assert isinstance(outcome, Outcome)
    assert (outcome.by, outcome.decision.verdict, outcome.kept) == ("decision", Verdict.ALLOW, True)
    [record] = recorded(shared, "decision", gate.caller.agent)
    assert record.run_id == outcome.run_id
    gate.close()
    assert shared.service.gate.runs.get(outcome.run_id).state == "ended"


def test_users_and_tenants_have_runs_of_their_own(shared: Running, gate: RemoteGate) -> None:
    """As with a store: actions that name no run belong to the run of their agent, user and tenant."""
    people = [("kim", None), ("bob", None), ("kim", "acme"), ("kim", None)]
    outcomes = [gate.check(Action.shell("ls", user=user, tenant=tenant)) for user, tenant in people]
    assert [outcome.decision.overruled for outcome in outcomes] == [()] * 4
    runs = [shared.service.gate.runs.get(outcome.run_id) for outcome in outcomes]
    assert [(run.user, run.tenant) for run in runs] == people
    assert len({outcome.run_id for outcome in outcomes}) == 3


def test_how_a_call_ended_is_recorded_for_the_agent_of_its_run(shared: Running, gate: RemoteGate) -> None:
    @gate.guard(does="tool.read")
    def look(key: str) -> str:
        return key

    with gate.run("worker") as run:
        assert gate.check(Action.shell("ls")).agent_id == f"{gate.caller.agent}/worker"
        look("a")
    gate.close()
    [event] = recorded(shared, "event", gate.caller.agent)
    assert (event.agent_id, event.run_id) == (f"{gate.caller.agent}/worker", run.run_id)
    assert shared.service.gate.runs.get(run.run_id).state == "ended"


def test_a_decision_is_the_same_as_that_of_an_embedded_gate(gate: RemoteGate) -> None:
    action = Action.shell("sudo rm -rf /etc/nginx", environment="production")
    with Gate.temporary() as embedded:
        assert gate.decide(action).assessment == embedded.decide(action).assessment
        errors = []
        for one in (gate, embedded):
            with pytest.raises(ActionRefused) as refused:
                one.check(Action.shell("rm -rf /"))
            errors.append(refused.value)
    assert (errors[0].reason, errors[0].how) == (errors[1].reason, errors[1].how)
    assert errors[0].decision.verdict is Verdict.BLOCK


def test_check_waits_for_an_approval_which_counts_once(shared: Running, gate: RemoteGate) -> None:
    agent = gate.caller.agent
    done = answer_next(shared, agent, approve=True)
    outcome = gate.check(Action.shell(PUSH, run_id=f"{agent}-run"))
    done()
    assert (outcome.by, request_of(outcome).state.value) == ("approval", "approved")
    assert len(recorded(shared, "decision", agent)) == 1
    [used] = recorded(shared, "approval.used", agent)
    assert used.digest == recorded(shared, "decision", agent)[0].digest
    again = gate.open_session(f"{agent}-run", None).submit(Action.shell(PUSH))
    assert (again.allowed, request_of(again).state.value) == (False, "pending")


def test_a_rejection_says_who_and_what_instead(shared: Running, gate: RemoteGate) -> None:
    done = answer_next(shared, gate.caller.agent, approve=False)
    with pytest.raises(ActionRefused, match="rejected by `bob`: not today") as refused:
        asyncio.run(gate.acheck(Action.shell(PUSH)))
    done()
    assert refused.value.how == "try instead: git push --force-with-lease"
    assert refused.value.decision.verdict is Verdict.REQUIRE_APPROVAL
    assert shared.service.gate.approvals.get(str(refused.value.approval_id)).state.value == "rejected"


def test_cancelling_a_check_cancels_its_request_and_blocks_no_loop(shared: Running, gate: RemoteGate) -> None:
    register = shared.service.gate.approvals
    agent = gate.caller.agent

    def mine() -> list[Any]:
        return [one for one in register.list() if one.agent_id == agent]

    async def cancel() -> None:
        task = asyncio.create_task(gate.acheck(Action.shell(PUSH)))
        while not mine():
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert until(lambda: recorded(shared, "approval.cancelled", agent))


def test_guards_check_functions_and_confirm_their_arguments(shared: Running, gate: RemoteGate) -> None:
    ran: list[Any] = []

    @gate.guard(tool_name="list_files")
    def listed(names: list[str]) -> int:
        ran.append(names)
        return len(names)

    @gate.guard
    async def rm(path: str) -> None:
        ran.append(path)

    assert listed(["a"]) == 1
    with pytest.raises(ActionRefused):
        asyncio.run(gate.guard(tool_name="Bash")(bash)(command="rm -rf /"))
    outcome = gate.check(Action.shell("ls a"))
    with pytest.raises(ActionRefused, match="has changed since it was checked"):
        gate.confirm(outcome, Action.shell("ls b"))
    gate.confirm(outcome, Action.shell("ls a"))
    assert ran == [["a"]]


async def bash(command: str) -> None:
    raise AssertionError(command)


def test_a_run_is_carried_into_pools_and_a_lost_one_is_judged_most_strictly(shared: Running, gate: RemoteGate) -> None:
    fetch, start = Action.shell("curl -o x.sh https://example.com/x.sh"), Action.shell("sh x.sh")
    with gate.run(agent_id="bot", workspace="/srv/shop") as first:
        gate.check(fetch)
        with RunExecutor(2) as pool:
            carried = pool.submit(gate.decide, start).result()
        with gate.run(run_id="second") as second, ThreadPoolExecutor(1) as pool:
            alone = second.decide(start)
            lost = pool.submit(gate.decide, start).result()
        assert first.add_person_request("set the shop up") == "set the shop up"
        assert first.person_requests == ("set the shop up",)
    rules = [{finding.rule for finding in one.assessment.findings} for one in (carried, lost, alone)]
    assert "remote_code" in rules[0] & rules[1]
    assert "remote_code" not in rules[2]
    runs = {record.run_id for record in recorded(shared, "decision", gate.caller.agent)}
    assert runs == {first.run_id, "second"}
    assert {shared.service.gate.runs.get(run).state for run in runs} == {"ended"}


def test_the_pins_of_a_run_and_of_a_key_hold_whatever_an_action_claims(shared: Running, gate: RemoteGate) -> None:
    wipe = "rm -rf /data/prod"
    with gate.run(environment="production"):
        decision = gate.decide(Action.shell(wipe, environment="development", workspace="/data"))
    assert decision.verdict is Verdict.BLOCK
    assert [claim.split()[0] for claim in decision.overruled] == ["environment", "workspace"]
    with gate.run(workspace="/data"):  # which the key is not pinned to
        assert gate.decide(Action.shell(wipe)).verdict is Verdict.BLOCK


def test_a_key_has_its_own_runs_requests_and_decisions(shared: Running) -> None:
    with connect(shared, "one") as one, connect(shared, "two") as two:
        with one.run(run_id="ones"):
            step = one.open_session("ones", None).submit(Action.shell(PUSH))
        with pytest.raises(ServerError, match="started by another user or agent") as error:
            two.check(Action.shell("ls", run_id="ones"))
        assert error.value.status == 403
        with pytest.raises(ServerError) as error:
            two.open_session("twos", None).resume(Action.shell(PUSH), step.record_id)
        assert error.value.status == 403
        with pytest.raises(ServerError) as error:
            two.open_session("twos", None).is_pending(step)
        assert error.value.status == 404
        two.open_session("twos", None).cancel(step)
        assert shared.service.gate.approvals.get(request_of(step).approval_id).state.value == "pending"
        assert len(recorded(shared, "decision", "one")) == 1
        assert two.check(Action.shell("ls", agent_id="one")).decision.allowed
        assert [record.agent_id for record in recorded(shared, "decision", "two")] == ["two/one"]


def test_a_decision_cannot_be_used_for_another_action(gate: RemoteGate) -> None:
    session = gate.open_session("mine", None)
    step = session.submit(Action.shell("ls"))
    with pytest.raises(ServerError, match="another action"):
        session.resume(Action.shell("cat notes.txt"), step.record_id)
    with pytest.raises(ServerError, match="no such decision"):
        session.resume(Action.shell("ls"), "c" + "0" * 31)


def test_what_is_stricter_by_then_is_recorded_again(shared: Running, gate: RemoteGate) -> None:
    session = gate.open_session("stopped", None)
    step, agent = session.submit(Action.shell("ls")), gate.caller.agent
    assert session.resume(Action.shell("ls"), step.record_id).allowed
    shared.service.gate.stop(agent, actor="eve")
    again = session.resume(Action.shell("ls"), step.record_id)
    assert (again.allowed, again.decision.verdict) == (False, Verdict.BLOCK)
    assert session.resume(Action.shell("ls"), step.record_id).record_id == again.record_id
    assert [record.outcome for record in recorded(shared, "decision", agent)] == ["allow", "block"]


def test_an_approval_is_not_used_once_a_policy_asks_for_more(shared: Running, gate: RemoteGate) -> None:
    admin, session = shared.admin("zoe"), gate.open_session("tightened", None)
    policy = {"action": "require_approval", "when": "toolName == 'tighten'", "name": "asks"}
    admin.post("/v1/policies", {**policy, "policyId": "one", "approval": {"approvers": 1}}).ok(201)
    action = Action(tool_name="tighten", input_payload={"at": 1})
    step = session.submit(action)
    shared.approve(shared.reviewer(), request_of(step).approval_id).ok()
    admin.post("/v1/policies", {**policy, "policyId": "two", "approval": {"approvers": 2}}).ok(201)
    again = session.resume(action, step.record_id)
    assert (again.allowed, request_of(again).needs.approvers) == (False, 2)


def test_an_answer_is_repeated_for_a_while_only(
    shared: Running, gate: RemoteGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, agent = gate.open_session("repeated", None), gate.caller.agent
    listing, push = session.submit(Action.shell("ls")), session.submit(Action.shell(PUSH))
    shared.approve(shared.reviewer(), request_of(push).approval_id).ok()
    assert session.resume(Action.shell(PUSH), push.record_id).allowed
    monkeypatch.setattr("interlock.gate.recorded_decisions.RECENT_SECONDS", -1)  # as two minutes later
    late = session.resume(Action.shell(PUSH), push.record_id)
    assert (late.allowed, request_of(late).state.value) == (False, "approved")
    assert session.resume(Action.shell("ls"), listing.record_id).record_id != listing.record_id
    assert [record.outcome for record in recorded(shared, "decision", agent)].count("allow") == 2


def test_mistakes_are_said_at_once(shared: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"http://127.0.0.1:{shared.port}"
    for wrong, told in {
        ("http://interlock.example", "ilk_12345678"): "plain text",
        ("https://u:p@interlock.example", "ilk_12345678"): "user name or password",
        ("ftp://interlock.example", "ilk_12345678"): "not the URL",
        ("postgresql://db/x", "ilk_12345678"): "is a store",
        ("https://", "ilk_12345678"): "not the URL",
        (url, "secret"): "begin with `ilk_`",
        (url, None): "needs a key",
    }.items():
        with pytest.raises(ConfigError, match=told):
            Gate(wrong[0], key=wrong[1])
    with pytest.raises(ConfigError, match="cannot be combined with"):
        Gate(url, key="ilk_12345678", store="sqlite:///x.db")
    with pytest.raises(ConfigError, match="needs the URL of a server"):
        Gate(key="ilk_12345678")
    assert "ilk_" not in repr(Gate("http://127.0.0.1:1", key="ilk_12345678"))
    monkeypatch.setenv("INTERLOCK_URL", url)
    monkeypatch.setenv("INTERLOCK_KEY", "ilk_" + "x" * 43)
    with Gate.remote() as gate, pytest.raises(ServerError, match="does not accept the key") as error:
        gate.check(Action.shell("ls"))
    assert (error.value.status, "xxx" in str(error.value)) == (401, False)
    with pytest.raises(AttributeError, match="use the pages or the API of the server"):
        gate.journal  # noqa: B018
    reviewer = shared.reviewer().headers["authorization"].split()[1]
    with Gate(url, key=reviewer) as wrong_role, pytest.raises(ServerError, match="not allowed with this key"):
        wrong_role.check(Action.shell("ls"))


def test_how_calls_end_is_reported_before_their_run_ends(shared: Running, gate: RemoteGate) -> None:
    @gate.guard(does="tool.read")
    def look_up(key: str) -> str:
        return f"found {key}"[:7]

    @gate.guard(does="tool.read")
    async def fail(key: str) -> str:
        raise LookupError(key)

    async def scenario() -> None:
        with gate.run("b"), pytest.raises(LookupError):
            await fail("x")

    with gate.run("a"):
        look_up("x")
    asyncio.run(scenario())
    agent = gate.caller.agent
    gate.close()
    ended = {record.agent_id: record for record in recorded(shared, "event", agent)}
    decided = {record.agent_id: record.record_id for record in recorded(shared, "decision", agent)}
    for name, measured in ((f"{agent}/a", {"resultBytes": 7}), (f"{agent}/b", {"error": "LookupError"})):
        assert ended[name].data["decisionId"] == decided[name]
        assert measured.items() <= ended[name].data["data"].items()
        [run] = [run for run, _ in shared.service.gate.runs.list() if run.agent_id == name]
        assert run.state == "ended"


def test_a_declaration_only_tightens_at_a_server(gate: RemoteGate) -> None:
    paid, read = Tool(does="payment.send", arguments={"amount": "amount"}), Tool(does="tool.read")
    for name, declared in (("wire_transfer", read), ("frobnicate", paid)):
        action = DeclaredAction(tool_name=name, input_payload={"amount": 900.0}, declared=declared)
        assert gate.decide(action).verdict is Verdict.REQUIRE_APPROVAL
    unknown = DeclaredAction(tool_name="x", declared=Tool(does="payment.sent"))
    with pytest.raises(ServerError, match=r"did you mean `payment\.send`"):
        gate.decide(unknown)


def test_a_run_inside_another_is_for_the_same(shared: Running, gate: RemoteGate) -> None:
    about: dict[str, Any] = {
        "user": "kim",
        "tenant": "acme",
        "metadata": {"ticket": "T-1"},
        "request": "close T-1",
    }
    with gate.run("lead", **about), gate.run("helper", metadata={"step": 2}) as inner:
        gate.decide(Action.shell("ls"))
        assert inner.person_requests == ("close T-1",)
    [run] = [run for run, _ in shared.service.gate.runs.list() if run.run_id == inner.run_id]
    assert (run.user, run.tenant, run.metadata) == ("kim", "acme", {"ticket": "T-1", "step": 2})
    with gate.run("lead", user="kim"), pytest.raises(ForbiddenError), gate.run("helper", user="bob"):
        pass

"""The gate: what may run does, what needs an approval waits for it, what is refused says why and what to do."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import interlock
from interlock import Action, ActionRefused, Cause, Decision, Gate, StoreError, Verdict
from interlock.approval.request import Answer, AnswerVerdict, Approval, ApprovalState, ChallengeResult, GrantScope
from interlock.audit.digest import action_digest
from interlock.audit.identity import user_name
from interlock.audit.keys import KeyRing
from interlock.audit.read import RecordFilter, follow_records, read_all, read_newest, read_page
from interlock.audit.runs import ENDED, OPEN
from interlock.audit.verify import verify
from interlock.errors import ConfigError, InterlockError
from tests.reading import WHERE
from tests.world.requests import no, yes

PUSH = Action.shell("git push --force origin main", **WHERE)


class Person:
    """An approver at the terminal who always gives the same answer."""

    def __init__(self, answer: Callable[[Approval, str], Answer | None]) -> None:
        self._answer = answer
        self.asked: list[Approval] = []

    def available(self) -> bool:
        return True

    def ask(self, approval: Approval, approver: str, **_: object) -> Answer | None:
        self.asked.append(approval)
        return self._answer(approval, approver)


def agreeing(scope: GrantScope = GrantScope.ONCE) -> Person:
    return Person(lambda approval, approver: yes(approver, approval.needs.challenge, scope=scope))


ALONE = "[approvals]\none_person = true\n"


@pytest.fixture
def alone(own: Path) -> None:
    """A machine of one person, whatever the store."""
    own.mkdir()
    (own / "interlock.toml").write_text(ALONE)


def told(gate: Gate, kind: str | None = None) -> list[str]:
    """Return the kinds of what is on record."""
    lines = read_all(gate.journal.database, RecordFilter(kind=kind))
    return [line.record.kind for line in lines]


def good(gate: Gate, own: Path) -> bool:
    return verify(gate.journal.database, KeyRing([gate.journal.key.public]), folder=own).good


def test_an_allowed_action_runs(gate: Gate, own: Path) -> None:
    outcome = gate.check(Action.shell("ls", **WHERE))
    assert (outcome.by, outcome.decision.verdict) == ("decision", Verdict.ALLOW)
    assert told(gate) == ["key", "start", "configuration", "policy", "run.started", "decision"]
    assert good(gate, own)


def test_a_blocked_action_says_why_and_what_to_do(gate: Gate) -> None:
    with pytest.raises(ActionRefused) as found:
        gate.check(Action.shell("rm -rf /", **WHERE))
    refused = found.value
    assert isinstance(refused.decision, Decision)
    assert "floor `delete_root`" in refused.reason
    assert "rules_off" in refused.how
    assert "\n" not in str(refused)


def test_without_an_approver_an_action_is_refused_with_advice(gate: Gate) -> None:
    with pytest.raises(ActionRefused, match="no approver is available") as found:
        gate.check(PUSH)
    assert 'approvals.unattended = "wait"' in found.value.how
    assert gate.approvals.list(None)[0].state is ApprovalState.CANCELLED


def test_decide_records_and_does_not_wait(gate: Gate) -> None:
    assert gate.decide(PUSH).verdict is Verdict.REQUIRE_APPROVAL
    assert gate.approvals.list(None) == []
    assert told(gate)[-1] == "decision"


@pytest.mark.usefixtures("alone")
def test_a_person_at_the_terminal_answers(store: str, own: Path) -> None:
    person = agreeing()
    with Gate(store=store, approver=person) as gate:
        outcome = gate.check(PUSH)
        assert outcome.by == "approval"
        assert outcome.approval is not None
        assert outcome.approval.used_at is not None
        gate.check(PUSH)
        assert len(person.asked) == 2, "once is once"
        assert good(gate, own)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(("scope", "elsewhere"), [(GrantScope.RUN, 2), (GrantScope.ALWAYS, 1)])
def test_an_approval_can_be_remembered(store: str, scope: GrantScope, elsewhere: int) -> None:
    person = agreeing(scope)
    with Gate(store=store, approver=person) as gate:
        with gate.run(agent_id="bot"):
            assert [gate.check(PUSH).by for _ in range(3)] == ["approval", "remembered", "remembered"]
        with gate.run(agent_id="bot"):
            gate.check(PUSH)
        assert len(person.asked) == elsewhere


def test_a_blocked_action_is_never_remembered(store: str) -> None:
    with Gate(store=store, approver=agreeing(GrantScope.ALWAYS)) as gate:
        for _ in range(2):
            with pytest.raises(ActionRefused, match="floor"):
                gate.check(Action.shell("rm -rf /", **WHERE))
        assert gate.grants.list() == []


@pytest.mark.usefixtures("alone")
def test_a_rejection_refuses_the_action(store: str) -> None:
    person = Person(lambda _, approver: Answer(approver=approver, verdict=AnswerVerdict.REJECT, reason="not now"))
    refusal = pytest.raises(ActionRefused, match=r"rejected by `[^`]+`: not now")
    with Gate(store=store, approver=person) as gate, refusal:
        gate.check(PUSH)


def test_an_unacceptable_answer_leaves_the_request_open(store: str, own: Path) -> None:
    own.mkdir()
    (own / "interlock.toml").write_text(ALONE + "[timeouts]\nhigh = 1\n")
    failed = ChallengeResult(kind="quiz", passed=False, seconds=9)
    person = Person(lambda _, approver: Answer(approver=approver, verdict=AnswerVerdict.APPROVE, challenge=failed))
    with Gate(store=store, approver=person) as gate, pytest.raises(ActionRefused, match="no answer in time"):
        gate.check(PUSH)


def test_a_shared_store_needs_another_person(store: str) -> None:
    """On PostgreSQL the person who started the run cannot approve its requests; on SQLite they can."""
    with Gate(store=store, approver=agreeing()) as gate:
        if gate.journal.database.is_sqlite:
            assert gate.check(PUSH).by == "approval"
        else:
            with pytest.raises(ActionRefused, match="started the run, so another person has to approve"):
                gate.check(PUSH)


WAIT = '[approvals]\nunattended = "wait"\none_person = false\n'
QUEUE = '[approvals]\nunattended = "queue"\none_person = false\n'


def answered(gate: Gate, answer: Answer) -> threading.Thread:
    """Answer the next request from elsewhere."""

    def work() -> None:
        while not (waiting := gate.approvals.list()):
            time.sleep(0.01)
        gate.approvals.answer(waiting[0].approval_id, answer)

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_an_action_waits_for_an_answer_from_elsewhere(configured: Callable[[str], Gate]) -> None:
    gate = configured(WAIT)
    thread = answered(gate, yes("bob"))
    assert gate.check(PUSH).by == "approval"
    thread.join()


def test_an_approver_may_suggest_another_action(configured: Callable[[str], Gate]) -> None:
    gate = configured(WAIT)
    suggestion = "git push origin my-fix"
    thread = answered(gate, no("bob", reason="too blunt", instead=suggestion))
    with pytest.raises(ActionRefused, match="too blunt") as found:
        gate.check(PUSH)
    thread.join()
    assert found.value.how == f"try instead: {suggestion}"
    assert gate.check(Action.shell(suggestion, **WHERE)).by == "decision"


def test_an_expired_request_refuses_the_action(configured: Callable[[str], Gate]) -> None:
    gate = configured(WAIT + "[timeouts]\nhigh = 1\n")
    with pytest.raises(ActionRefused, match="no answer in time"):
        gate.check(PUSH)
    assert gate.approvals.list(None)[0].state is ApprovalState.EXPIRED


def test_a_queued_action_runs_once_it_is_approved(configured: Callable[[str], Gate]) -> None:
    gate = configured(QUEUE)
    with gate.run(agent_id="bot", run_id="r1"):
        for _ in range(3):  # asking again does not open another request
            with pytest.raises(ActionRefused, match="waits for an approval") as found:
                gate.check(PUSH)
        (waiting,) = gate.approvals.list()
        assert found.value.approval_id == waiting.approval_id
        gate.approvals.answer(waiting.approval_id, yes("bob"))
    with gate.run(agent_id="bot", run_id="r2"), pytest.raises(ActionRefused, match="waits for an approval"):
        gate.check(PUSH)  # another run's is not ours
    with gate.run(agent_id="bot", run_id="r1"):
        with pytest.raises(ActionRefused):
            gate.check(msgspec.structs.replace(PUSH, input_payload={"command": "git push --force origin other"}))
        assert gate.check(PUSH).by == "approval"
        with pytest.raises(ActionRefused, match="waits for an approval"):
            gate.check(PUSH)  # used up


@pytest.mark.usefixtures("alone")
def test_a_guarded_function_runs_or_does_not(store: str) -> None:
    person, done = agreeing(), []
    with Gate(store=store, approver=person) as gate:

        @gate.guard
        def read_notes(folder: str, *, limit: int = 5) -> str:
            """Read the notes."""
            done.append(folder)
            return f"{folder} {limit}"

        @gate.guard(tool_name="drop_everything", environment="production")
        def drop(table: str) -> None:
            """Permanently delete a table."""
            done.append(table)

        assert read_notes("a", limit=2) == "a 2"
        assert read_notes.__name__ == "read_notes"
        drop("users")
        with pytest.raises(TypeError):
            read_notes()  # type: ignore[call-arg]
        assert done == ["a", "users"]
        (asked,) = person.asked
        assert asked.action["toolName"] == "drop_everything"
        assert asked.action["inputPayload"] == {"table": "users"}
        assert asked.action["environment"] == "production"


@pytest.mark.usefixtures("alone")
def test_the_approved_arguments_are_those_that_run(store: str) -> None:
    files, done = ["a.txt"], []

    def answer(approval: Approval, approver: str) -> Answer:
        files.append("/etc/passwd")
        return yes(approver, approval.needs.challenge)

    with Gate(store=store, approver=Person(answer)) as gate:

        @gate.guard(environment="production")
        def delete_files(names: list[str]) -> None:
            """Permanently delete files."""
            done.append(list(names))

        with pytest.raises(ActionRefused, match="has changed since it was checked"):
            delete_files(files)
    assert done == []


@pytest.mark.usefixtures("alone")
def test_always_for_one_object_is_not_for_another(store: str) -> None:
    person = agreeing(GrantScope.ALWAYS)
    with Gate(store=store, approver=person) as gate:

        class Table:
            def __init__(self, name: str) -> None:
                self.name = name

            @gate.guard(environment="production")
            def drop(self) -> str:
                """Permanently delete a table."""
                return self.name

        staging, production = Table("staging"), Table("production")
        assert [staging.drop(), staging.drop(), production.drop()] == ["staging", "staging", "production"]
    assert len(person.asked) == 2


DIFFERENT: list[object] = [
    None,
    float("inf"),
    float("-inf"),
    float("nan"),
    1,
    1.5,
    "1.5",
    "1",
    True,
    b"1",
    "MQ==",
    {1: 0},
]
DIFFERENT += [{"1": 0}, [1], {1, 2}, [1, 2], "\udc80", "\\udc80", 10**30, str(10**30), {}, [], "", 0, False]


def test_actions_that_differ_have_different_digests() -> None:
    def digest(value: object) -> str:
        return action_digest("x", Action(tool_name="t", input_payload={"value": value}))

    digests = [digest(value) for value in DIFFERENT]
    assert len(set(digests)) == len(digests)
    assert digest({"a": [1.5, None]}) == digest({"a": [1.5, None]})


def test_a_guard_knows_what_an_action_has(gate: Gate) -> None:
    with pytest.raises(InterlockError, match="wire`: `tool` is neither a field of an action nor a role"):

        @gate.guard(tool="x")
        def wire() -> None: ...


def test_an_async_function_waits_without_blocking_the_loop(configured: Callable[[str], Gate]) -> None:
    gate = configured(WAIT)

    @gate.guard(tool_name="Bash", input_payload={"command": "git push --force origin main"}, **WHERE)
    async def push() -> str:
        return "pushed"

    async def scenario() -> tuple[str, int]:
        ticks = 0
        task = asyncio.ensure_future(push())
        while not (waiting := gate.approvals.list()):
            ticks += 1
            await asyncio.sleep(0.01)
        gate.approvals.answer(waiting[0].approval_id, yes("bob"))
        return await task, ticks

    result, ticks = asyncio.run(scenario())
    assert result == "pushed"
    assert ticks > 0


def test_cancelling_the_task_cancels_the_request(configured: Callable[[str], Gate]) -> None:
    gate = configured(WAIT)

    async def scenario() -> None:
        task = asyncio.ensure_future(gate.acheck(PUSH))
        while not gate.approvals.list():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    while gate.approvals.list():
        time.sleep(0.01)
    assert gate.approvals.list(None)[0].state is ApprovalState.CANCELLED


@pytest.mark.usefixtures("alone")
def test_an_action_changed_while_it_waits_does_not_run(store: str) -> None:
    payload = {"command": "git push --force origin main"}

    def answer(approval: Approval, approver: str) -> Answer:
        payload["command"] = "git push --force origin release"
        return yes(approver, approval.needs.challenge)

    with Gate(store=store, approver=Person(answer)) as gate:
        with pytest.raises(ActionRefused, match="changed while its approval was pending"):
            gate.check(Action(tool_name="Bash", input_payload=payload, **WHERE))
        assert gate.approvals.list(None)[0].used_at is None


def test_a_crisis_does_not_wait_and_is_recorded(configured: Callable[[str], Gate]) -> None:
    gate = configured('mode = "confirm_all"\n')
    for name in ("send_message", "check_crisis", "notify_crisis"):  # whatever it is called, that is no message
        with pytest.raises(ActionRefused):
            gate.check(Action(tool_name=name, input_payload={"command": "git push --force origin main"}, **WHERE))
    assert gate.check(Action(tool_name="send_message", input_payload={"text": "call me"})).by == "bypass"
    assert told(gate, "bypass") == ["bypass"]
    with pytest.raises(ActionRefused):
        gate.check(Action(tool_name="deploy", metadata={"context": "call 988, it is a crisis"}))


def test_words_about_a_crisis_count_if_configured(configured: Callable[[str], Gate]) -> None:
    gate = configured('mode = "confirm_all"\n[crisis]\ncontext_bypass = true\n')
    assert gate.check(Action(tool_name="call", metadata={"context": "call 988, it is a crisis"})).by == "bypass"
    with pytest.raises(ActionRefused):
        gate.check(Action(tool_name="call", metadata={"context": "order #9881"}))
    with pytest.raises(ActionRefused, match="floor"):
        gate.check(Action.shell("rm -rf /", metadata={"context": "crisis"}))


def test_without_a_model_its_review_is_skipped_or_a_person_is_asked(configured: Callable[[str], Gate]) -> None:
    write = Action(tool_name="write_file", input_payload={"path": "a.txt", "content": "x"}, **WHERE)
    gate = configured('mode = "tiers"\n')
    assert gate.check(write).by == "unreviewed"
    assert "approval.reviewed" in told(gate)
    strict = configured('mode = "tiers"\n[approvals]\nrequire_reviewer = true\n')
    with pytest.raises(ActionRefused, match="no approver is available"):
        strict.check(write)


POLICY = """
[[policies]]
policy_id = "releases"
conditions = ["toolName=release"]
action = "require_approval"
approval = {approvers = 2, who = ["@leads"], reason = true, challenge = "teach_back", timeoutSeconds = 40}

[roles]
leads = ["bob", "cid"]
"""


def test_a_policy_sets_the_requirements_of_an_approval(configured: Callable[[str], Gate]) -> None:
    gate = configured(POLICY)
    needs = gate.decide(Action(tool_name="release")).needs
    assert needs is not None
    assert (needs.approvers, needs.who, needs.reason) == (2, (("@leads",),), True)
    assert (needs.challenge, needs.timeout_seconds, needs.human) == ("teach_back", 40, True)
    risks = {line.record.name: line.record for line in read_all(gate.journal.database, RecordFilter(kind="risk"))}
    assert (risks["releases"].outcome, risks["releases"].data["severity"]) == ("require_approval", "high")


# runs


def test_an_agent_is_who_it_says_in_any_run(configured: Callable[[str], Gate]) -> None:
    gate = configured('[[policies]]\npolicy_id = "b"\nconditions = ["agentId=b"]\naction = "block"\n')
    gate.check(Action.shell("ls", agent_id="a", **WHERE))
    with pytest.raises(ActionRefused, match="policy `b`"):
        gate.check(Action.shell("ls", agent_id="b", **WHERE))
    with gate.run(agent_id="a"), pytest.raises(ActionRefused, match="policy `b`"):
        gate.check(Action.shell("ls", agent_id="b", **WHERE))


def test_what_is_approved_for_one_agent_of_a_run_is_not_for_another(configured: Callable[[str], Gate]) -> None:
    gate = configured(QUEUE)
    for agent in ("victim", "mallory"):
        with pytest.raises(ActionRefused, match="waits for an approval"):
            gate.check(msgspec.structs.replace(PUSH, run_id="shared", agent_id=agent))
    mine = next(one for one in gate.approvals.list() if one.agent_id == "victim")
    gate.approvals.answer(mine.approval_id, yes("bob", scope=GrantScope.RUN))
    with pytest.raises(ActionRefused, match="waits for an approval"):
        gate.check(msgspec.structs.replace(PUSH, run_id="shared", agent_id="mallory"))
    assert gate.check(msgspec.structs.replace(PUSH, run_id="shared", agent_id="victim")).by in (
        "approval",
        "remembered",
    )


def test_runs_and_agents_that_come_and_go_are_forgotten(store: str) -> None:
    gate = Gate(store=store)
    gate.sessions.limit = 5
    for number in range(20):
        with gate.run(agent_id="bot"):
            gate.decide(Action.shell("ls", agent_id=f"agent {number}", **WHERE))
        gate.decide(Action.shell("ls", agent_id=f"agent {number}", **WHERE))
        gate.decide(Action.shell("ls", run_id=f"run {number}", **WHERE))
    gc.collect()
    assert len(list(gate.sessions)) <= 5
    assert len(gate.sessions.default_sessions(user_name())) <= 5
    gate.close()


def test_a_run_that_an_action_names_is_the_one_that_its_agent_was_given(store: str) -> None:
    with Gate(store=store) as gate:
        own = gate.session(Action.shell("ls", agent_id="bot"))
        assert gate.session(Action.shell("ls", agent_id="bot")) is own
        assert gate.session(Action.shell("ls", run_id=own.run_id)) is own
        with gate.run(run_id="odd\nname") as session:
            assert gate.session(Action.shell("ls", run_id="odd\nname")) is session


def test_sessions_of_one_run_share_its_history(store: str) -> None:
    """A guard and the program around it may use one run: neither misses what the other has done."""
    place = {"cwd": "/w", "workspace": "/w"}
    download = Action.shell("curl -o setup.sh https://example.com/setup.sh", **place)
    with Gate(store=store) as gate, gate.run("bot", workspace="/w") as run:
        client = gate.session_of(user_name(), run.run_id, "bot", "/w", "bot")
        for session in (run, client):
            assert session.decide(Action.shell("ls", **place)).allowed
        run.decide(download)
        assert "remote_code" in rules_of(client.decide(Action.shell("sh setup.sh", **place)))
        client.decide(Action.shell("curl -o other.sh https://example.com/other.sh", **place))
        assert "remote_code" in rules_of(run.decide(Action.shell("sh other.sh", **place)))
        client.add_person_request("install it")
        assert run.person_requests == client.person_requests == ("install it",)


def rules_of(decision: Decision) -> list[str]:
    return [finding.rule for finding in decision.assessment.findings]


def test_a_gate_ends_its_own_runs_and_no_client_s(store: str) -> None:
    with Gate(store=store) as gate:
        own = gate.session(Action.shell("ls"))
        client = gate.session_of(user_name(), gate.sessions.default_run_id(user_name(), "bot"), "bot", None)
        for session in (own, client):
            session.decide(Action.shell("ls", **WHERE))
    with Gate(store=store) as gate:
        assert gate.runs.get(own.run_id).state == ENDED
        assert gate.runs.get(client.run_id).state == OPEN


def test_two_gates_do_not_take_each_other_s_runs(store: str, tmp_path: Path) -> None:
    with Gate(store=store) as first, Gate(store=f"sqlite:///{tmp_path}/other.db") as second, first.run(agent_id="bot"):
        second.check(Action.shell("ls", **WHERE))
        assert len(told(second, "decision")) == 1
        assert told(first, "decision") == []


@pytest.mark.usefixtures("alone")
def test_always_is_not_for_another_environment_or_workspace(store: str, own: Path) -> None:
    bare = Action.shell("git push --force origin main", cwd="/home/u/project", home="/home/u")
    person = agreeing(GrantScope.ALWAYS)
    for asked, more in enumerate(("", 'environment = "production"\n', 'workspace = "/srv/other"\n'), 1):
        (own / "interlock.toml").write_text(more + ALONE)
        with Gate(store=store, approver=person) as gate:
            gate.check(bare)
            gate.check(bare)
        assert len(person.asked) == asked


def test_the_workspace_of_a_run_is_that_of_its_actions(gate: Gate) -> None:
    with gate.run(agent_id="bot", workspace="/home/u/project"):
        assert gate.decide(Action.shell("rm -rf build")).allowed


def test_a_run_is_a_timeline(gate: Gate) -> None:
    with gate.run(agent_id="bot", workspace="/home/u/project") as run:
        for number in range(7):
            gate.check(Action.shell(f"ls {number}", **WHERE))
    (found, actions), *_ = gate.runs.list()
    assert (found.run_id, found.agent_id, found.state, actions) == (run.run_id, "bot", "ended", 7)
    database, wanted, seen = gate.journal.database, RecordFilter(run_id=run.run_id), []
    after = 0
    while lines := read_page(database, wanted, after=after, limit=4):
        seen += [line.record.kind for line in lines]
        after = lines[-1].record.seq
    assert seen == ["run.started", *["decision"] * 7, "run.ended"]
    assert [line.record.name for line in read_newest(database, wanted, 2)] == ["Bash", None]


def test_novelty_counts_across_processes(store: str) -> None:
    action = Action(tool_name="frobnicate_widget", input_payload={"a": 1})
    scores: list[int] = []
    for _ in range(3):  # each gate stands for a process
        with Gate(store=store) as gate, gate.run(agent_id="bot", run_id="shared"):
            scores.append(gate.decide(action).assessment.score)
            assert gate.runs.state("shared").calls["frobnicate_widget"] == len(scores)
    with Gate(store=store) as first, Gate(store=store) as second:
        first.decide(msgspec.structs.replace(action, run_id="shared"))
        second.decide(msgspec.structs.replace(action, run_id="shared"))
        assert first.runs.state("shared").calls["frobnicate_widget"] == 5


def test_a_download_of_another_process_needs_approval_to_run(store: str) -> None:
    fetch = Action.shell("curl -o setup.sh https://example.com/setup.sh", run_id="shared", **WHERE)
    run = Action.shell("sh setup.sh", run_id="shared", **WHERE)
    with Gate(store=store) as gate:
        gate.check(fetch)
    with Gate(store=store) as gate:
        rules = [finding.rule for finding in gate.decide(run).assessment.findings]
    assert "remote_code" in rules


@pytest.mark.usefixtures("alone")
def test_an_approved_download_is_recorded(store: str) -> None:
    fetch = Action.shell("sudo curl -o setup.sh https://example.com/setup.sh && git push -f", run_id="r", **WHERE)
    with Gate(store=store, approver=agreeing()) as gate:
        assert gate.check(fetch).by == "approval"
        for one in (gate, Gate(store=store)):
            found = one.decide(Action.shell("sh setup.sh", run_id="r", **WHERE)).assessment.findings
            assert "remote_code" in [finding.rule for finding in found]


def test_a_download_of_another_process_counts_at_once(store: str) -> None:
    with Gate(store=store) as first, Gate(store=store) as second:
        first.check(Action.shell("ls", run_id="r", **WHERE))
        second.check(Action.shell("curl -o setup.sh https://example.com/setup.sh", run_id="r", **WHERE))
        assert first.decide(Action.shell("sh setup.sh", run_id="r", **WHERE)).verdict is Verdict.REQUIRE_APPROVAL


def test_a_paused_run_is_refused_until_it_is_resumed(gate: Gate) -> None:
    from interlock.audit.runs import pause_run

    with gate.run(agent_id="bot", run_id="r1"):
        gate.check(Action.shell("ls", **WHERE))
        gate.journal.commit(lambda transaction: pause_run(transaction, "r1", "for a test"))
        with pytest.raises(ActionRefused, match="is paused") as found:
            gate.check(Action.shell("ls", **WHERE))
        assert "interlock runs resume" in found.value.how
        decision = gate.decide(Action.shell("ls", **WHERE))
        assert (decision.verdict, decision.cause) == (Verdict.BLOCK, Cause.PAUSED_RUN)
    with gate.run(agent_id="bot", run_id="r1"):  # leaving and coming back is no way out
        with pytest.raises(ActionRefused, match="is paused"):
            gate.check(Action.shell("ls", **WHERE))
        outcomes = [line.record.outcome for line in read_all(gate.journal.database, RecordFilter(kind="decision"))]
        assert outcomes == ["allow", "block", "block", "block"]
        gate.runs.resume("r1", "ann")
        gate.check(Action.shell("ls", **WHERE))
        with pytest.raises(InterlockError, match="not paused"):
            gate.runs.resume("r1", "ann")


@pytest.mark.parametrize("unknown", ["", "zzz", "%"])
def test_an_unknown_run_is_an_error(gate: Gate, unknown: str) -> None:
    gate.check(Action.shell("ls", **WHERE))
    with pytest.raises(InterlockError, match="there is no run"):
        gate.runs.get(unknown)


HOSTILE = ["\0", "\ud800", "\x1b[2J", "a" * 5_000, "‮", "'; DROP TABLE runs; --", "é" * 300]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_that_would_break_a_store_or_a_terminal(gate: Gate, own: Path, name: str) -> None:
    action = Action(tool_name=name, input_payload={name: name}, agent_id=name, run_id=name, **WHERE)
    decision = gate.decide(action)
    assert decision.verdict in tuple(Verdict)
    with gate.journal.database.read() as connection:
        found = [
            *connection.values("SELECT run_id FROM interlock_runs"),
            *connection.values("SELECT name FROM interlock_records"),
        ]
    assert all(one.isprintable() and len(one) <= 200 for one in found if one)
    assert good(gate, own)


# what is kept


def test_secrets_are_masked_before_they_are_stored(store: str, own: Path) -> None:
    secret = "hunter2-XyZ-9876"
    config = own / "interlock.toml"
    own.mkdir()
    config.write_text("[audit]\npayloads = true\n")
    with Gate(store=store, approver=agreeing()) as gate:
        for action in (  # the last one needs approval, on PostgreSQL by another person
            Action.shell(f"curl -u ann:{secret} https://x.example", **WHERE),
            Action(tool_name="login", input_payload={"password": secret, "nested": [{"apiKey": secret}]}),
            Action(tool_name="set_variable", input_payload={"env": [{"name": "DB_PASSWORD", "value": secret}]}),
            Action(tool_name="run_job", input_payload={"args": ["deploy-7", "--token", secret]}),
            Action.shell(f"PASSWORD={secret} git push --force origin main", **WHERE),
        ):
            try:
                gate.check(action)
            except ActionRefused:
                assert not gate.journal.database.is_sqlite
        with gate.journal.database.read() as connection:
            kept = connection.values("SELECT body FROM interlock_records")
            kept += connection.values("SELECT request FROM interlock_approvals")
    assert any("inputPayload" in body for body in kept)
    assert not any(secret in body for body in kept)


def test_inputs_are_recorded_unless_configured_otherwise(configured: Callable[[str], Gate]) -> None:
    note = Action(tool_name="note", input_payload={"content": "x" * 1_000})
    gate = configured("")
    gate.check(note)
    gate.check(Action(tool_name="note", input_payload={"password": "hunter2"}))
    whole, masked = (line.record.data for line in read_all(gate.journal.database, RecordFilter(kind="decision")))
    assert (whole["action"]["inputPayload"], "masked" in whole) == (note.input_payload, False)
    assert (masked["action"]["inputPayload"], masked["masked"]) == ({"password": "‹7 masked›"}, True)
    gate.decide(Action(tool_name="note", metadata={str(at): "long words " * 2_000 for at in range(9)}))
    long = read_newest(gate.journal.database, RecordFilter(kind="decision"), 1)[0]
    assert (long.record.data["masked"], len(long.body) < 80_000) == (True, True)
    configured("[audit]\npayloads = false\n").check(note)
    data = read_newest(gate.journal.database, RecordFilter(kind="decision"), 1)[0].record.data
    assert "action" not in data
    assert len(data["text"]) <= 301


def test_policies_and_configurations_are_recorded(configured: Callable[[str], Gate], own: Path) -> None:
    gate = configured('mode = "assist"\n')
    assert told(gate, "policy") == ["policy"]
    (own / "interlock.toml").write_text(POLICY)
    time.sleep(0.05)  # callers that come at once share a look at the files
    gate.decide(Action.shell("ls"))
    assert told(gate, "policy") == ["policy", "policy"]
    configurations = [line.record.data for line in read_all(gate.journal.database, RecordFilter(kind="configuration"))]
    assert [one["mode"] for one in configurations] == ["assist", "full"]
    newest = read_newest(gate.journal.database, RecordFilter(kind="policy"), 1)[0].record.data["policies"]
    assert "releases" in [policy["policyId"] for policy in newest]


def test_an_override_is_recorded(configured: Callable[[str], Gate]) -> None:
    gate = configured('[[policies]]\npolicy_id = "mine"\nconditions = ["toolName=Bash"]\naction = "allow"\n')
    gate.check(PUSH)
    (line,) = read_all(gate.journal.database, RecordFilter(kind="override"))
    assert line.record.name == "policy mine"


def test_the_chain_can_be_followed(gate: Gate) -> None:
    gate.check(Action.shell("ls", **WHERE))
    lines = follow_records(gate.journal.database, RecordFilter(kind="decision"), after=0, seconds=0.01)
    assert next(lines).record.kind == "decision"
    thread = threading.Timer(0.05, lambda: gate.check(Action.shell("ls -l", **WHERE)))
    thread.start()
    assert next(lines).record.data["text"] == "ls -l"
    thread.join()


# when the store fails


def broken(gate: Gate) -> None:
    """Make the store refuse every write."""
    with gate.journal.database.write() as connection:
        connection.run("ALTER TABLE interlock_records RENAME TO records_gone")


def mended(gate: Gate) -> None:
    with gate.journal.database.write() as connection:
        connection.run("ALTER TABLE records_gone RENAME TO interlock_records")


def test_an_action_that_cannot_be_recorded_is_refused(gate: Gate) -> None:
    gate.check(Action.shell("ls", **WHERE))
    broken(gate)
    for attempt in (gate.check, gate.decide):
        with pytest.raises(ActionRefused, match="could not be recorded"):
            attempt(Action.shell("ls", **WHERE))


def test_an_action_that_cannot_be_recorded_is_spooled_if_configured(
    configured: Callable[[str], Gate], own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("interlock.audit.spool.BACKOFF_SECONDS", 0.0)
    gate = configured('[audit]\nunwritable = "spool"\n')
    gate.check(Action.shell("ls 0", **WHERE))
    broken(gate)
    for number in (1, 2, 3):
        assert gate.check(Action.shell(f"ls {number}", **WHERE)).by == "decision"
    with pytest.raises(ActionRefused, match="could not be recorded"):
        gate.check(PUSH)  # a request that cannot be stored cannot be approved
    mended(gate)
    gate.check(Action.shell("ls 4", **WHERE))
    texts = [line.record.data["text"] for line in read_all(gate.journal.database, RecordFilter(kind="decision"))]
    assert sorted(texts) == ["ls 0", "ls 1", "ls 2", "ls 3", "ls 4"]
    assert told(gate, "spool") == ["spool"]
    assert [file.stat().st_size for file in (own / "spool").iterdir()] == [0]
    assert good(gate, own)


def test_the_next_gate_merges_the_spool_once(configured: Callable[[str], Gate], store: str, own: Path) -> None:
    gate = configured('[audit]\nunwritable = "spool"\n')
    broken(gate)
    gate.check(Action.shell("ls 1", **WHERE))
    mended(gate)
    (file,) = (own / "spool").iterdir()
    kept = file.read_bytes()
    with Gate(store=store) as second:
        assert told(second, "decision") == ["decision"]
    file.write_bytes(kept)  # as after a crash between the commit and the removal
    with Gate(store=store) as third:
        assert told(third, "decision") == ["decision"]
        assert good(third, own)


def test_a_torn_or_repeated_spool_loses_nothing(
    configured: Callable[[str], Gate], store: str, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("interlock.audit.spool.BACKOFF_SECONDS", 0.0)
    gate = configured('[audit]\nunwritable = "spool"\n')
    broken(gate)
    gate.check(Action.shell("ls 1", **WHERE))
    (file,) = (own / "spool").iterdir()
    file.write_bytes(file.read_bytes() + file.read_bytes() + b'{"torn')
    gate.check(Action.shell("ls 2", **WHERE))
    mended(gate)
    with Gate(store=store) as second:
        texts = [line.record.data["text"] for line in read_all(second.journal.database, RecordFilter(kind="decision"))]
        assert sorted(texts) == ["ls 1", "ls 2"]
        assert good(second, own)


def test_a_failed_merge_keeps_the_spool(configured: Callable[[str], Gate], store: str, own: Path) -> None:
    gate = configured('[audit]\nunwritable = "spool"\n')
    broken(gate)
    gate.check(Action.shell("ls 1", **WHERE))
    with pytest.raises(StoreError):
        gate.spool.merge(gate.journal)
    mended(gate)
    with Gate(store=store) as second:
        assert told(second, "decision") == ["decision"]


def test_unsigned_lines_of_the_spool_are_not_merged(configured: Callable[[str], Gate], store: str, own: Path) -> None:
    gate = configured('[audit]\nunwritable = "spool"\n')
    broken(gate)
    gate.check(Action.shell("ls 1", **WHERE))
    mended(gate)
    (file,) = (own / "spool").iterdir()
    file.write_bytes(file.read_bytes().replace(b"ls 1", b"ls 2"))
    with Gate(store=store) as second:
        assert told(second, "decision") == []
        (line,) = read_all(second.journal.database, RecordFilter(kind="spool"))
        assert line.record.data["unsigned"] == 1


def test_a_gate_whose_store_cannot_be_reached_does_not_open() -> None:
    with pytest.raises(StoreError, match="failed"):
        Gate(store="postgresql://ann@127.0.0.1:1/x")


def test_a_gate_whose_configuration_does_not_load_does_not_open(tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text('mode = "ful"\n')
    with pytest.raises(ConfigError, match="did you mean `full`"):
        Gate.open(tmp_path / "broken.toml")


def test_a_project_file_cannot_say_who_answers(tmp_path: Path) -> None:
    for text_ in (
        'store = "sqlite:///mine.db"\n',
        "[approvals]\none_person = true\n",
        "[audit]\npayloads = false\n",
        '[roles]\nleads = ["bot"]\n',
        "[crisis]\ncontext_bypass = true\n",
        '[reviewer]\nname = "x"\nprotocol = "openai"\nendpoint = "http://127.0.0.1:1"\nmodel = "y"\n',
    ):
        (tmp_path / "interlock.toml").write_text(text_)
        with pytest.raises(ConfigError, match="loosens"):
            Gate.open(tmp_path / "interlock.toml")


def test_the_url_of_the_store_is_found(tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def place(**fields: Any) -> str:
        with Gate(**fields) as gate:
            return Path(gate.journal.database.url.path).name

    assert place() == "interlock.db"
    (own / "interlock.toml").write_text(f'store = "sqlite:///{tmp_path}/configured.db"\n')
    assert place() == "configured.db"
    monkeypatch.setenv("INTERLOCK_STORE", f"sqlite:///{tmp_path}/variable.db")
    assert place() == "variable.db"
    assert place(store=f"sqlite:///{tmp_path}/given.db") == "given.db"


def test_importing_interlock_does_not_import_a_database() -> None:
    import subprocess
    import sys

    code = "import interlock, sys; sys.exit(any(m.split('.')[0] in ('sqlite3', 'cryptography') for m in sys.modules))"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError):
        _ = interlock.Gates


EXPLAINED = """
[[policies]]
policy_id = "no-pay"
name = "Payments need finance"
description = "Ask finance@shop.example. They pay by invoice."
conditions = ["toolName=look_up"]
action = "block"
"""


def test_a_refusal_names_the_policy_and_says_what_it_says(configured: Callable[[str], Gate]) -> None:
    gate = configured(EXPLAINED)
    with pytest.raises(ActionRefused) as refused:
        gate.check(Action(tool_name="look_up", input_payload={"id": 1}))
    said = str(refused.value)
    assert "policy `no-pay` (Payments need finance): Ask finance@shop.example. They pay by invoice;" in said
    assert "ask the owner of `no-pay`" in said
    assert "No risk patterns" not in said

"""Policies that compare an action with its agent's baseline, in a real store: what counts, and what agents try."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from interlock import Action, ActionRefused, Gate, Verdict
from interlock.approval.request import Answer, AnswerVerdict, ChallengeResult
from interlock.audit.read import RecordFilter, read_all
from interlock.baseline.count import MAX_NAMES, count_executed_actions, forget_counts
from interlock.gate import baselines
from interlock.history import load_setup
from interlock.history.replay.result import ReplayResult
from interlock.history.replay.run_replay import UNRECORDED, replay_records
from interlock.policies.simulation import Simulator
from interlock.policy.policies import Policy
from interlock.store.connection import Connection
from tests.learning.past import DAY, Clock

SHOP = "/home/u/shop"
PLACE: dict[str, Any] = {"cwd": SHOP, "workspace": SHOP, "home": "/home/u"}
KNOWN, NEW = "curl https://known.example/x", "curl https://new.example/x"
HOSTS = '[[policies]]\npolicy_id = "drift"\naction = "require_approval"\nconditions = ["drift.new_host=true"]\n'
TOOLS = HOSTS.replace("drift.new_host=true", "drift.new_tool=true")
FOLDERS = HOSTS.replace("drift.new_host=true", "drift.new_folder=true")
RATE = HOSTS.replace('conditions = ["drift.new_host=true"]', 'when = "drift.rate > 2"')
NOTHING = "mode = 'full'\n"
Configured = Callable[[str], Gate]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock(monkeypatch)
    found.come_back()
    return found


@pytest.fixture
def past(configured: Configured, clock: Clock) -> None:
    """An agent that fetched from one host on four days, in a store whose policies used no baselines then."""
    gate = configured(NOTHING)
    for days in (5, 4, 3, 2):
        clock.behind = days * DAY
        for number in range(15):
            assert act(gate, KNOWN, run=f"past-{days}").allowed, number
    clock.come_back()


def act(gate: Gate, command: str | Action, agent: str = "coder", run: str = "", named: str | None = None) -> Any:
    """Have an action of an agent's run decided and recorded. It may name another agent."""
    action = Action.shell(command, **PLACE) if isinstance(command, str) else command
    session = gate.session_of("sam", run or f"run-of-{agent}", agent, SHOP)
    return session.submit_check(msgspec.structs.replace(action, agent_id=named or agent)).decision


def on_another_day(gate: Gate, clock: Clock, *commands: str, days: int = 1, **more: Any) -> list[Verdict]:
    """Have actions decided on a day before today."""
    clock.behind = days * DAY
    found = [act(gate, command, run=f"day-{days}", **more).verdict for command in commands]
    clock.come_back()
    return found


def is_asked(decision: Any) -> bool:
    return any(match.policy_id == "drift" for match in decision.matched_policies)


def names(gate: Gate, what: str, agent: str = "coder") -> set[str]:
    """Return what is counted for an agent."""
    count_executed_actions(gate.journal)
    with gate.journal.database.read() as connection:
        query = "SELECT name FROM interlock_usage WHERE what = :what AND agent_id = :agent"
        return set(connection.values(query, what=what, agent=agent))


def test_new_hosts_tools_and_folders_ask(configured: Configured, past: None) -> None:
    gate = configured(HOSTS)
    assert not is_asked(act(gate, KNOWN))
    assert is_asked(act(gate, NEW))
    assert is_asked(act(gate, "curl $URL"))
    gate = configured(TOOLS)
    assert not is_asked(act(gate, NEW))
    assert is_asked(act(gate, Action(tool_name="list_items", **PLACE)))
    gate = configured(FOLDERS)
    assert not is_asked(act(gate, "true"))
    assert is_asked(act(gate, "cat /srv/other/a.txt"))


def test_what_is_new_today_stays_new_today(configured: Configured, past: None) -> None:
    gate = configured(NOTHING)
    assert act(gate, NEW).allowed
    gate = configured(HOSTS)
    assert is_asked(act(gate, NEW)), "the baseline consists of the days before"


def test_without_enough_of_a_past_everything_is_new(configured: Configured, past: None, clock: Clock) -> None:
    gate = configured(HOSTS)
    assert is_asked(act(gate, KNOWN, agent="newcomer"))
    assert not is_asked(act(gate, "true", agent="newcomer"))
    young = configured(NOTHING)
    on_another_day(young, clock, *[KNOWN] * 60, agent="hasty")
    gate = configured(HOSTS)
    assert is_asked(act(gate, KNOWN, agent="hasty")), "one day is not enough, however much it does"
    nobody = gate.session_of("sam", "nobody", None, SHOP).submit_check(Action.shell(KNOWN, **PLACE))
    assert is_asked(nobody.decision), "an action without an agent has no baseline"


def test_what_is_older_than_the_window_is_new_again(configured: Configured, past: None, clock: Clock) -> None:
    gate = configured(NOTHING)
    on_another_day(gate, clock, NEW, days=40)
    assert is_asked(act(configured(HOSTS), NEW))


def test_a_busy_agent_asks(configured: Configured, past: None) -> None:
    gate = configured(RATE)
    found = [act(gate, KNOWN) for _ in range(45)]
    asked = [is_asked(one) for one in found]
    assert asked == [False] * 40 + [True] * 5, "20 actions an hour count as usual at least"
    other = configured(RATE)
    assert is_asked(act(other, KNOWN)), "another server counts the same"
    assert is_asked(act(other, KNOWN, agent="newcomer")), "an agent without a baseline has no usual rate"


def test_one_burst_does_not_raise_the_usual_rate(configured: Configured, past: None, clock: Clock) -> None:
    gate = configured(NOTHING)
    on_another_day(gate, clock, *["true"] * 200)
    gate = configured(RATE)
    assert [is_asked(act(gate, KNOWN)) for _ in range(45)].count(True) == 5


# what agents try


def test_refused_attempts_do_not_train(configured: Configured, past: None, clock: Clock) -> None:
    gate = configured(HOSTS.replace("require_approval", "block"))
    assert set(on_another_day(gate, clock, *[NEW] * 20)) == {Verdict.BLOCK}
    asking = configured(HOSTS)
    assert set(on_another_day(asking, clock, *[NEW] * 5)) == {Verdict.REQUIRE_APPROVAL}, "asked, and never answered"
    assert "new.example" not in names(asking, "ran.host")
    assert is_asked(act(configured(HOSTS), NEW))


def test_what_was_only_observed_does_not_train(configured: Configured, past: None, clock: Clock) -> None:
    watched = configured(HOSTS + '[observe]\nagents = ["coder"]\n')
    assert set(on_another_day(watched, clock, NEW, NEW)) == {Verdict.ALLOW}
    assert is_asked(act(configured(HOSTS), NEW))


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)  # whose clock a test can move
@pytest.mark.parametrize("verdict", [AnswerVerdict.APPROVE, AnswerVerdict.REJECT])
def test_what_a_person_approved_trains(
    configured: Configured, past: None, clock: Clock, verdict: AnswerVerdict
) -> None:
    gate = configured('[approvals]\nunattended = "wait"\n' + HOSTS)
    clock.behind = DAY
    session = gate.session_of("sam", "approved", "coder", SHOP)
    action = Action.shell(NEW, agent_id="coder", **PLACE)
    submission = session.submit_check(action)
    assert submission.approval is not None
    challenge = ChallengeResult(kind="multi_party", passed=True, seconds=60)
    answer = Answer(
        approver="bob",
        verdict=verdict,
        challenge=challenge if verdict is AnswerVerdict.APPROVE else None,
        at=time.time_ns() // 1_000,
    )
    gate.approvals.answer(submission.approval.approval_id, answer)
    with contextlib.suppress(ActionRefused):
        session.approvals.finish(submission)
    clock.come_back()
    assert is_asked(act(configured(HOSTS), NEW)) is (verdict is AnswerVerdict.REJECT)


def test_an_event_that_an_agent_reports_does_not_train(configured: Configured, past: None) -> None:
    gate = configured(HOSTS)
    session = gate.session_of("sam", "lies", "coder", SHOP)
    submission = session.submit_check(Action.shell(NEW, agent_id="coder", **PLACE))
    append(gate, submission, "event", name="tool.completed")
    append(gate, submission, "event", name="tool.completed", data={})
    assert "new.example" not in names(gate, "ran.host"), "nobody was asked"
    append(gate, submission, "asked", name="coder")
    append(gate, submission, "event", name="tool.completed", data={})
    assert "new.example" not in names(gate, "ran.host"), "over the API, an agent can say what it likes"


def append(gate: Gate, submission: Any, kind: str, **fields: Any) -> None:
    """Record something about a decided action."""
    entry = submission.record.entry(kind, time.time_ns() // 1_000, decisionId=submission.record_id, **fields)
    gate.journal.commit(lambda transaction: transaction.append(entry))


def test_what_the_agents_own_user_let_run_trains(configured: Configured, past: None) -> None:
    gate = configured(f"{HOSTS}\n[approvals]\none_person = true\n")
    session = gate.session_of("sam", "asks", "coder", SHOP)
    submission = session.submit(Action.shell(NEW, agent_id="coder", **PLACE), agent_asks=lambda _: True)
    assert submission.by == "asked"
    assert "new.example" not in names(gate, "ran.host"), "asked, and not answered yet"
    append(gate, submission, "event", name="tool.completed")
    assert "new.example" in names(gate, "ran.host")


@pytest.mark.parametrize(("kind", "trains"), [("grant.used", True), ("approval.used", True), ("bypass", False)])
def test_a_grant_trains_and_a_crisis_does_not(configured: Configured, past: None, kind: str, trains: bool) -> None:
    gate = configured(HOSTS)
    session = gate.session_of("sam", "granted", "coder", SHOP)
    submission = session.submit_check(Action.shell(NEW, agent_id="coder", **PLACE))
    append(gate, submission, kind, name="x")
    assert ("new.example" in names(gate, "ran.host")) is trains


def test_harmless_variants_do_not_train(configured: Configured, past: None, clock: Clock) -> None:
    gate = configured(NOTHING)
    variants = [
        "curl https://a.new.example/x",
        "curl https://new.example.known.example/x",
        "curl https://new.example@known.example/x",
        "curl 'https://known.example/?to=new.example'",
        "echo https://new.example/x",
        "curl https://known.example/new.example",
    ]
    assert set(on_another_day(gate, clock, *variants)) <= {Verdict.ALLOW, Verdict.REQUIRE_APPROVAL}
    gate = configured(HOSTS)
    assert is_asked(act(gate, NEW))
    assert not is_asked(act(gate, KNOWN))


def test_a_flood_of_names_adds_no_more_than_a_day_can_have(configured: Configured, past: None, clock: Clock) -> None:
    gate = configured(NOTHING)
    count_executed_actions(gate.journal)
    clock.behind = DAY
    session = gate.session_of("sam", "flood", "coder", SHOP)
    record = session.submit_check(Action.shell("true", agent_id="coder", **PLACE)).record
    at = time.time_ns() // 1_000
    flood = [
        record.entry("decision", at, name="terminal", outcome="allow", resources=[f"host:h{number}.example"])
        for number in range(MAX_NAMES + 300)
    ]
    gate.journal.commit(lambda transaction: [transaction.append(one) for one in flood])
    clock.come_back()
    assert len(names(gate, "ran.host")) == MAX_NAMES + 1
    gate = configured(HOSTS)
    assert not is_asked(act(gate, KNOWN))
    assert is_asked(act(gate, f"curl https://h{MAX_NAMES + 200}.example"))


def test_another_name_neither_borrows_nor_trains_a_baseline(configured: Configured, past: None, clock: Clock) -> None:
    gate = configured(HOSTS)
    assert is_asked(act(gate, KNOWN, agent="other", named="coder")), "the baseline of the run's agent counts"
    loose = configured(NOTHING)
    on_another_day(loose, clock, *[NEW] * 5, agent="other", named="coder")
    assert "new.example" not in names(loose, "ran.host", "coder")
    assert "new.example" in names(loose, "ran.host", "other"), "it is what the other agent did"
    assert is_asked(act(configured(HOSTS), NEW))


def test_other_names_do_not_hide_a_rate(configured: Configured, past: None) -> None:
    gate = configured(RATE)
    found = [is_asked(act(gate, KNOWN, named=f"coder-{number}")) for number in range(45)]
    assert found.count(True) == 5


# what it costs, and what is recorded


def test_without_such_a_policy_nothing_more_is_read(
    configured: Configured, past: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = configured(NOTHING)
    act(gate, KNOWN)
    statements: list[str] = []
    execute = Connection._execute

    def spy(self: Connection, statement: str, given: Any) -> Any:
        statements.append(statement)
        return execute(self, statement, given)

    monkeypatch.setattr(Connection, "_execute", spy)
    monkeypatch.setattr(baselines.Baselines, "find", lambda *_: pytest.fail("a baseline was looked for"))
    act(gate, KNOWN)
    assert statements
    assert not [one for one in statements if "interlock_usage" in one or "interlock_cursors" in one]
    assert "drift" not in newest(gate)


def newest(gate: Gate) -> dict[str, Any]:
    return [line.record.data for line in read_all(gate.journal.database, RecordFilter(kind="decision"))][-1]


def test_a_baseline_is_read_once_a_day(configured: Configured, past: None, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = configured(HOSTS)
    act(gate, KNOWN)
    monkeypatch.setattr(baselines.Baselines, "_load", lambda *_: pytest.fail("it was read again"))
    assert not is_asked(act(gate, KNOWN))


def test_a_long_past_is_counted_in_parts_and_is_strict_meanwhile(
    configured: Configured, past: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("interlock.baseline.count.BATCH", 50)
    monkeypatch.setattr(baselines, "MAX_COUNTED", 50)
    gate = configured(HOSTS)
    found = [is_asked(act(gate, KNOWN)) for _ in range(20)]
    assert found[0], "not counted yet, so everything is new"
    assert not found[-1]


def test_counting_again_gives_the_same(configured: Configured, past: None) -> None:
    gate = configured(HOSTS)
    before = names(gate, "ran.host")
    gate.journal.commit(lambda transaction: forget_counts(transaction.connection))
    assert names(gate, "ran.host") == before == {"known.example"}


def test_a_store_that_cannot_be_read_asks(configured: Configured, past: None, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = configured(HOSTS)
    monkeypatch.setattr(baselines.Baselines, "find", lambda *_: None)
    decision = act(gate, KNOWN)
    assert decision.verdict is Verdict.REQUIRE_APPROVAL
    assert "it depends on the baseline" in decision.because


def replay(gate: Gate, own: Path) -> list[ReplayResult]:
    setup = load_setup(own / "interlock.toml")
    records = (line.record for line in read_all(gate.journal.database, RecordFilter()))
    return list(replay_records(records, setup))


def test_a_replay_gives_the_same_verdicts(configured: Configured, past: None, own: Path) -> None:
    gate = configured(HOSTS)
    before = [act(gate, command).verdict.value for command in (KNOWN, NEW, "curl $URL", "true")]
    assert newest(gate)["drift"] == {"fields": ["drift.new_host"], "known": True}
    results = [one for one in replay(gate, own) if one.run_id == "run-of-coder"]
    assert [one.after for one in results] == before == ["allow", "require_approval", "require_approval", "allow"]
    assert not any(one.undecided for one in results)
    older = [one for one in replay(gate, own) if one.run_id != "run-of-coder"]
    assert {one.undecided for one in older} == {UNRECORDED}, "no policy had asked for a baseline then"
    assert {one.before for one in older} == {one.after for one in older}


def test_a_simulation_knows_recorded_facts_and_counts_others_as_unknown(configured: Configured, past: None) -> None:
    gate = configured(HOSTS)
    for command in (KNOWN, NEW, "true"):
        act(gate, command)
    lines = list(read_all(gate.journal.database, RecordFilter(kind="decision")))
    stricter = Policy("drift", conditions=("drift.new_host=true",), action=Verdict.BLOCK)  # type: ignore[arg-type]
    now = tuple(gate.engine.policies)
    draft = tuple(stricter if one.policy_id == "drift" else one for one in now)
    found = Simulator(now, draft, gate.config).run(lines[-3:])
    assert (found.actions, found.unknown, found.matched, found.stricter) == (3, 0, 1, 1)
    older = Simulator(now, draft, gate.config).run(lines[:10])
    assert older.unknown == older.actions == 10
    folders = Policy("folders", conditions=("drift.new_folder=true",), action=Verdict.BLOCK)  # type: ignore[arg-type]
    other = Simulator(now, (*now, folders), gate.config).run(lines[-3:])
    assert other.unknown == 3, "these facts were not recorded"

"""The life of a request: how long it is open, who can answer it, quizzes that are failed, and grants by shape."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from interlock import Action, Gate
from interlock.access.people import SHUT_OUT, People
from interlock.access.roles import Role
from interlock.approval.approver import NoApprover
from interlock.approval.eligibility import count_answerable, describe_eligible, eligible_people
from interlock.approval.lifetime import find_fixed_seconds, request_seconds
from interlock.approval.repository import ApprovalRepository
from interlock.approval.request import Answer, Approval, ApprovalState, ChallengeResult, GrantScope
from interlock.approval.rules import ApprovalRules
from interlock.audit.journal import Journal
from interlock.audit.keys import KeyRing
from interlock.audit.verify import verify
from interlock.config.settings import ApprovalSettings
from interlock.errors import ActionRefused, ApprovalError, EndedError, NotYoursError, QuizPauseError, TamperedError
from interlock.levels import Verdict
from interlock.metrics.action_filter import ActionFilter
from interlock.metrics.action_index import index_new_actions
from interlock.metrics.action_list import count_matching, read_actions
from interlock.model import Ask, Match
from interlock.store import migrate as migrations
from interlock.store.clock import MICROSECONDS, Moment, now
from tests.world.requests import ENGINE, PUSH, request_approval, yes

HOUR, DAY = 3_600 * MICROSECONDS, 86_400 * MICROSECONDS
WRONG = ChallengeResult(kind="quiz", passed=False, seconds=9, answers=("x",), why="wrong", wrong=("Where?",))
WHERE: dict[str, Any] = {"cwd": "/home/u/p", "workspace": "/home/u/p", "home": "/home/u"}


@pytest.fixture
def register(journal: Journal) -> ApprovalRepository:
    return ApprovalRepository(journal, ApprovalRules(one_person=False))


class Clock:
    """The clock of the store, which a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.passed = 0
        for module in ("lifetime", "quiz_attempts", "repository", "transitions", "eligibility", "grants"):
            monkeypatch.setattr(f"interlock.approval.{module}.now_in", lambda _connection: self.now())

    def now(self) -> Moment:
        at = now()
        return at._replace(wall=at.wall + self.passed, ticks=at.ticks + self.passed)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def records(journal: Journal, kind: str) -> list[dict[str, Any]]:
    query = "SELECT body FROM interlock_records WHERE kind = :kind ORDER BY seq"
    with journal.database.read() as connection:
        return [msgspec.json.decode(body) for body in connection.values(query, kind=kind)]


# how long a request is open


def test_a_request_is_open_for_a_day_unless_somebody_is_asked_now_or_a_policy_limits_it() -> None:
    decision = ENGINE.decide(PUSH)
    needs, settings = decision.needs, ApprovalSettings()
    assert needs is not None
    assert request_seconds(needs, find_fixed_seconds(decision, needs, {}), settings, attended=False) == 86_400
    assert request_seconds(needs, find_fixed_seconds(decision, needs, {}), settings, attended=True) == 300
    match = Match("p", "P", Verdict.REQUIRE_APPROVAL, ask=Ask(timeout_seconds=600))
    limited = msgspec.structs.replace(decision, matched_policies=(match,))
    for attended in (True, False):
        fixed = find_fixed_seconds(limited, needs, {})
        assert request_seconds(needs, fixed, settings, attended=attended) == 600
    assert find_fixed_seconds(limited, needs, {needs.tier: 45}) == 45
    assert find_fixed_seconds(msgspec.structs.replace(decision, mode="tiers"), needs, {}) == needs.timeout_seconds


def extendable(journal: Journal, **changes: Any) -> Approval:
    """Open a request that can be extended for a week."""
    return request_approval(journal, seconds=86_400, extendable_until=now().wall + 7 * DAY, **changes)


def test_a_request_warns_once_before_it_expires_and_can_be_extended(
    journal: Journal, register: ApprovalRepository, clock: Clock, own: Path
) -> None:
    approval = extendable(journal)
    assert register.warn_expiring() == 0
    clock.passed = 23 * HOUR + HOUR // 2
    assert [register.warn_expiring(), register.warn_expiring()] == [1, 0]
    (warned,) = records(journal, "approval.expiring")
    assert warned["data"]["expiresAt"] == approval.expires_at
    later = register.extend(approval.approval_id, "bob")
    assert later.expires_at is not None
    assert abs(later.expires_at - clock.now().wall - DAY) < MICROSECONDS
    assert records(journal, "approval.extended")[0]["actor"] == "bob"
    clock.passed += 23 * HOUR + HOUR // 2
    assert register.warn_expiring() == 1  # once more, for the new time
    assert verify(journal.database, KeyRing([journal.key.public]), folder=own).good


def test_a_request_is_extended_within_its_limit_by_those_who_can_answer(
    journal: Journal, register: ApprovalRepository, clock: Clock
) -> None:
    approval = extendable(journal)
    for person in ("ann", "bot"):
        with pytest.raises(NotYoursError):
            register.extend(approval.approval_id, person)
    for _ in range(7):
        clock.passed += DAY - HOUR
        register.extend(approval.approval_id, "bob")
    assert approval.extendable_until == register.get(approval.approval_id).expires_at
    with pytest.raises(ApprovalError, match="as long as it can be"):
        register.extend(approval.approval_id, "bob")
    clock.passed += DAY
    with pytest.raises(EndedError, match="has expired"):
        register.extend(approval.approval_id, "bob")
    assert register.expire_due() == 1
    clock.passed = 0
    with pytest.raises(ApprovalError, match="limits the time"):
        register.extend(request_approval(journal, run_id="run-2").approval_id, "bob")


# quizzes


def test_a_failed_quiz_pauses_one_person_and_ends_nothing(
    journal: Journal, register: ApprovalRepository, clock: Clock
) -> None:
    approval_id = extendable(journal).approval_id
    attempts = register.fail_quiz(approval_id, "bob", WRONG)
    assert (attempts.failures, attempts.tries_left, round(attempts.pause)) == (1, 2, 60)
    (failed,) = records(journal, "approval.quiz_failed")
    assert (failed["actor"], failed["outcome"], failed["data"]["challenge"]["wrong"]) == ("bob", "failed", ["Where?"])
    with pytest.raises(QuizPauseError, match="again in 60 s"):
        register.answer(approval_id, yes("bob"))  # even the right answers wait
    with pytest.raises(QuizPauseError):
        register.fail_quiz(approval_id, "bob", WRONG)
    assert register.get(approval_id).state is ApprovalState.PENDING
    clock.passed = 61 * MICROSECONDS
    assert round(register.fail_quiz(approval_id, "bob", WRONG).pause) == 300  # longer each time
    clock.passed -= 60 * MICROSECONDS
    with pytest.raises(QuizPauseError, match="again in 300 s"):
        register.answer(approval_id, yes("bob"))  # a clock that is set back does not end the pause
    clock.passed += 361 * MICROSECONDS
    assert register.answer(approval_id, yes("bob")).state is ApprovalState.APPROVED


def test_who_fails_too_often_leaves_the_answer_to_others(
    journal: Journal, register: ApprovalRepository, clock: Clock
) -> None:
    approval_id = extendable(journal).approval_id
    for _ in range(3):
        register.fail_quiz(approval_id, "bob", WRONG)
        clock.passed += HOUR
    for attempt in (
        lambda: register.answer(approval_id, yes("bob")),
        lambda: register.fail_quiz(approval_id, "bob", WRONG),
    ):
        with pytest.raises(NotYoursError, match="failed the quiz 3 times; another person"):
            attempt()
    assert (register.count_for("bob"), register.count_for("cid")) == (0, 1)
    assert register.next_for("bob") is None
    assert register.answer(approval_id, yes("cid")).state is ApprovalState.APPROVED


def test_quizzes_failed_at_the_same_time_count_one_by_one(journal: Journal, register: ApprovalRepository) -> None:
    approval_id = extendable(journal).approval_id
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(register.fail_quiz, approval_id, "bob", WRONG) for _ in range(8)]
    failed = [call for call in calls if call.exception() is None]
    assert len(failed) == 1
    assert all(isinstance(call.exception(), QuizPauseError) for call in calls if call not in failed)
    with journal.database.write() as connection:
        connection.run("DELETE FROM interlock_quiz_attempts")
    assert register.attempts(approval_id, "bob").failures == 1


# who can answer


def test_people_count_what_they_can_answer(journal: Journal, register: ApprovalRepository) -> None:
    own = request_approval(journal, started_by="bob", run_id="r1")
    others = request_approval(journal, started_by="ann", run_id="r2")
    leads = ApprovalRules(roles={"leads": ("cid", "ann")})
    theirs = request_approval(journal, started_by="eve", run_id="r3", who=(("@leads", "dan"),), terms=leads)
    both = request_approval(journal, started_by="eve", run_id="r4", approvers=2)
    counts = {name: register.count_for(name) for name in ("ann", "bob", "cid", "dan", "eve", "bot")}
    assert counts == {"ann": 3, "bob": 2, "cid": 4, "dan": 4, "eve": 2, "bot": 0}
    register.answer(both.approval_id, yes("cid"))
    assert (register.count_for("cid"), register.count_for("dan")) == (3, 4)
    assert register.next_for("bob") == others.approval_id
    assert register.next_for("bob", others.approval_id) == both.approval_id
    assert register.next_for("ann") == own.approval_id
    for left, following in ((own, theirs), (theirs, both), (both, own)):
        assert register.next_for("ann", left.approval_id) == following.approval_id
    assert eligible_people(theirs, ["ann", "bob", "dan", "eve"]) == ("ann", "dan")
    assert describe_eligible(("ann", "dan")) == "`ann` or `dan` can approve this"


def test_one_person_alone_counts_their_own_requests_until_there_is_another(journal: Journal) -> None:
    alone = ApprovalRules(one_person=True)
    request_approval(journal, started_by="ann", terms=alone)
    with journal.database.read() as connection:
        assert count_answerable(connection, alone, "ann") == 1
        assert count_answerable(connection, ApprovalRules(), "ann") == 0
        assert count_answerable(connection, ApprovalRules(), "bob") == 1


def test_one_person_is_not_alone_once_two_people_of_the_store_may_approve(journal: Journal) -> None:
    counting, people = ApprovalRules(one_person=True, counts_people=True), People(journal)
    own = request_approval(journal, started_by="ann", terms=counting)
    register = ApprovalRepository(journal, counting)
    people.add("ann", Role.ADMIN, "test")
    assert (register.count_for("ann"), register.next_for("ann")) == (1, own.approval_id)
    people.add("bob", Role.REVIEWER, "test")
    assert (register.count_for("ann"), register.next_for("ann"), register.count_for("bob")) == (0, None, 1)
    with pytest.raises(NotYoursError, match="`ann` started the run"):
        register.answer(own.approval_id, yes("ann"))
    people.change("bob", "test", state=SHUT_OUT)
    assert register.count_for("ann") == 1, "nobody else is left"


# grants by shape

CONFIG = '[approvals]\nunattended = "queue"\none_person = true\n'


@pytest.fixture
def gate(store: str, own: Path) -> Iterator[Gate]:
    own.mkdir()
    (own / "interlock.toml").write_text(CONFIG)
    with Gate(store=store, approver=NoApprover()) as found:
        yield found


def push(branch: str, **more: Any) -> Action:
    return Action.shell(f"git push --force origin {branch}", **{"agent_id": "claude", **WHERE, **more})


def ask(gate: Gate, action: Action) -> str:
    """Return why an action may run, or an empty text if it has to wait."""
    try:
        return gate.check(action).by
    except ActionRefused:
        return ""


def grant(gate: Gate, answer: Answer, branch: str = "topic") -> None:
    """Have an agent push a branch, and answer its request; the shape of the answer is replaced by the first one."""
    assert ask(gate, push(branch)) == ""
    (approval,) = gate.approvals.list()
    shape = approval.shapes[0].shape_id if answer.shape else ""
    gate.approvals.answer(approval.approval_id, msgspec.structs.replace(answer, shape=shape))


def check_list_of_uses(gate: Gate, grant_id: str) -> None:
    """Check that the index finds the actions that a grant has allowed, also in a store of an earlier version."""
    index_new_actions(gate.journal)
    wanted = ActionFilter(grant=grant_id)
    backfill = (Path(migrations.__file__).parent / "migrations" / "0017_pauses_and_grants.sql").read_text()
    for _ in range(2):
        with gate.journal.database.read() as connection:
            listed = [one.line.record.data["text"] for one in read_actions(connection, wanted).items]
            assert count_matching(connection, wanted) == (len(listed), True)
        assert [text.split()[-1] for text in listed] == ["feature/x", "other"]
        with gate.journal.database.write() as connection:
            connection.run("DELETE FROM interlock_matches WHERE what = 'grant'")
            connection.run(backfill[backfill.index("INSERT") :].rstrip().rstrip(";"))


def test_a_grant_by_shape_covers_others_of_the_shape_until_it_is_revoked(gate: Gate, own: Path) -> None:
    grant(gate, yes(scope=GrantScope.DAY, shape="first"))
    assert [ask(gate, push(name)) for name in ("other", "feature/x")] == ["remembered", "remembered"]
    assert [ask(gate, push(name)) for name in ("main", "other --no-verify")] == ["", ""]
    assert ask(gate, push("other", agent_id="codex")) == ""
    (found,) = gate.grants.list()
    assert (found.uses, found.granted_by, found.scope) == (2, "bob", GrantScope.DAY)
    assert found.last_used_at is not None
    assert found.expires_at == found.created_at + DAY
    used = records(gate.journal, "grant.used")
    assert [one["agentId"] for one in used] == ["claude", "claude"]
    check_list_of_uses(gate, found.grant_id)
    gate.grants.revoke(found.grant_id, "bob")
    assert ask(gate, push("another")) == ""
    assert verify(gate.journal.database, KeyRing([gate.journal.key.public]), folder=own).good


def test_a_grant_for_a_run_ends_with_it_and_one_for_minutes_expires(gate: Gate, clock: Clock) -> None:
    with gate.run("claude", workspace="/home/u/p", home="/home/u"):
        grant(gate, yes(scope=GrantScope.RUN, shape="first"))
        assert ask(gate, push("other")) == "remembered"
    with gate.run("claude", workspace="/home/u/p", home="/home/u"):
        assert ask(gate, push("other")) == ""
        (waiting,) = gate.approvals.list()
        minutes = yes(scope=GrantScope.MINUTES, shape=waiting.shapes[0].shape_id)
        gate.approvals.answer(waiting.approval_id, minutes)
        assert ask(gate, push("third")) == "remembered"
        clock.passed = 15 * 60 * MICROSECONDS
        assert ask(gate, push("fourth")) == ""


def test_a_shape_has_to_be_one_that_the_request_offers(gate: Gate) -> None:
    assert ask(gate, push("topic")) == ""
    (approval,) = gate.approvals.list()
    with pytest.raises(ApprovalError, match="unknown shape `forged`; this request proposes"):
        gate.approvals.answer(approval.approval_id, yes(scope=GrantScope.DAY, shape="forged"))
    with pytest.raises(ApprovalError, match="a shape needs a `scope`"):
        gate.approvals.answer(approval.approval_id, yes(shape=approval.shapes[0].shape_id))
    assert gate.approvals.get(approval.approval_id).answers == ()


def test_a_shape_that_is_widened_in_the_table_is_not_used(gate: Gate) -> None:
    grant(gate, yes(scope=GrantScope.DAY, shape="first"))
    with gate.journal.database.write() as connection:
        connection.run("UPDATE interlock_grants SET shape = replace(shape, '\"score\":51', '\"score\":99')")
    with pytest.raises((TamperedError, ActionRefused), match="changed outside Interlock"):
        gate.check(push("other"))


@pytest.mark.parametrize(
    ("switch", "shaped"),
    [
        ("kubectl config use-context {}", True),
        ("gcloud config set project {}", True),
        ("export AWS_PROFILE={}", False),
        ("aws eks update-kubeconfig --name {} > /dev/null", False),
    ],
)
def test_a_grant_holds_only_in_the_context_that_it_was_given_in(gate: Gate, shaped: bool, switch: str) -> None:
    """Neither another context, nor one that is not known, is covered by the same words."""

    def run(command: str) -> str:
        action = Action.shell(command, agent_id="claude", **WHERE)
        way = ask(gate, action)
        if way or command.startswith("kubectl delete"):
            return way
        (asked,) = [one for one in gate.approvals.list() if one.decision["text"].endswith(command)]
        gate.approvals.answer(asked.approval_id, yes())
        return ask(gate, action)

    def delete(pod: str) -> str:
        return run(f"kubectl delete pod {pod}")

    with gate.run("claude", workspace="/home/u/p", home="/home/u"):
        run(switch.format("test-a"))
        assert delete("web-1") == ""
        (approval,) = gate.approvals.list()
        shape = approval.shapes[0].shape_id if shaped else ""
        gate.approvals.answer(approval.approval_id, yes(scope=GrantScope.DAY, shape=shape))
        assert delete("web-1") == "remembered"
        run(switch.format("test-b"))
        assert delete("web-1") == ""
        assert ask(gate, Action.shell("ls", agent_id="claude", **WHERE)) == "decision"
        run(switch.format("test-a"))
        assert delete("web-1") == "remembered", "the run is back where it was granted"
        run(switch.format("$CONTEXT"))
        assert delete("web-1") == ""
    with gate.run("claude", workspace="/home/u/p", home="/home/u"):
        assert delete("web-1") == "", "the context of another run is not known"


@pytest.mark.parametrize("shaped", [True, False])
def test_a_grant_ends_where_the_run_switches_to_a_live_system(gate: Gate, shaped: bool) -> None:
    """The words of the command stay the same, and the cluster does not."""

    def delete(pod: str) -> str:
        return ask(gate, Action.shell(f"kubectl delete pod {pod}", agent_id="claude", **WHERE))

    with gate.run("claude", workspace="/home/u/p", home="/home/u"):
        assert delete("web-1") == ""
        (approval,) = gate.approvals.list()
        shape = approval.shapes[0].shape_id if shaped else ""
        gate.approvals.answer(approval.approval_id, yes(scope=GrantScope.DAY, shape=shape))
        assert delete("web-1") == "remembered"
        switch = Action.shell("kubectl config use-context production", agent_id="claude", **WHERE)
        assert ask(gate, switch) == "decision"
        assert delete("web-1") == ""
        (live,) = gate.approvals.list()
        gate.approvals.answer(live.approval_id, yes())
        assert delete("web-1") == "approval"


def test_a_link_that_the_run_made_leads_out_of_the_granted_folder(gate: Gate, own: Path) -> None:
    """A path through a link is a path to where the link leads."""
    policy = '[[policies]]\npolicy_id = "rm"\nwhen = "toolName == \'Bash\'"\naction = "require_approval"\n'
    (own / "interlock.toml").write_text(CONFIG + policy)
    assert ask(gate, Action.shell("rm -r src/lib/old", agent_id="claude", **WHERE)) == ""
    (approval,) = gate.approvals.list()
    gate.approvals.answer(approval.approval_id, yes(scope=GrantScope.DAY, shape=approval.shapes[0].shape_id))
    assert ask(gate, Action.shell("rm -r src/lib/older", agent_id="claude", **WHERE)) == "remembered"
    link = Action.shell("ln -s /srv/data src/lib/link", agent_id="claude", **WHERE)
    assert ask(gate, link) == ""
    (asked,) = gate.approvals.list()
    gate.approvals.answer(asked.approval_id, yes())
    assert ask(gate, link) == "approval"
    assert ask(gate, Action.shell("rm -r src/lib/link/x", agent_id="claude", **WHERE)) == ""

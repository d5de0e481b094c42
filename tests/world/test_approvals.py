"""Approvals: each transition happens once, is recorded, and only by those who may."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

import msgspec
import pytest

import interlock.approval.repository as register_module
from interlock.approval.grants import Grant, Grants, use_grant
from interlock.approval.repository import ApprovalRepository
from interlock.approval.request import Answer, AnswerVerdict, Approval, ApprovalState, ChallengeResult, GrantScope
from interlock.approval.requester import Requester
from interlock.approval.requirement import evaluate_answers
from interlock.approval.rubber_stamps import find_rubber_stamps, reading_seconds
from interlock.approval.rules import ApprovalRules
from interlock.approval.transitions import use_approval
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.config.settings import ApprovalSettings
from interlock.errors import ApprovalError, TamperedError
from interlock.model import Action, Needs
from interlock.store.clock import FOREVER, Moment, now
from tests.world.requests import PUSH, no, request_approval, yes

BOT = Requester("run-1", "bot", "ann")


@pytest.fixture
def register(journal: Journal) -> ApprovalRepository:
    return ApprovalRepository(journal, ApprovalRules(one_person=False))


def kinds(journal: Journal, approval: Approval) -> list[str]:
    """Return the steps of a request, as the chain has them."""
    query = "SELECT kind FROM interlock_records WHERE approval_id = :approval_id ORDER BY seq"
    with journal.database.read() as connection:
        return connection.values(query, approval_id=approval.approval_id)


def test_a_request_is_approved(journal: Journal, register: ApprovalRepository) -> None:
    approval = request_approval(journal)
    assert register.get(approval.approval_id) == approval
    found = register.answer(approval.approval_id, yes(reason="it is my branch"))
    assert (found.state, found.why) == (ApprovalState.APPROVED, "approved by `bob`")
    assert register.get(approval.approval_id).answers[0].reason == "it is my branch"
    assert kinds(journal, approval) == ["approval.requested", "approval.answered", "approval.approved"]


def test_a_request_is_rejected(journal: Journal, register: ApprovalRepository) -> None:
    approval = request_approval(journal)
    found = register.answer(approval.approval_id, no(reason="not today"))
    assert (found.state, found.why) == (ApprovalState.REJECTED, "rejected by `bob`: not today")


def test_the_requester_may_reject_but_not_approve(journal: Journal, register: ApprovalRepository) -> None:
    approval = request_approval(journal, started_by="ann", agent_id="bot")
    for name, why in (("ann", "started the run, so another person has to approve"), ("bot", "is the agent that asks")):
        with pytest.raises(ApprovalError, match=why):
            register.answer(approval.approval_id, yes(name))
    assert register.answer(approval.approval_id, no("ann")).state is ApprovalState.REJECTED


def test_a_single_user_may_approve_but_the_agent_may_not(journal: Journal) -> None:
    register = ApprovalRepository(journal, ApprovalRules(one_person=True))
    approval = request_approval(journal, started_by="ann", agent_id="bot", terms=ApprovalRules(one_person=True))
    with pytest.raises(ApprovalError, match="is the agent that asks"):
        register.answer(approval.approval_id, yes("bot"))
    assert register.answer(approval.approval_id, yes("ann")).state is ApprovalState.APPROVED


def test_the_rules_of_the_requester_apply(journal: Journal) -> None:
    """An approver's own configuration does not make a machine that of one person."""
    approval = request_approval(journal, started_by="ann", terms=ApprovalRules(one_person=False))
    with pytest.raises(ApprovalError, match="started the run, so another person has to approve"):
        ApprovalRepository(journal, ApprovalRules(one_person=True)).answer(approval.approval_id, yes("ann"))


def test_two_approvals_need_two_people(journal: Journal, register: ApprovalRepository) -> None:
    approval = request_approval(journal, approvers=2)
    assert register.answer(approval.approval_id, yes("bob")).state is ApprovalState.PENDING
    with pytest.raises(ApprovalError, match="has already answered"):
        register.answer(approval.approval_id, yes("bob"))
    assert register.answer(approval.approval_id, yes("cid")).why == "approved by `bob`, `cid`"


def test_only_listed_people_and_roles_may_approve(journal: Journal) -> None:
    register = ApprovalRepository(
        journal, ApprovalRules(roles={"security": ("bob",)})
    )  # what an approver's own configuration says
    terms = ApprovalRules(roles={"security": ("cid", "dan")})
    approval = request_approval(journal, who=(("@security", "eve"), ("dan", "eve")), terms=terms)
    for name in ("bob", "cid"):  # each list counts
        with pytest.raises(ApprovalError, match="may not approve this; it needs"):
            register.answer(approval.approval_id, yes(name))
    assert register.answer(approval.approval_id, yes("dan")).state is ApprovalState.APPROVED


def test_a_required_reason_must_be_given(journal: Journal, register: ApprovalRepository) -> None:
    approval = request_approval(journal, reason=True)
    with pytest.raises(ApprovalError, match="needs a reason"):
        register.answer(approval.approval_id, yes())
    assert register.answer(approval.approval_id, yes(reason="because")).state is ApprovalState.APPROVED


WRONG: dict[str, tuple[Answer, str]] = {
    "no challenge": (yes(challenge=None), "none was taken"),
    "failed": (
        yes(challenge=ChallengeResult(kind="quiz", passed=False, seconds=9, why="too fast")),
        "not passed: too fast",
    ),
    "an easier one": (yes(kind="confirm"), "needs the challenge `quiz`, and `confirm` was taken"),
    "a long reason": (yes(reason="x" * 2_001), "the limit is 2000"),
    "a reason that moves the cursor": (yes(reason="fine\x1b[2K"), "do not print"),
    "a reason of two lines": (yes(reason="fine\nApproved"), "do not print"),
    "a reason from right to left": (no(reason="\u202eno"), "do not print"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_unacceptable_answer_changes_nothing(journal: Journal, register: ApprovalRepository, name: str) -> None:
    answer, why = WRONG[name]
    approval = request_approval(journal)
    with pytest.raises(ApprovalError, match=why) as found:
        register.answer(approval.approval_id, answer)
    assert "\n" not in str(found.value)
    assert register.get(approval.approval_id) == approval
    assert kinds(journal, approval) == ["approval.requested"]


@pytest.mark.parametrize("unknown", ["", "zzz", "%", "_", "'; DROP TABLE approvals; --", "\x1b[2K"])
def test_an_unknown_id_is_an_error(register: ApprovalRepository, journal: Journal, unknown: str) -> None:
    request_approval(journal)
    for attempt in (register.get, lambda i: register.answer(i, yes()), lambda i: register.cancel(i, "ann")):
        with pytest.raises(ApprovalError, match="there is no request") as found:
            attempt(unknown)
        assert str(found.value).isprintable()


def test_the_beginning_of_an_id_is_enough(register: ApprovalRepository, journal: Journal) -> None:
    approval = request_approval(journal)
    assert register.get(approval.approval_id[:8]) == approval


@pytest.mark.parametrize(
    "end", [ApprovalState.APPROVED, ApprovalState.REJECTED, ApprovalState.EXPIRED, ApprovalState.CANCELLED]
)
def test_an_ended_request_does_not_change(register: ApprovalRepository, journal: Journal, end: ApprovalState) -> None:
    approval = request_approval(journal)
    register.end(approval.approval_id, end, "so it is")
    steps = kinds(journal, approval)
    for answer in (yes(), no()):
        with pytest.raises(ApprovalError, match=f"is already {end.value}"):
            register.answer(approval.approval_id, answer)
    with pytest.raises(ApprovalError, match="already"):
        register.cancel(approval.approval_id, "ann")
    for other in ApprovalState:
        register.end(approval.approval_id, other, "or not")
    assert register.get(approval.approval_id).state is end
    assert kinds(journal, approval) == steps


def test_an_approval_is_used_once(register: ApprovalRepository, journal: Journal) -> None:
    approval = request_approval(journal)
    register.answer(approval.approval_id, yes())

    def using(asker: Requester = BOT, digest: str = approval.digest) -> Approval | None:
        return journal.commit(lambda transaction: use_approval(transaction, asker, digest, approval.needs))

    assert using(BOT._replace(run_id="run-2")) is None, "another run's"
    assert using(BOT._replace(agent_id="mallory")) is None, "another agent's, in the same run"
    assert using(BOT._replace(started_by="mallory")) is None, "another person's agent"
    assert using(digest="0" * 64) is None, "another action"
    stricter = msgspec.structs.replace(approval.needs, approvers=2)
    assert journal.commit(lambda transaction: use_approval(transaction, BOT, approval.digest, stricter)) is None
    found = using()
    assert found is not None
    assert found.used_at is not None
    assert using() is None
    assert kinds(journal, approval)[-1] == "approval.used"


def test_an_approval_written_into_the_table_is_not_used(register: ApprovalRepository, journal: Journal) -> None:
    approval = request_approval(journal)
    with journal.database.write() as connection:
        connection.run("UPDATE interlock_approvals SET state = 'approved'")
    with pytest.raises(TamperedError, match="changed outside Interlock"):
        journal.commit(lambda transaction: use_approval(transaction, BOT, approval.digest, approval.needs))


def test_a_request_that_was_changed_in_the_table_is_not_answered(
    register: ApprovalRepository, journal: Journal
) -> None:
    approval = request_approval(journal)
    with journal.database.write() as connection:
        connection.run("UPDATE interlock_approvals SET digest = :other", other="0" * 64)
    with pytest.raises(TamperedError, match="changed outside Interlock"):
        register.answer(approval.approval_id, yes())


# time


def test_a_request_expires(register: ApprovalRepository, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    approval = request_approval(journal, seconds=60)
    began = now()
    later = began._replace(wall=began.wall + 61_000_000, ticks=began.ticks + 61_000_000)
    monkeypatch.setattr(register_module, "now_in", lambda _connection: later)
    with pytest.raises(ApprovalError, match="has expired"):
        register.answer(approval.approval_id, yes())
    assert register.get(approval.approval_id).state is ApprovalState.EXPIRED
    assert kinds(journal, approval) == ["approval.requested", "approval.expired"]


def test_a_clock_that_jumps_changes_nothing_on_one_machine() -> None:
    began = Moment(wall=1_000_000_000, boot="this", ticks=5_000_000)
    for jump in (-(10**15), 10**15):
        assert Moment(wall=began.wall + jump, boot="this", ticks=6_000_000).since(began) == 1_000_000


def test_after_a_restart_the_wall_clock_counts_and_never_backwards() -> None:
    began = Moment(wall=1_000_000_000, boot="this", ticks=5_000_000)
    assert Moment(wall=1_002_000_000, boot="next", ticks=1).since(began) == 2_000_000
    assert Moment(wall=900_000_000, boot="next", ticks=1).since(began) == FOREVER


@pytest.mark.parametrize("jump", [-(10**15), 10**15])
def test_an_approval_survives_a_jump_of_the_clock(
    register: ApprovalRepository, journal: Journal, monkeypatch: pytest.MonkeyPatch, jump: int
) -> None:
    approval = request_approval(journal, seconds=60)
    jumped = now()._replace(wall=now().wall + jump)
    monkeypatch.setattr(register_module, "now_in", lambda _connection: jumped)
    assert register.answer(approval.approval_id, yes()).state is ApprovalState.APPROVED


def test_expired_requests_are_ended_together(register: ApprovalRepository, journal: Journal) -> None:
    due = [request_approval(journal, Action.shell(f"git push -f origin b{n}"), seconds=0) for n in range(3)]
    kept = request_approval(journal)
    assert register.expire_due() == 3
    assert {register.get(one.approval_id).state for one in due} == {ApprovalState.EXPIRED}
    assert [one.approval_id for one in register.list()] == [kept.approval_id]
    assert len(register.list(None)) == 4
    state, left = register.get_state(kept.approval_id)
    assert state is ApprovalState.PENDING
    assert left is not None
    assert 0 < left <= 300


# models


def test_a_model_never_replaces_a_person(journal: Journal) -> None:
    register = ApprovalRepository(journal, ApprovalRules())  # what held where it was opened counts
    approval = request_approval(journal, terms=ApprovalRules(reviewer=True), model=True)
    model = Answer(approver="model:x", verdict=AnswerVerdict.APPROVE, model=True)
    assert register.answer(approval.approval_id, model).state is ApprovalState.PENDING
    assert register.answer(approval.approval_id, yes()).state is ApprovalState.APPROVED


def _needs(**fields: object) -> Needs:
    usual = {"tier": "low", "human": False, "model": True, "challenge": "auto_approve", "approvers": 1}
    return Needs(**{**usual, "timeout_seconds": 60, **fields})  # type: ignore[arg-type]


def _with(*answers: Answer, **needs: object) -> Approval:
    return Approval(
        approval_id="x",
        run_id="r",
        agent_id=None,
        started_by="ann",
        digest="d",
        action={},
        decision={"level": "low"},
        needs=_needs(**needs),
        answers=answers,
    )


def _model(verdict: AnswerVerdict) -> Answer:
    return Answer(approver="model:x", verdict=verdict, model=True, reason="so")


def test_a_model_answers_if_only_a_model_is_required() -> None:
    assert evaluate_answers(_with(_model(AnswerVerdict.APPROVE)), reviewer=True) == (
        ApprovalState.APPROVED,
        "approved by `model:x`",
    )
    assert evaluate_answers(_with(_model(AnswerVerdict.REJECT)), reviewer=True) == (
        ApprovalState.REJECTED,
        "rejected by `model:x`: so",
    )
    assert evaluate_answers(_with(_model(AnswerVerdict.ESCALATE)), reviewer=True) is None, "a person has to"
    assert evaluate_answers(_with(_model(AnswerVerdict.ESCALATE), yes()), reviewer=True) == (
        ApprovalState.APPROVED,
        "approved by `bob`",
    )


def test_the_model_answers_before_the_person() -> None:
    assert evaluate_answers(_with(yes(), human=True), reviewer=True) is None
    assert evaluate_answers(_with(yes(), human=True), reviewer=False) is not None, "there is no model to wait for"


def test_overruling_the_model_needs_a_reason(journal: Journal) -> None:
    register = ApprovalRepository(journal, ApprovalRules())  # what held where it was opened counts
    approval = request_approval(journal, terms=ApprovalRules(reviewer=True), model=True)
    register.answer(approval.approval_id, _model(AnswerVerdict.REJECT))
    with pytest.raises(ApprovalError, match="the reviewer model has rejected this"):
        register.answer(approval.approval_id, yes())
    assert register.answer(approval.approval_id, yes(reason="it is wrong")).state is ApprovalState.APPROVED


# remembered


def remembered(journal: Journal, approval: Approval, run: str = "run-1") -> Grant | None:
    return journal.commit(
        lambda transaction: use_grant(
            transaction, BOT._replace(run_id=run), approval.digest, approval.needs, one_person=False
        )
    )


def test_an_approval_for_the_run_is_remembered_in_it(register: ApprovalRepository, journal: Journal) -> None:
    approval = request_approval(journal)
    register.answer(approval.approval_id, yes(scope=GrantScope.RUN))

    def find(run: str) -> Grant | None:
        return journal.commit(
            lambda transaction: use_grant(
                transaction, BOT._replace(run_id=run), approval.digest, approval.needs, one_person=False
            )
        )

    for uses in (1, 2, 3):
        grant = find("run-1")
        assert grant is not None
        assert grant.uses == uses
    assert find("run-2") is None


def test_an_approval_for_always_counts_in_every_run(register: ApprovalRepository, journal: Journal) -> None:
    approval = request_approval(journal)
    register.answer(approval.approval_id, yes(scope=GrantScope.ALWAYS))
    assert (
        journal.commit(
            lambda transaction: use_grant(
                transaction, BOT._replace(run_id="run-9"), approval.digest, approval.needs, one_person=False
            )
        )
        is not None
    )
    (grant,) = Grants(journal).list()
    assert (grant.scope, grant.granted_by, grant.workspace) == (GrantScope.ALWAYS, "bob", "/home/u/p")
    assert "git push --force" in grant.shown


def test_a_remembered_approval_must_satisfy_stricter_rules(register: ApprovalRepository, journal: Journal) -> None:
    approval = request_approval(journal)
    register.answer(approval.approval_id, yes(scope=GrantScope.ALWAYS))
    for change in (
        {"approvers": 2},
        {"reason": True},
        {"who": (("@leads",),)},
        {"model": True},
        {"challenge": "teach_back"},
    ):
        needs = msgspec.structs.replace(approval.needs, **change)

        def find(transaction: Transaction, needs: Needs = needs) -> Grant | None:
            return use_grant(transaction, BOT._replace(run_id="run-1"), approval.digest, needs, one_person=False)

        assert journal.commit(find) is None, change


def test_a_remembered_approval_of_the_requester_does_not_count(register: ApprovalRepository, journal: Journal) -> None:
    """Bob approves Ann's request always; his own run does not use it, unless he is the only person."""
    approval = request_approval(journal)
    register.answer(approval.approval_id, yes("bob", scope=GrantScope.ALWAYS))
    bobs = Requester("run-2", "bot", "bob")

    def find(one_person: bool) -> Grant | None:
        return journal.commit(
            lambda transaction: use_grant(transaction, bobs, approval.digest, approval.needs, one_person=one_person)
        )

    assert find(one_person=False) is None
    assert find(one_person=True) is not None


def test_the_narrowest_scope_of_several_approvers_counts(register: ApprovalRepository, journal: Journal) -> None:
    approval = request_approval(journal, approvers=2)
    register.answer(approval.approval_id, yes("bob", scope=GrantScope.ALWAYS))
    register.answer(approval.approval_id, yes("cid", scope=GrantScope.ONCE))
    assert Grants(journal).list() == []


def test_a_remembered_approval_can_be_revoked(register: ApprovalRepository, journal: Journal) -> None:
    approval = request_approval(journal)
    register.answer(approval.approval_id, yes(scope=GrantScope.ALWAYS))
    held = Grants(journal)
    (grant,) = held.list()
    held.revoke(grant.grant_id[:8], "ann")
    assert (
        journal.commit(
            lambda transaction: use_grant(
                transaction, BOT._replace(run_id="run-1"), approval.digest, approval.needs, one_person=False
            )
        )
        is None
    )
    assert held.list() == []
    assert len(held.list(everything=True)) == 1
    for again in (grant.grant_id, "zzz", ""):
        with pytest.raises(ApprovalError):
            held.revoke(again, "ann")


def test_a_remembered_approval_expires(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    register = ApprovalRepository(journal, ApprovalRules(settings=ApprovalSettings(remember_days=1)))
    approval = request_approval(journal)
    register.answer(approval.approval_id, yes(scope=GrantScope.ALWAYS))
    later = now()._replace(wall=now().wall + 86_400_000_000 + 1)
    monkeypatch.setattr("interlock.approval.grants.now_in", lambda _connection: later)
    assert (
        journal.commit(
            lambda transaction: use_grant(
                transaction, BOT._replace(run_id="run-1"), approval.digest, approval.needs, one_person=False
            )
        )
        is None
    )


def test_a_remembered_approval_written_into_the_table_is_not_used(
    register: ApprovalRepository, journal: Journal
) -> None:
    approval = request_approval(journal)
    register.answer(approval.approval_id, yes(scope=GrantScope.RUN))
    with journal.database.write() as connection:
        connection.run("UPDATE interlock_grants SET scope = 'always'")
    with pytest.raises(TamperedError, match="changed outside Interlock"):
        journal.commit(
            lambda transaction: use_grant(
                transaction, BOT._replace(run_id="run-9"), approval.digest, approval.needs, one_person=False
            )
        )


# stamps


def test_an_approval_faster_than_reading_is_a_rubber_stamp(register: ApprovalRepository, journal: Journal) -> None:
    approval = request_approval(journal)
    register.answer(approval.approval_id, yes(challenge=ChallengeResult(kind="quiz", passed=True, seconds=3.1)))
    (stamp,) = find_rubber_stamps(journal.database)
    assert (stamp.answer.approver, stamp.approval_id) == ("bob", approval.approval_id)
    assert stamp.took < stamp.reading == reading_seconds(approval)
    slow = request_approval(journal, Action.shell("git push -f origin other"))
    register.answer(slow.approval_id, yes(challenge=ChallengeResult(kind="quiz", passed=True, seconds=60)))
    assert [one.approval_id for one in find_rubber_stamps(journal.database)] == [approval.approval_id]


# races


RACES = 250


def test_one_of_two_concurrent_answers_counts(register: ApprovalRepository, journal: Journal) -> None:
    """Many requests, each answered by two at once: yes and no."""
    requests = [request_approval(journal, Action.shell(f"git push -f origin b{n}")).approval_id for n in range(RACES)]
    taken: dict[str, list[ApprovalState]] = {one: [] for one in requests}
    start = threading.Barrier(2)

    def answer_all(make: Callable[[], Answer]) -> None:
        for one in requests:
            start.wait(60)
            with contextlib.suppress(ApprovalError):  # the other thread was faster
                taken[one].append(register.answer(one, make()).state)

    threads = [threading.Thread(target=answer_all, args=(make,)) for make in (lambda: yes("bob"), lambda: no("cid"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(500)
    assert all(len(states) == 1 for states in taken.values())
    with journal.database.read() as connection:
        found = dict(connection.tuples("SELECT approval_id, state FROM interlock_approvals"))
    assert found == {one: states[0].value for one, states in taken.items()}


def test_an_approval_used_concurrently_is_used_once(register: ApprovalRepository, journal: Journal) -> None:
    approval = request_approval(journal)
    register.answer(approval.approval_id, yes())
    used: list[Approval | None] = []

    def take() -> None:
        used.append(journal.commit(lambda transaction: use_approval(transaction, BOT, approval.digest, approval.needs)))

    threads = [threading.Thread(target=take) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sum(one is not None for one in used) == 1


def test_an_approval_survives_being_written_and_read() -> None:
    approval = _with(yes(), _model(AnswerVerdict.ESCALATE))
    assert msgspec.json.decode(msgspec.json.encode(approval), type=Approval) == approval


def test_the_digest_is_of_the_exact_action(journal: Journal) -> None:
    first = request_approval(journal).digest
    for other in (
        msgspec.structs.replace(PUSH, cwd="/home/u"),
        msgspec.structs.replace(PUSH, environment="production"),
        msgspec.structs.replace(PUSH, input_payload={"command": "git push --force origin main "}),
    ):
        assert request_approval(journal, other).digest != first
    assert (
        request_approval(journal, msgspec.structs.replace(PUSH, agent_id="x", run_id="y", metadata={"a": 1})).digest
        == first
    )

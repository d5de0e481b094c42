"""Check an action for a remote gate: decide it once, even if it is sent twice, wait, and use its approval."""

from __future__ import annotations

import hashlib
import time
from asyncio import to_thread
from collections.abc import Callable, Sequence
from functools import partial, reduce

import msgspec

from interlock.access.roles import Caller
from interlock.agents.reply import is_enough
from interlock.approval.request import Approval, ApprovalState
from interlock.approval.requirement import covers
from interlock.audit.record import canonical
from interlock.audit.runs import is_own
from interlock.errors import ConflictError, MissingError
from interlock.gate.approval_flow import ASKED_BY_AGENT, ActionHeld, AgentAsks, Outcome, Submission
from interlock.gate.decision_record import DecisionRecord
from interlock.gate.holds import hold_async
from interlock.gate.recorded_decisions import RecordedDecision, find_decision
from interlock.gate.recorder import AlreadyRecorded
from interlock.gate.session import Session
from interlock.levels import Verdict
from interlock.model import Action, Struct
from interlock.policy.pins import stricter
from interlock.server.service import Service, agent_id_for


class Check(Struct, frozen=True, kw_only=True):
    """An action to be checked.

    Of several `forms` of it, the one that is judged most strictly counts. `once` is unique to the check, or `decision`
    is the id of the decision to go on with. With `asks`, the caller can ask its own user. Without `opens`, no request
    is opened. With `holds`, the action of a paused agent is neither recorded nor refused.
    """

    forms: Sequence[Action]
    once: str = ""
    decision: str = ""
    asks: bool = False
    opens: bool = True
    holds: bool = False


class CheckResult(msgspec.Struct, frozen=True):
    """The result of a check: the action may run, is refused, or waits for an approval."""

    submission: Submission
    allowed: bool
    by: str
    approval: Approval | None
    waits: bool  # whether the configuration lets such a request wait when no person is available to answer
    held: bool = False  # whether its agent is paused, and the caller may send it again


async def check(
    service: Service, caller: Caller, asked: Check, wait: float, has_left: Callable[[], bool]
) -> CheckResult:
    """Check an action; wait for the answer to its request at most `wait` seconds.

    An action that was recorded under the same id before is judged again, and recorded again only if that is stricter.
    """
    forms = [msgspec.structs.replace(form, agent_id=agent_id_for(caller, form.agent_id)) for form in asked.forms]
    record_id = asked.decision or _record_id(service, caller, asked.once)
    recorded = await to_thread(_find, service, caller, record_id)
    if recorded is None and asked.decision:
        raise MissingError("there is no such decision")
    deadline = time.monotonic() + wait

    async def submit(_: float | None = None) -> tuple[Session, Submission, bool]:
        return await _submit(service, caller, forms, asked, record_id, recorded)

    try:
        try:
            session, step, used = await submit()
        except ActionHeld:
            session, step, used = await hold_async(submit, wait, has_left)
    except ActionHeld as held:
        level = held.submission.decision.assessment.level
        waits = service.gate.config.approvals.unattended_action(level) == "wait"
        return CheckResult(held.submission, False, "decision", None, waits, held=True)
    return await _answer(service, session, step, used, asked, deadline, has_left)


async def _answer(
    service: Service,
    session: Session,
    step: Submission,
    used: bool,
    asked: Check,
    deadline: float,
    has_left: Callable[[], bool],
) -> CheckResult:
    """Return the result of a submission; wait for the answer to its request until the deadline."""
    approval = step.approval
    if approval is None:
        allowed = step.decision.allowed or (bool(step.by) and step.by != ASKED_BY_AGENT)
        return CheckResult(step, allowed, step.by or "decision", None, False)
    waits = await to_thread(session.approvals.waits_unattended, step)
    if used:
        return CheckResult(step, True, "approval", approval, waits)
    if approval.state is ApprovalState.PENDING:
        service.review(approval)
        approval = await service.wait_for_answer(approval.approval_id, max(0.0, deadline - time.monotonic()))
    if approval.state is ApprovalState.APPROVED and approval.used_at is None and not has_left():
        try:
            outcome = await _use(session, step, asked, deadline, has_left)
        except ActionHeld:
            return CheckResult(step, False, "approval", approval, waits, held=True)
        if isinstance(outcome, Submission):
            return CheckResult(outcome, False, "decision", None, False)
        if outcome is not None:
            return CheckResult(step, True, "approval", outcome.approval or approval, waits)
    return CheckResult(step, False, "approval", approval, waits)


async def _use(
    session: Session, step: Submission, asked: Check, deadline: float, has_left: Callable[[], bool]
) -> Outcome | Submission | None:
    """Use up the approval of a submission. A caller that holds is held until the deadline while its agent is paused."""
    try:
        return await session.approvals.use_async(step, holds=asked.holds)
    except ActionHeld:
        seconds = deadline - time.monotonic()
        return await hold_async(lambda _: session.approvals.use_async(step, holds=True), seconds, has_left)


async def _submit(
    service: Service,
    caller: Caller,
    forms: Sequence[Action],
    asked: Check,
    record_id: str,
    recorded: RecordedDecision | None,
) -> tuple[Session, Submission, bool]:
    """Return the run of an action, its submission, and whether this decision already used its approval."""
    while True:
        if recorded is not None:
            session, action, again = await _judge_again(service, caller, forms, recorded)
            if again is not None:
                step, used = await to_thread(_resume, session, again, recorded, asked, _asks(caller, asked))
                if step is not None:
                    return session, step, used
            record_id = _successor(recorded)  # it is judged more strictly, or too long ago
        else:
            session, action = await _strictest(service, caller, forms)
        recorded = await to_thread(_find, service, caller, record_id)
        if recorded is None:
            try:
                return session, await _record(service, session, action, asked, record_id, caller), False
            except AlreadyRecorded:  # the same check has arrived twice
                recorded = await to_thread(_find, service, caller, record_id)


async def _record(
    service: Service, session: Session, action: Action, asked: Check, record_id: str, caller: Caller
) -> Submission:
    began = time.perf_counter()
    asks = _asks(caller, asked)
    if not asked.opens:
        step = await to_thread(session.submit_without_request, action, record_id)
    elif asks is not None:
        step = await to_thread(partial(session.submit, action, asks, record_id, holds=asked.holds))
    else:
        step = await session.asubmit(action, record_id, holds=asked.holds)
    decision = step.decision
    service.prometheus.count_decision(decision, time.perf_counter() - began)
    return step


def _asks(caller: Caller, asked: Check) -> AgentAsks | None:
    """Return which approvals the caller may ask its own user for; None unless its key allows that."""
    return is_enough if asked.asks and caller.pins.asks_user else None


async def _strictest(service: Service, caller: Caller, forms: Sequence[Action]) -> tuple[Session, Action]:
    """Return the form of an action that is judged most strictly, and its run, in which the other forms count too."""
    found = [(await service.session_for(caller, form), form) for form in forms]
    if len(found) == 1:
        return found[0]
    records = await to_thread(lambda: [session.decide_unrecorded(form).record for session, form in found])
    ranks = await to_thread(lambda: [session.rank(record) for (session, _), record in zip(found, records, strict=True)])
    return _with_others(found, records, ranks.index(max(ranks)))


def _with_others(
    found: Sequence[tuple[Session, Action]], records: Sequence[DecisionRecord], at: int
) -> tuple[Session, Action]:
    """Return one form of an action and its run, in which the decisions on the other forms count too."""
    session, form = found[at]
    return session.with_forms([record.decision for record in (*records[:at], *records[at + 1 :])]), form


async def _judge_again(
    service: Service, caller: Caller, forms: Sequence[Action], recorded: RecordedDecision
) -> tuple[Session, Action, Submission | None]:
    """Judge a recorded action again; return its run, its form, and its submission, or None if it is stricter now."""
    again = [msgspec.structs.replace(form, run_id=recorded.run_id) for form in forms]
    found = [(await service.session_for(caller, form), form) for form in again]
    records = [(await to_thread(session.decide_unrecorded, form)).record for session, form in found]
    same = [(one.digest, one.agent_id) == (recorded.digest, recorded.agent_id) for one in records]
    if True not in same:
        raise ConflictError("this id belongs to the decision on another action; use a new one")
    session, action = _with_others(found, records, same.index(True))
    strictest = reduce(stricter, [one.decision for one in records])
    record = msgspec.structs.replace(records[same.index(True)], decision=strictest)
    refused = recorded.is_paused or await to_thread(_is_stopped, session, record, recorded)
    if (refused and recorded.verdict is not Verdict.BLOCK) or record.decision.verdict > recorded.verdict:
        return session, action, None
    record = msgspec.structs.replace(record, decision=recorded.apply_to(record.decision))
    return session, action, Submission(record, record_id=recorded.record_id)


def _is_stopped(session: Session, record: DecisionRecord, recorded: RecordedDecision) -> bool:
    """Whether a recorded action is refused now. A pause does not end the wait for an approval that is not used yet."""
    stop = session.find_stop(record)
    if stop is None or not stop.pauses or recorded.way or recorded.verdict is not Verdict.REQUIRE_APPROVAL:
        return stop is not None
    found = session.approvals.find_request(record, recorded.record_id)
    return found is None or found[1]


def _resume(
    session: Session, step: Submission, recorded: RecordedDecision, asked: Check, asks: AgentAsks | None
) -> tuple[Submission | None, bool]:
    """Return the submission of a recorded action, and whether its approval is used up; None to record it again.

    The record says how the action continues: it may run, its user is asked, or a request waits. A permission to run is
    repeated only for a short time, so that a caller can recover a lost answer and cannot replay an old one.
    """
    needs = step.decision.needs
    if step.decision.verdict is Verdict.BLOCK or (
        step.decision.verdict is Verdict.REQUIRE_APPROVAL and not asked.opens
    ):
        return step, False
    if step.decision.allowed:
        return (step if recorded.is_recent else None), False
    if recorded.way == ASKED_BY_AGENT:
        enough = asks is not None and (needs is None or asks(needs))
        return (msgspec.structs.replace(step, by=ASKED_BY_AGENT) if enough else None), False
    if recorded.way:
        return (msgspec.structs.replace(step, by=recorded.way) if recorded.is_recent else None), False
    found = session.approvals.find_request(step.record, recorded.record_id)
    if found is None:
        return None, False
    approval, used = found
    is_open = approval.state in (ApprovalState.PENDING, ApprovalState.APPROVED) and not used
    if is_open and needs is not None and not covers(approval.needs, needs):
        return None, False  # a policy asks for more by now
    return msgspec.structs.replace(step, approval=approval), used


def _find(service: Service, caller: Caller, record_id: str) -> RecordedDecision | None:
    """Return a decision on an action of this caller, or None."""
    with service.journal.database.read() as connection:
        found = find_decision(connection, record_id)
    if found is not None:
        service.check_owner(caller, found.run_id)
        if not is_own(caller.name, caller.agent, caller.name, found.agent_id):
            raise MissingError("there is no such decision")
    return found


def _record_id(service: Service, caller: Caller, once: str) -> str:
    """Return the id of the decision on an action that may be sent twice."""
    return "c" + _digest([service.journal.store_id, caller.name, caller.agent, once])


def _successor(recorded: RecordedDecision) -> str:
    """Return the id of the decision that replaces one on the same action, once it is judged more strictly."""
    return "c" + _digest(["stricter", recorded.record_id])


def _digest(identity: list[str | None]) -> str:
    return hashlib.sha256(canonical(identity)).hexdigest()[:31]

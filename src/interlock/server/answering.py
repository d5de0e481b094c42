"""Answering from afar: what somebody was shown, when, and what they said to it."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.access.roles import Caller
from interlock.access.secrets import same
from interlock.approval.challenge.challenge import challenge_for, judge
from interlock.approval.request import Answer, AnswerVerdict, Approval, ChallengeResult, GrantScope
from interlock.approval.requirement import check_approver
from interlock.approval.rows import check_pending
from interlock.errors import ApprovalError, MissingApprovalError
from interlock.policy.tiers import plain
from interlock.server.service import Service
from interlock.store.clock import MICROSECONDS, now


def ticket_for(service: Service, caller: Caller, approval: Approval) -> str:
    """Return what proves when somebody was shown a request."""
    at = now().wall
    return f"{at}.{service.doors.sign(f'shown {approval.approval_id} {caller.name} {at}')}"


def _seconds(service: Service, caller: Caller, approval: Approval, ticket: str) -> float:
    """Return for how long somebody has had a request before their eyes."""
    text, _, signature = ticket.partition(".")
    expected = service.doors.sign(f"shown {approval.approval_id} {caller.name} {text}")
    if not text.isascii() or not text.isdigit() or not same(signature, expected):
        raise ApprovalError("look at the request first, and send back the `ticket` of its challenge")
    return max(0.0, (now().wall - int(text)) / MICROSECONDS)


def answer_yes(
    service: Service,
    caller: Caller,
    approval_id: str,
    ticket: str,
    answers: Sequence[str],
    scope: GrantScope,
    reason: str,
) -> Approval:
    """Take an approval. A quiz that was not passed is a rejection; what can be done better is said."""
    approval = _open(service, approval_id)
    check_approver(approval, caller.name)
    challenge = challenge_for(approval)
    taken = None
    if challenge.kind != "auto_approve":
        taken = judge(challenge, answers, _seconds(service, caller, approval, ticket))
        if not taken.passed and (taken.seconds < challenge.seconds or not challenge.questions):
            raise ApprovalError(f"not yet: {taken.why}")
        if not taken.passed and len(answers) != len(challenge.questions):
            raise ApprovalError(f"not yet: {taken.why}")
    if taken is not None and not taken.passed:
        return _answer(
            service, approval, caller, AnswerVerdict.REJECT, f"the challenge was not passed: {taken.why}", taken
        )
    return _answer(service, approval, caller, AnswerVerdict.APPROVE, reason, taken, scope)


def answer_no(service: Service, caller: Caller, approval_id: str, reason: str, instead: str) -> Approval:
    """Take a rejection."""
    approval = _open(service, approval_id)
    answer = Answer(approver=caller.name, verdict=AnswerVerdict.REJECT, reason=_line(reason), instead=_line(instead))
    return service.gate.approvals.answer(approval.approval_id, answer)


def _open(service: Service, approval_id: str) -> Approval:
    """Return a request that can be answered, by its whole id: nobody answers what they have not named."""
    approval = service.current(approval_id)
    if approval.approval_id != approval_id:
        raise MissingApprovalError("there is no such request")
    check_pending(approval)
    return approval


def _answer(
    service: Service,
    approval: Approval,
    caller: Caller,
    verdict: AnswerVerdict,
    reason: str,
    taken: ChallengeResult | None,
    scope: GrantScope = GrantScope.ONCE,
) -> Approval:
    answer = Answer(approver=caller.name, verdict=verdict, reason=_line(reason), challenge=taken, scope=scope)
    return service.gate.approvals.answer(approval.approval_id, answer)


def _line(text: str) -> str:
    """Return a text on one line, as records keep reasons."""
    return plain(" ".join(text.split()))

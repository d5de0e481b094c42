"""Approve and reject requests from the API and the pages: who may answer, the reading time, and the challenge."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.access.roles import Caller
from interlock.approval.challenge.challenge import Challenge, challenge_for, judge
from interlock.approval.override import reopen_refused
from interlock.approval.request import Answer, AnswerVerdict, Approval, ChallengeResult, GrantScope
from interlock.approval.requirement import check_answer, check_approver
from interlock.approval.rows import check_pending
from interlock.errors import ApprovalError, MissingApprovalError, NotYoursError
from interlock.sanitise import plain
from interlock.server.service import Service
from interlock.store.clock import MICROSECONDS, now


def reading_ticket(service: Service, caller: Caller, approval: Approval) -> str:
    """Return a signed ticket that proves when a caller was shown a request."""
    at = now().wall
    return f"{at}.{service.authenticator.sign(_ticket_text(caller, approval, str(at)))}"


def _ticket_text(caller: Caller, approval: Approval, at: str) -> str:
    return f"shown {approval.approval_id} {caller.name} {at}"


def _reading_seconds(service: Service, caller: Caller, approval: Approval, ticket: str) -> float:
    """Return how long ago the caller was shown a request, or raise for a ticket that is not theirs."""
    at, _, signature = ticket.partition(".")
    signed = service.authenticator.has_signed(_ticket_text(caller, approval, at), signature)
    if not at.isascii() or not at.isdigit() or not signed:
        raise ApprovalError("read the request first, and send back the `ticket` of its challenge")
    return max(0.0, (now().wall - int(at)) / MICROSECONDS)


def approve(
    service: Service,
    caller: Caller,
    approval_id: str,
    ticket: str,
    answers: Sequence[str],
    scope: GrantScope,
    reason: str,
) -> Approval:
    """Approve a request. A failed quiz rejects it; an answer that can still be corrected raises."""
    approval = _pending_approval(service, approval_id)
    check_approver(approval, caller.name)
    challenge = challenge_for(approval)
    taken = None
    if challenge.kind != "auto_approve":
        taken = judge(challenge, answers, _reading_seconds(service, caller, approval, ticket))
        if not taken.passed and _can_be_corrected(challenge, taken, answers):
            raise ApprovalError(f"not approved yet: {taken.why}")
    if taken is not None and not taken.passed:
        return _submit(
            service, approval, caller, AnswerVerdict.REJECT, f"the challenge was not passed: {taken.why}", taken
        )
    return _submit(service, approval, caller, AnswerVerdict.APPROVE, reason, taken, scope)


def _can_be_corrected(challenge: Challenge, taken: ChallengeResult, answers: Sequence[str]) -> bool:
    """Whether a challenge failed for another reason than a wrong answer to its quiz."""
    too_early = taken.seconds < challenge.seconds
    return too_early or not challenge.questions or len(answers) != len(challenge.questions)


def reject(service: Service, caller: Caller, approval_id: str, reason: str, instead: str) -> Approval:
    """Reject a request, with a reason and what to do instead."""
    approval = _pending_approval(service, approval_id)
    answer = Answer(
        approver=caller.name, verdict=AnswerVerdict.REJECT, reason=_one_line(reason), instead=_one_line(instead)
    )
    return service.gate.approvals.answer(approval.approval_id, answer)


#: The challenges that a button in a chat can meet; the others need the page of the request.
BUTTON_CHALLENGES = ("auto_approve", "confirm")


def answer_of_button(
    service: Service, caller: Caller, approval_id: str, digest: str, verdict: AnswerVerdict, shown_at: int, via: str
) -> Answer:
    """Return the answer that a button stands for, or raise if the request does not allow it, or not in a chat."""
    approval = _pending_approval(service, approval_id)
    if approval.digest != digest:
        raise NotYoursError("the button belongs to another action")
    taken = None
    if verdict is AnswerVerdict.APPROVE:
        check_approver(approval, caller.name)
        challenge = challenge_for(approval)
        if challenge.kind not in BUTTON_CHALLENGES or approval.needs.reason:
            raise ApprovalError("this approval needs more than a button")
        taken = judge(challenge, (), max(0.0, (now().wall - shown_at) / MICROSECONDS))
    answer = Answer(approver=caller.name, verdict=verdict, challenge=taken, via=via)
    check_answer(approval, answer)
    return answer


def override(service: Service, caller: Caller, approval_id: str) -> Approval:
    """Reopen a request that a model rejected, for people to answer; return the new request."""
    refused = service.current_approval(approval_id)
    if refused.approval_id != approval_id:
        raise MissingApprovalError("there is no such request")
    check_approver(refused, caller.name)
    return reopen_refused(service.journal, approval_id, caller.name)


def _pending_approval(service: Service, approval_id: str) -> Approval:
    """Return a request that can be answered. Its id must be complete: an answer never goes by a prefix."""
    approval = service.current_approval(approval_id)
    if approval.approval_id != approval_id:
        raise MissingApprovalError("there is no such request")
    check_pending(approval)
    return approval


def _submit(
    service: Service,
    approval: Approval,
    caller: Caller,
    verdict: AnswerVerdict,
    reason: str,
    taken: ChallengeResult | None,
    scope: GrantScope = GrantScope.ONCE,
) -> Approval:
    answer = Answer(approver=caller.name, verdict=verdict, reason=_one_line(reason), challenge=taken, scope=scope)
    return service.gate.approvals.answer(approval.approval_id, answer)


def _one_line(text: str) -> str:
    """Return a text on one line, as records keep reasons."""
    return plain(" ".join(text.split()))

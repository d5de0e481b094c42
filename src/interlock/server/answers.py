"""Approve and reject requests from the API and the pages: who may answer, the reading time, and the challenge."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NoReturn

from interlock.access.roles import Caller
from interlock.approval.challenge.challenge import challenge_for, is_quiz_failure, judge_challenge
from interlock.approval.override import reopen_refused
from interlock.approval.quiz_attempts import QuizAttempts
from interlock.approval.request import Answer, AnswerVerdict, Approval, ChallengeResult, GrantScope
from interlock.approval.requirement import check_answer, check_approver, find_shape
from interlock.approval.rows import check_pending
from interlock.errors import ApprovalError, MissingApprovalError, NotYoursError, QuizFailedError
from interlock.sanitise import plain
from interlock.server.service import Service
from interlock.store.clock import MICROSECONDS, now


def reading_ticket(service: Service, caller: Caller, approval: Approval, attempt: int = 0) -> str:
    """Return a signed ticket that proves when a caller was shown a request."""
    at = now().wall
    return f"{at}.{service.authenticator.sign(_ticket_text(caller, approval, str(at), attempt))}"


def _ticket_text(caller: Caller, approval: Approval, at: str, attempt: int) -> str:
    return f"shown {approval.approval_id} {caller.name} {at} {attempt}"


def find_attempts(service: Service, caller: Caller, approval: Approval) -> QuizAttempts:
    """Return the attempts of a caller at the quiz of a request."""
    return service.gate.approvals.attempts(approval.approval_id, caller.name)


def seconds_since_shown(service: Service, caller: Caller, approval: Approval, ticket: str, attempt: int) -> float:
    """Return how long ago the caller was shown a request, or raise for a ticket that is not theirs.

    A ticket counts for one attempt at the quiz: after a failure, the request has to be read again.
    """
    at, _, signature = ticket.partition(".")
    signed = service.authenticator.has_signed(_ticket_text(caller, approval, at, attempt), signature)
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
    shape: str = "",
) -> Approval:
    """Approve a request, or raise. A failed quiz is recorded, and can be taken again after a pause."""
    approval = _pending_approval(service, approval_id)
    check_approver(approval, caller.name)
    attempts = find_attempts(service, caller, approval)
    attempts.check(caller.name)
    find_shape(approval, shape)
    taken = _take_challenge(service, caller, approval, ticket, answers, attempts.failures)
    answer = Answer(
        approver=caller.name,
        verdict=AnswerVerdict.APPROVE,
        reason=_one_line(reason),
        challenge=taken,
        scope=scope,
        shape=shape,
    )
    return service.gate.approvals.answer(approval.approval_id, answer)


def _take_challenge(
    service: Service, caller: Caller, approval: Approval, ticket: str, answers: Sequence[str], attempt: int
) -> ChallengeResult | None:
    """Return the result of a passed challenge, or None if there is none; raise if it is not passed."""
    challenge = challenge_for(approval, attempt=attempt)
    if challenge.kind == "auto_approve":
        return None
    taken = judge_challenge(challenge, answers, seconds_since_shown(service, caller, approval, ticket, attempt))
    if is_quiz_failure(challenge, taken):
        _fail_quiz(service, caller, approval, taken)
    if not taken.passed:
        raise ApprovalError(f"not approved yet: {taken.why}")
    return taken


def _fail_quiz(service: Service, caller: Caller, approval: Approval, taken: ChallengeResult) -> NoReturn:
    """Record a failed quiz, and raise what the caller can do now."""
    attempts = service.gate.approvals.fail_quiz(approval.approval_id, caller.name, taken)
    if attempts.tries_left <= 0:
        raise QuizFailedError(
            f"{taken.why}. You failed the quiz {attempts.failures} times; another person has to approve this"
        )
    tries = f"{attempts.tries_left} {'try' if attempts.tries_left == 1 else 'tries'} left"
    raise QuizFailedError(f"{taken.why}. You can take the quiz again in {ceil(attempts.pause)} s; {tries}")


def extend(service: Service, caller: Caller, approval_id: str) -> Approval:
    """Keep a request open for longer."""
    approval = _pending_approval(service, approval_id)
    return service.gate.approvals.extend(approval.approval_id, caller.name)


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
        taken = judge_challenge(challenge, (), max(0.0, (now().wall - shown_at) / MICROSECONDS))
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


def _one_line(text: str) -> str:
    """Return a text on one line, as records keep reasons."""
    return plain(" ".join(text.split()))

"""Accept, dismiss and restore suggestions from the API and the pages: by the rules of the requests they rest on."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.access.roles import Caller, Right
from interlock.approval.challenge.challenge import Challenge, challenge_for, is_quiz_failure, judge_challenge
from interlock.approval.grants import Grant
from interlock.approval.groups import apply_current_rules
from interlock.approval.request import Answer, AnswerVerdict, Approval, ChallengeResult
from interlock.approval.requirement import check_approver
from interlock.errors import ApprovalError, ForbiddenError, QuizFailedError
from interlock.learning import suggestion_responses
from interlock.learning.suggestion import Suggestion
from interlock.learning.suggestion_responses import MAX_FAILURES, Narrowing, Response
from interlock.model import Struct
from interlock.policies.repository import PolicyVersion
from interlock.sanitise import plain
from interlock.server.answers import reading_ticket, seconds_since_shown
from interlock.server.policy_editor import base_version, check_policy
from interlock.server.service import Service


class Acceptance(Struct, frozen=True, kw_only=True):
    """What accepting a suggested grant takes: the request whose challenge it is, and a ticket. Or why it cannot be."""

    approval: Approval | None = None
    challenge: Challenge | None = None
    ticket: str = ""
    tries_left: int = MAX_FAILURES
    why_not: str = ""


def find_acceptance(service: Service, caller: Caller, suggestion: Suggestion) -> Acceptance:
    """Return what a caller needs to accept a suggestion."""
    if suggestion.kind == "policy":
        return Acceptance(why_not="" if caller.may(Right.MANAGE) else "an admin can accept a policy")
    if not caller.may(Right.ANSWER):
        return Acceptance(why_not="reviewers can accept a grant")
    try:
        approval, failures = _request(service, caller, suggestion)
    except ApprovalError as error:
        return Acceptance(why_not=str(error))
    return Acceptance(
        approval=approval,
        challenge=challenge_for(approval, attempt=failures),
        ticket=reading_ticket(service, caller, approval, failures),
        tries_left=MAX_FAILURES - failures,
    )


def accept_grant(
    service: Service,
    caller: Caller,
    suggestion: Suggestion,
    ticket: str,
    answers: Sequence[str],
    reason: str,
    narrowing: Narrowing,
) -> Grant:
    """Create the grant of a suggestion, or raise. A failed quiz is recorded."""
    approval, failures = _request(service, caller, suggestion)
    suggestion_responses.narrow_shape(suggestion, narrowing)  # before the quiz, so that a slip here costs no try
    taken = _take_challenge(service, caller, suggestion, approval, ticket, answers, failures)
    answer = Answer(
        approver=caller.name,
        verdict=AnswerVerdict.APPROVE,
        reason=plain(" ".join(reason.split())),
        challenge=taken,
    )
    rules = service.gate.approvals.rules
    grant = suggestion_responses.accept_grant(service.journal, suggestion, answer, narrowing, rules)
    service.suggestions.forget(suggestion.suggestion_id)
    return grant


def accept_policy(service: Service, caller: Caller, suggestion: Suggestion) -> PolicyVersion:
    """Write the policy of a suggestion, and apply it from now on."""
    if not caller.may(Right.MANAGE):
        raise ForbiddenError("accepting a policy needs the right to manage policies; ask an admin")
    if suggestion.policy is None:
        raise ApprovalError("this suggestion is a grant; take its challenge to accept it")
    policy = check_policy(service, suggestion.policy)
    base_version(service, policy.policy_id)
    version = suggestion_responses.accept_policy(service.journal, suggestion, policy, caller.name)
    service.gate.configuration.reload_policies()
    service.suggestions.forget(suggestion.suggestion_id)
    return version


def dismiss(service: Service, caller: Caller, suggestion: Suggestion, why: str) -> Response:
    """Dismiss a suggestion."""
    response = suggestion_responses.dismiss(service.journal, suggestion, caller.name, why)
    service.suggestions.forget(suggestion.suggestion_id)
    return response


def restore(service: Service, caller: Caller, suggestion_id: str) -> Response:
    """Undo the dismissal of a suggestion."""
    return suggestion_responses.restore(service.journal, suggestion_id, caller.name)


def _request(service: Service, caller: Caller, suggestion: Suggestion) -> tuple[Approval, int]:
    """Return the request whose rules hold, and how often its quiz was failed; raise if the caller may not approve."""
    approval = suggestion_responses.find_governing_request(service.journal, suggestion)
    with service.journal.database.read() as connection:
        approval = apply_current_rules(connection, approval, service.gate.approvals.rules)
    check_approver(approval, caller.name)
    return approval, suggestion_responses.count_failures(service.journal.database, suggestion.suggestion_id)


def _take_challenge(
    service: Service,
    caller: Caller,
    suggestion: Suggestion,
    approval: Approval,
    ticket: str,
    answers: Sequence[str],
    failures: int,
) -> ChallengeResult | None:
    """Return the result of a passed challenge, or None if there is none; raise if it is not passed."""
    challenge = challenge_for(approval, attempt=failures)
    if challenge.kind == "auto_approve":
        return None
    taken = judge_challenge(challenge, answers, seconds_since_shown(service, caller, approval, ticket, failures))
    if is_quiz_failure(challenge, taken):
        left = MAX_FAILURES - suggestion_responses.fail_quiz(service.journal, suggestion, caller.name).failures
        raise QuizFailedError(f"{taken.why}; {left} {'try' if left == 1 else 'tries'} left")
    if not taken.passed:
        raise ApprovalError(f"not accepted yet: {taken.why}")
    return taken

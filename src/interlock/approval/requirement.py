"""The requirements of a request: who may answer it, which answers are accepted, and when there are enough."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from interlock.approval.request import Answer, AnswerVerdict, Approval, ApprovalState, GrantScope, ProposedShape
from interlock.errors import ApprovalError, NotYoursError
from interlock.model import Needs
from interlock.policy.needs import CHALLENGE_ORDER
from interlock.sanitise import plain

MAX_REASON = 2_000


def check_answer(approval: Approval, answer: Answer) -> None:
    """Raise if an answer is not acceptable."""
    _check_reason(approval, answer)
    if answer.model or answer.verdict is not AnswerVerdict.APPROVE:
        _check_first(approval, answer.approver)
        return  # anyone may reject, and `evaluate_answers` weighs the answers of models
    check_approver(approval, answer.approver)
    _check_challenge(approval.needs, answer)
    if find_shape(approval, answer.shape) is not None and answer.scope is GrantScope.ONCE:
        raise ApprovalError("a shape needs a `scope` that says how long it is granted: 15min, run, day or always")


def find_shape(approval: Approval, shape_id: str) -> ProposedShape | None:
    """Return the shape of a request with an id, None for an empty id, or raise if the request does not propose it."""
    if not shape_id:
        return None
    for shape in approval.shapes:
        if shape.shape_id == shape_id:
            return shape
    known = ", ".join(f"`{shape.shape_id}`" for shape in approval.shapes) or "none"
    raise ApprovalError(f"unknown shape `{plain(shape_id)[:40]}`; this request proposes {known}")


def _check_first(approval: Approval, name: str) -> None:
    if any(given.approver == name for given in approval.answers):
        raise NotYoursError(f"`{plain(name)}` has already answered; another person has to")


def check_approver(approval: Approval, name: str) -> None:
    """Raise if a person may not approve a request."""
    _check_first(approval, name)
    who = plain(name)
    if name == approval.agent_id:
        raise NotYoursError(f"`{who}` is the agent that asks, and cannot approve its own request; a person has to")
    if name == approval.started_by and not approval.one_person:
        raise NotYoursError(f"`{who}` started the run, so another person has to approve this")
    for group in approval.needs.who:
        if not is_member(name, group, approval.roles):
            raise NotYoursError(f"`{who}` may not approve this; it needs {' or '.join(map(plain, group))}")


def _check_reason(approval: Approval, answer: Answer) -> None:
    for name, text in (("reason", answer.reason), ("suggestion", answer.instead)):
        if len(text) > MAX_REASON:
            raise ApprovalError(f"the {name} has {len(text)} characters; the limit is {MAX_REASON}")
        if plain(text) != text:
            raise ApprovalError(f"the {name} contains characters that do not print; write plain text on one line")
    if answer.verdict is AnswerVerdict.APPROVE and not answer.model and not answer.reason.strip():
        if approval.needs.reason:
            raise ApprovalError("this approval needs a reason")
        if any(given.model and given.verdict is AnswerVerdict.REJECT for given in approval.answers):
            raise ApprovalError("the reviewer model has rejected this; to approve it anyway, give a reason")


def is_member(name: str, group: Iterable[str], roles: Mapping[str, Iterable[str]]) -> bool:
    """Whether a name is in a list of names and `@roles`, directly or by a role."""
    return any(name in roles.get(item[1:], ()) if item.startswith("@") else name == item for item in group)


def _check_challenge(needs: Needs, answer: Answer) -> None:
    result = answer.challenge
    if needs.challenge == "auto_approve":
        return
    if result is None:
        raise ApprovalError(f"this approval needs the challenge `{needs.challenge}`, and none was taken")
    if not result.passed:
        raise ApprovalError(f"the challenge was not passed: {result.why or 'the answers are wrong'}")
    if CHALLENGE_ORDER.index(result.kind) < CHALLENGE_ORDER.index(needs.challenge):
        raise ApprovalError(f"this approval needs the challenge `{needs.challenge}`, and `{result.kind}` was taken")


def covers(given: Needs, wanted: Needs) -> bool:
    """Whether an approval that satisfied `given` also satisfies `wanted`."""
    return (
        given.human >= wanted.human
        and given.model >= wanted.model
        and given.reason >= wanted.reason
        and given.approvers >= wanted.approvers
        and CHALLENGE_ORDER.index(given.challenge) >= CHALLENGE_ORDER.index(wanted.challenge)
        and set(wanted.who) <= set(given.who)
    )


def evaluate_answers(approval: Approval, *, reviewer: bool) -> tuple[ApprovalState, str] | None:
    """Return the final state and its reason, or None while more answers are needed.

    If there is a `reviewer` and the request needs its review, that comes first. It replaces a person's answer only
    where the request is liftable.
    """
    people = [answer for answer in approval.answers if not answer.model]
    models = [answer for answer in approval.answers if answer.model]
    for answer in people:
        if answer.verdict is AnswerVerdict.REJECT:
            return _reject(answer)
    approvers = [answer.approver for answer in people if answer.verdict is AnswerVerdict.APPROVE]
    if approval.needs.model and not models and reviewer:
        return None
    if len(approvers) >= max(approval.needs.approvers, 1):
        return ApprovalState.APPROVED, "approved by " + ", ".join(f"`{name}`" for name in approvers)
    if models and (approval.needs.liftable or not approval.needs.human):
        return _by_model(models[-1])
    return None


def _by_model(answer: Answer) -> tuple[ApprovalState, str] | None:
    if answer.verdict is AnswerVerdict.APPROVE:
        return ApprovalState.APPROVED, f"approved by `{answer.approver}`"
    if answer.verdict is AnswerVerdict.REJECT:
        return _reject(answer)
    return None  # escalated: a person has to answer


def _reject(answer: Answer) -> tuple[ApprovalState, str]:
    return ApprovalState.REJECTED, f"rejected by `{answer.approver}`" + (f": {answer.reason}" if answer.reason else "")

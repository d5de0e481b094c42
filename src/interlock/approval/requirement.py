"""What it takes: who may answer a request, whether an answer can be taken, and when there are enough of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from interlock.approval.request import Answer, Approval, Reply, State
from interlock.errors import ApprovalError, NotYoursError
from interlock.model import Needs
from interlock.policy.needs import CHALLENGE_ORDER
from interlock.sanitise import plain

MAX_REASON = 2_000


def check_answer(approval: Approval, answer: Answer) -> None:
    """Raise if an answer cannot be taken."""
    _check_reason(approval, answer)
    if answer.model or answer.verdict is not Reply.APPROVE:
        _check_first(approval, answer.approver)
        return  # anybody may say no, and a model's word is weighed elsewhere
    check_approver(approval, answer.approver)
    _check_challenge(approval.needs, answer)


def _check_first(approval: Approval, name: str) -> None:
    if any(given.approver == name for given in approval.answers):
        raise NotYoursError(f"`{plain(name)}` has answered already; somebody else has to")


def check_approver(approval: Approval, name: str) -> None:
    """Raise if somebody may not approve a request, whatever they know about it."""
    _check_first(approval, name)
    who = plain(name)
    if name == approval.agent_id:
        raise NotYoursError(f"`{who}` is the agent that asks, and cannot approve its own request; somebody else has to")
    if name == approval.started_by and not approval.one_person:
        raise NotYoursError(
            f"`{who}` started the run that asks, and cannot approve its request; somebody else has to, "
            "or `approvals.one_person = true` says that there is nobody else"
        )
    for group in approval.needs.who:
        if not _belongs(name, group, approval.roles):
            raise NotYoursError(f"`{who}` may not approve this; it takes {' or '.join(map(plain, group))}")


def _check_reason(approval: Approval, answer: Answer) -> None:
    for name, text in (("reason", answer.reason), ("suggestion", answer.instead)):
        if len(text) > MAX_REASON:
            raise ApprovalError(f"the {name} has {len(text)} characters; {MAX_REASON} are enough")
        if plain(text) != text:
            raise ApprovalError(f"the {name} has characters in it that do not print; write plain text on one line")
    if answer.verdict is Reply.APPROVE and not answer.model and not answer.reason.strip():
        if approval.needs.reason:
            raise ApprovalError("this approval takes a reason; give one")
        if any(given.model and given.verdict is Reply.REJECT for given in approval.answers):
            raise ApprovalError("the reviewer model has rejected this; approving it all the same takes a reason")


def _belongs(name: str, group: Iterable[str], roles: Mapping[str, Iterable[str]]) -> bool:
    """Whether a name is in a list of names and `@roles`."""
    return any(name in roles.get(item[1:], ()) if item.startswith("@") else name == item for item in group)


def _check_challenge(needs: Needs, answer: Answer) -> None:
    taken = answer.challenge
    if needs.challenge == "auto_approve":
        return
    if taken is None:
        raise ApprovalError(f"this approval takes a challenge (`{needs.challenge}`), and none was taken")
    if not taken.passed:
        raise ApprovalError(f"the challenge was not passed: {taken.why or 'the answers are wrong'}")
    if CHALLENGE_ORDER.index(taken.kind) < CHALLENGE_ORDER.index(needs.challenge):
        raise ApprovalError(f"this approval takes the challenge `{needs.challenge}`, and `{taken.kind}` was taken")


def covers(given: Needs, wanted: Needs) -> bool:
    """Whether an approval that took `given` counts where `wanted` is needed now: it took at least as much."""
    return (
        given.human >= wanted.human
        and given.model >= wanted.model
        and given.reason >= wanted.reason
        and given.approvers >= wanted.approvers
        and CHALLENGE_ORDER.index(given.challenge) >= CHALLENGE_ORDER.index(wanted.challenge)
        and set(wanted.who) <= set(given.who)
    )


def settled(approval: Approval, *, reviewer: bool) -> tuple[State, str] | None:
    """Return what the answers so far come to, or None while more are needed.

    Where there is a `reviewer`, a model whose part it is must have spoken first. It cannot speak for a person.
    """
    people = [answer for answer in approval.answers if not answer.model]
    models = [answer for answer in approval.answers if answer.model]
    for answer in people:
        if answer.verdict is Reply.REJECT:
            return State.REJECTED, f"`{answer.approver}` said no" + (f": {answer.reason}" if answer.reason else "")
    agreeing = [answer.approver for answer in people if answer.verdict is Reply.APPROVE]
    if approval.needs.model and not models and reviewer:
        return None
    if len(agreeing) >= max(approval.needs.approvers, 1):
        return State.APPROVED, "approved by " + ", ".join(f"`{name}`" for name in agreeing)
    if not approval.needs.human and models:
        return _by_model(models[-1])
    return None


def _by_model(answer: Answer) -> tuple[State, str] | None:
    if answer.verdict is Reply.APPROVE:
        return State.APPROVED, f"approved by `{answer.approver}`"
    if answer.verdict is Reply.REJECT:
        return State.REJECTED, f"`{answer.approver}` said no: {answer.reason}"
    return None  # a person has to

"""The text of a notification. What comes from an agent is masked, on one line, and with hidden characters shown."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from interlock.approval.request import AnswerVerdict, Approval, ApprovalState
from interlock.sanitise import plain
from interlock.scoring.command import normalise_environment
from interlock.server.notify.channel import ENDED, ESCALATED, REMINDER, REQUESTED, Notification
from interlock.server.notify.recipients import may_approve
from interlock.server.notify.whole_action import describe_whole

MAX_SUMMARY, MAX_FACT, MAX_REASONS = 400, 120, 2
#: Challenges that a button can meet.
_BY_BUTTON = ("auto_approve", "confirm")
_TITLES = {
    REQUESTED: "Approval needed: {what}",
    REMINDER: "Expires soon: {what}",
    ESCALATED: "Still unanswered: {what}",
    ENDED: "{outcome}: {what}",
}


def with_environment(approval: Approval, otherwise: str | None) -> Approval:
    """Return a request whose action names its environment: its own, or that of the configuration."""
    given = normalise_environment(approval.action.get("environment") or None) or otherwise
    return msgspec.structs.replace(approval, action={**approval.action, "environment": given})


def make_notification(approval: Approval, person: str, kind: str, url: str, *, interactive: bool) -> Notification:
    """Return the message about a request for one person."""
    outcome, whole = describe_request_outcome(approval), describe_whole(approval) if interactive else None
    words = _TITLES[kind].format(what=_what(approval), outcome=outcome)
    facts = tuple((name, plain(text)) for name, text in _facts(approval))
    if any(len(text) > MAX_FACT for _, text in facts):
        whole = None  # a folder that is cut may lead anywhere
    return Notification(
        approval_id=approval.approval_id,
        digest=approval.digest,
        person=person,
        kind=kind,
        title=words,
        summary=whole or summarise(approval),
        facts=tuple((name, cut(text, MAX_FACT)) for name, text in facts),
        url=url,
        can_answer_here=whole is not None and not outcome and can_answer_by_button(approval, person),
        ends_at=approval.expires_at,
        outcome=outcome,
    )


def make_test_notification(person: str, url: str) -> Notification:
    """Return the message by which a person tries a channel."""
    return Notification(
        approval_id="",
        digest="",
        person=person,
        kind=REQUESTED,
        title="Test notification from Interlock",
        summary="Notifications about approval requests will arrive here.",
        facts=(),
        url=url,
        can_answer_here=False,
        ends_at=None,
    )


def can_answer_by_button(approval: Approval, person: str) -> bool:
    """Whether a person can approve a request with a button: no quiz, no reason, and nothing else in the way."""
    rejected = any(answer.model and answer.verdict is AnswerVerdict.REJECT for answer in approval.answers)
    simple = approval.needs.challenge in _BY_BUTTON and not approval.needs.reason and not rejected
    return simple and approval.state is ApprovalState.PENDING and may_approve(approval, person)


def describe_request_outcome(approval: Approval) -> str:
    """Return how a request ended, as `Approved by ann`; nothing while it is pending."""
    if approval.state is ApprovalState.PENDING:
        return ""
    verdict = {ApprovalState.APPROVED: AnswerVerdict.APPROVE, ApprovalState.REJECTED: AnswerVerdict.REJECT}
    wanted = verdict.get(approval.state)
    by = [plain(answer.approver) for answer in approval.answers if answer.verdict is wanted]
    return f"{approval.state.value.capitalize()} by {' and '.join(by)}" if by else approval.state.value.capitalize()


def summarise(approval: Approval) -> str:
    """Return the tool and what it is given, on one line."""
    tool, text = approval.action.get("toolName") or "unnamed tool", approval.decision.get("text") or ""
    shown = cut(" ".join(f"{tool}: {text}".split()), MAX_SUMMARY)
    return f"{shown} (not everything is shown here)" if approval.decision.get("unshown") else shown


def cut(text: str, most: int) -> str:
    """Return a text of at most this length on one line, with control characters made visible."""
    shown = plain(text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def _what(approval: Approval) -> str:
    """Return the title. Nothing in it is chosen by the agent."""
    environment = approval.action.get("environment")
    known = f" in {environment}" if environment in ("development", "staging", "production", "critical") else ""
    return f"{approval.decision.get('level', 'unknown')} risk{known}"


def _facts(approval: Approval) -> Iterator[tuple[str, str]]:
    action, decision = approval.action, approval.decision
    if approval.reasons:
        yield "Why", cut("; ".join(approval.reasons[:MAX_REASONS]), MAX_FACT)
    yield "Risk", f"{decision.get('level')}, {decision.get('score')} of 100"
    if action.get("environment"):
        yield "Environment", str(action["environment"])
    if action.get("cwd") or action.get("workspace"):
        yield "Folder", str(action.get("cwd") or action.get("workspace"))
    yield "Agent", approval.agent_id or "unnamed"
    for name in ("user", "tenant"):
        if action.get(name):
            yield f"For {name}", str(action[name])
    yield "Started by", approval.started_by
    yield "Requires", _requirement(approval)


def _requirement(approval: Approval) -> str:
    needs = approval.needs
    people = f"{needs.approvers} people" if needs.approvers > 1 else "one person"
    given = sum(answer.verdict is AnswerVerdict.APPROVE and not answer.model for answer in approval.answers)
    so_far = f" ({given} so far)" if given and needs.approvers > 1 else ""
    named = "".join(f", {' or '.join(group)}" for group in needs.who)
    challenge = "" if needs.challenge in _BY_BUTTON else f", {needs.challenge.replace('_', ' ')}"
    return f"{people}{so_far}{named}{challenge}{', a reason' if needs.reason else ''}"

"""Records as sentences for people: one line for each, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from interlock.audit.outcomes import CALL_EVENTS, describe_outcome, measures_of_data
from interlock.audit.record import KINDS, NOT_CONFIGURED
from interlock.store.clock import format_time


class Describable(Protocol):
    """The source of a sentence: a record, or an item of a timeline."""

    @property
    def kind(self) -> str: ...
    @property
    def actor(self) -> str: ...
    @property
    def name(self) -> str | None: ...
    @property
    def agent_id(self) -> str | None: ...
    @property
    def outcome(self) -> str | None: ...
    @property
    def data(self) -> dict[str, Any]: ...


#: The sentence of each kind. The words in braces are fields of the record and of its data.
_SENTENCES = {
    "start": "Interlock {version} started on {actor}",
    "configuration": "Configuration loaded by {actor}",
    "policy": "The policies in force changed",
    "key": "Signing key {name} of {actor} used for the first time",
    "checkpoint": "Checkpoint signed at record {name}",
    "run.started": "Run started by {actor}",
    "run.paused": "Run paused: {why}",
    "run.resumed": "Run resumed by {actor}",
    "run.ended": "Run ended",
    "run.failed": "Run failed: {why}",
    "risk": "Policy {policy} matched",
    "override": "Stricter verdict overridden by {name}: {what}",
    "observed.policy": "Policy {policy} matched (observed only)",
    "bypass": "Ran without waiting for approval: crisis mode",
    "refused": "Refused after its decision: {why}",
    "asked": "{actor} asked its user",
    "download": "Downloaded {name}",
    "written": "Wrote {name}",
    "memory": "Run memory updated",
    "request": "{actor} asked: {text}",
    "budget": "Counted towards the limit of {name}",
    "tool": "Tool {tool} allowed with its current description",
    "agent.drifted": "Behaviour of {agent} changed: {text}",
    "approval.requested": "{actor} requested approval",
    "approval.approved": "Request approved",
    "approval.rejected": "Request rejected: {why}",
    "approval.expired": "Request expired: {why}",
    "approval.cancelled": "Request cancelled by {actor}: {why}",
    "approval.extended": "{actor} kept the request open for longer",
    "approval.expiring": "Request is about to expire",
    "approval.assigned": "{actor} assigned the request to {name}",
    "approval.unassigned": "{actor} removed the assignee",
    "approval.commented": "{actor} commented: {text}",
    "approval.used": "Action ran with its approval",
    "approval.overridden": "{actor} overrode the model's rejection: {why}",
    "grant.made": "{actor} created a grant ({scope}): {text}",
    "grant.used": "Action ran under a grant: {text}",
    "grant.revoked": "{actor} revoked a grant: {text}",
    "suggestion.accepted": "{actor} accepted a suggestion: {text}",
    "suggestion.dismissed": "{actor} dismissed a suggestion: {text}",
    "suggestion.restored": "{actor} restored a suggestion: {text}",
    "suggestion.quiz_failed": "{actor} failed the quiz of a suggestion: {text}",
    "grant.restored": "{actor} restored a grant: {text}",
    "policy.saved": "{actor} saved policy {name}: {note}",
    "policy.removed": "{actor} removed policy {name}: {note}",
    "policy.applied": "{actor} applied policies from a repository ({name}): {note}",
    "person.added": "{actor} added {name} as {role}",
    "access.made": "{actor} created API key {keyName} ({role})",
    "access.changed": "{actor} changed API key {keyName}",
    "access.revoked": "{actor} revoked API key {keyName}",
    "access.restored": "{actor} restored API key {keyName}",
    "stop.made": "{actor} stopped {target}: {reason}",
    "stop.lifted": "{actor} resumed {target}",
    "pause.made": "{actor} paused {target}{until}: {reason}",
    "pause.lifted": "{actor} resumed {target}",
    "pause.ended": "The pause of {target} ended",
    "bundle.issued": "Bundle {sequence} issued by {actor}",
    "session.began": "{actor} signed in ({outcome})",
    "session.ended": "{actor} signed out",
    "session.refused": "Sign-in of {actor} rejected: {outcome}",
    "webhook.made": "{actor} created a webhook to {to}",
    "webhook.changed": "{actor} changed the webhook to {to}",
    "webhook.removed": "{actor} removed the webhook to {to}",
    "channel.made": "{actor} added channel {channel} ({channelKind})",
    "channel.changed": "{actor} changed channel {channel}: {changed}",
    "channel.removed": "{actor} removed channel {channel}",
    "view.saved": "{actor} saved the view {viewName}",
    "view.changed": "{actor} changed the view {viewName}",
    "view.removed": "{actor} deleted the view {viewName}",
    "preferences.saved": "{actor} changed {whose} notification preferences",
    "identity.linked": "{actor} linked {person} to an account at {provider}",
    "identity.unlinked": "{actor} unlinked {person} from an account at {provider}",
    "group.made": "{actor} created group {name}",
    "group.changed": "{actor} changed group {name}: {outcome}",
    "group.removed": "{actor} deleted group {name}",
    "browser.added": "{actor} added a browser for notifications to {person}",
    "browser.removed": "{actor} removed a browser for notifications to {person}",
    "chat.linked": "{actor} linked chat account {name} to {person}",
    "chat.unlinked": "{actor} unlinked chat account {name} from {person}",
    "chat.refused": "Linking chat account {name} rejected: {outcome}",
    "answer.refused": "Answer by {actor} in {via} refused: {why}",
    "push_key.made": "Key for browser notifications created",
    "setting.changed": "{actor} changed the setting {name}",
    "accepted": "{actor} accepted a replaced store",
    "spool": "Merged {merged} spooled records",
    "prune": "Removed {outcome} older records, up to record {name}",
}


def _in_utc(wall: int) -> str:
    return f"{format_time(wall)} UTC"


def describe_record(record: Describable, show_time: Callable[[int], str] = _in_utc) -> str:
    """Return a record as one sentence, with times as `show_time` returns them."""
    special = _SPECIAL.get(record.kind)
    if special is not None:
        return special(record)
    template = _SENTENCES.get(record.kind)
    if template is None:
        return _describe_other(record)
    return template.format_map(_RecordFields(record, show_time)).rstrip(": ")


class _RecordFields(dict[str, str]):
    """The fields of a record as text; a field that is missing is empty, so that no sentence fails."""

    def __init__(self, record: Describable, show_time: Callable[[int], str]) -> None:
        given = {name: _as_text(value) for name, value in record.data.items()}
        whole = {name: str(getattr(record, name) or "") for name in ("actor", "name", "outcome")}
        whole["agent"] = record.agent_id or "an agent"
        made = {
            "target": _target(record),
            "until": _until(record, show_time),
            "keyName": given.get("name") or whole["name"],
            "viewName": f"“{given.get('name', '')}”",
            "policy": given.get("policy") or whole["name"],
            "whose": "their" if whole["name"] in ("", whole["actor"]) else f"{whole['name']}'s",
        }
        super().__init__({**given, **whole, **made})

    def __missing__(self, key: str) -> str:
        return ""


def _as_text(value: Any) -> str:
    """Return a value in words: lists joined, and no structure at all of anything deeper."""
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value if isinstance(item, str | int))
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _target(record: Describable) -> str:
    data = record.data
    if data.get("keyId"):
        return f"API key {data.get('keyName') or data['keyId']}"
    return f"agent {data['agentId']}" if data.get("agentId") else "all agents"


_LATEST = 2**55  # a time that every system can format, in the year 3111


def _until(record: Describable, show_time: Callable[[int], str]) -> str:
    ends_at = record.data.get("endsAt")
    if isinstance(ends_at, int) and 0 <= ends_at < _LATEST:
        return f" until {show_time(ends_at)}"
    return " until a person resumes it"


def _describe_other(record: Describable) -> str:
    """Return the sentence for a kind that has no template: the event, its object and its actor."""
    what = KINDS.get(record.kind, record.kind)
    by = f" by {record.actor}" if record.actor not in ("interlock", record.agent_id) else ""
    told = _as_text(record.data.get("text") or record.data.get("why") or record.data.get("name") or record.name)
    return f"{what[:1].upper()}{what[1:]}{by}" + (f": {told}" if told else "")


def _decision(record: Describable) -> str:
    number = f"call {record.data['call']}: " if record.data.get("call") else ""
    text = _as_text(record.data.get("text"))
    return f"{number}{record.name}: {text}" if text else f"{number}{record.name}"


_WOULD = {"would_block": "blocked", "would_require_approval": "asked for approval"}


def _describe_observation(record: Describable) -> str:
    tool, text = _as_text(record.data.get("tool")), _as_text(record.data.get("text"))
    return f"{record.name} would have {_WOULD.get(record.outcome or '', 'stopped')}: {tool}: {text}".rstrip(": ")


_ANSWERS = {"approve": "approved", "reject": "rejected", "escalate": "left the answer to a person"}


def _describe_answer(record: Describable) -> str:
    answer = record.data.get("answer")
    given = answer if isinstance(answer, dict) else {}
    verdict = _as_text(given.get("verdict"))
    reason = f": {_as_text(given['reason'])}" if given.get("reason") else ""
    where = f" in {_as_text(given['via'])}" if given.get("via") else ""
    return f"{record.name or record.actor} {_ANSWERS.get(verdict, verdict)}{where}{reason}"


def _describe_failed_quiz(record: Describable) -> str:
    challenge = record.data.get("challenge")
    wrong = _as_text(challenge.get("wrong")) if isinstance(challenge, dict) else ""
    return f"{record.actor} failed the quiz" + (f": {wrong}" if wrong else "")


def _describe_review(record: Describable) -> str:
    if record.outcome == NOT_CONFIGURED:
        return "No reviewer model is configured"
    return f"Reviewer model: {record.outcome}"


def _event(record: Describable) -> str:
    text = _as_text(record.data.get("text"))
    if record.name in CALL_EVENTS:
        state = record.name.removeprefix("tool.")
        return f"{text or 'a call'} {describe_outcome(state, measures_of_data(record.data))}"
    person = _as_text(record.data.get("person")) or record.actor
    by = f" by {person}" if person != record.agent_id else ""
    return f"{str(record.name).replace('.', ' ')}{by}" + (f": {text}" if text else "")


def describe_person_change(name: str, data: Mapping[str, Any]) -> str:
    """Describe a change of a person, without naming who made it."""
    changed, before = data.get("changed") or [], data.get("before") or {}
    words = []
    if "role" in changed:
        words.append(f"changed the role of {name} from {before.get('role', 'another')} to {data.get('role')}")
    if "state" in changed:
        words.append(_STATE_CHANGES.get(str(data.get("state")), "denied {name} access").format(name=name))
    if "password" in changed:
        words.append(f"changed the password of {name}")
    return ", ".join(words) or f"changed {name}"


#: By the stored states of people; in any other, their sign-in provider no longer gives them a role.
_STATE_CHANGES = {"active": "reactivated {name}", "shut out": "suspended {name}"}


def _person_changed(record: Describable) -> str:
    what, why = describe_person_change(record.name or "a person", record.data), _as_text(record.data.get("why"))
    return f"{record.actor} {what}" + (f": {why}" if why else "")


_SPECIAL: dict[str, Callable[[Describable], str]] = {
    "decision": _decision,
    "observed": _describe_observation,
    "approval.answered": _describe_answer,
    "approval.quiz_failed": _describe_failed_quiz,
    "approval.reviewed": _describe_review,
    "event": _event,
    "person.changed": _person_changed,
}

"""A record of the chain: canonical JSON, linked to the previous record by its hash."""

import hashlib
import os
import time
from typing import Any

import msgspec

from interlock.model import Struct

KINDS = {
    "start": "Interlock was started",
    "configuration": "a configuration was loaded",
    "policy": "the policies changed",
    "key": "a key was used for the first time",
    "checkpoint": "a checkpoint was signed",
    "run.started": "a run started",
    "run.paused": "a run was paused",
    "run.resumed": "a run was resumed",
    "run.ended": "a run ended",
    "run.failed": "a run failed",
    "event": "an agent reported an event",
    "decision": "an action was decided",
    "risk": "a policy matched",
    "override": "a stricter verdict was overridden",
    "observed": "an action would have been stopped, and was only observed",
    "observed.policy": "a policy matched, and was only observed",
    "bypass": "an action ran without waiting, in a crisis",
    "refused": "an action was refused after its decision",
    "asked": "the agent asked its user",
    "download": "a run downloaded a file",
    "written": "a run wrote a file that can be run",
    "memory": "the memory of a run changed",
    "request": "a person asked for something",
    "budget": "an action was counted towards a limit",
    "tool": "a tool was allowed with its current description",
    "agent.drifted": "the behaviour of an agent changed",
    "approval.requested": "approval was requested",
    "approval.reviewed": "a model reviewed the request",
    "approval.answered": "the request was answered",
    "approval.approved": "the request was approved",
    "approval.rejected": "the request was rejected",
    "approval.expired": "the request expired",
    "approval.cancelled": "the request was cancelled",
    "approval.used": "the action ran with its approval",
    "approval.extended": "the request was kept open for longer",
    "approval.expiring": "the request is about to expire",
    "approval.quiz_failed": "an approver failed the quiz",
    "approval.overridden": "a model's rejection was overridden",
    "approval.assigned": "the request was assigned to a person",
    "approval.unassigned": "the request is no longer assigned",
    "approval.commented": "a person commented on the request",
    "view.saved": "a view of the requests was saved",
    "view.changed": "a view of the requests was changed",
    "view.removed": "a view of the requests was deleted",
    "grant.made": "a grant was created",
    "grant.used": "the action ran under a grant",
    "grant.revoked": "a grant was revoked",
    "grant.restored": "a revoked grant was restored",
    "suggestion.accepted": "a suggested grant or policy was accepted",
    "suggestion.dismissed": "a suggestion was dismissed",
    "suggestion.restored": "a dismissed suggestion was restored",
    "suggestion.quiz_failed": "a person failed the quiz of a suggestion",
    "policy.saved": "a policy was saved",
    "policy.removed": "a policy was removed",
    "policy.applied": "policies of a repository were applied",
    "person.added": "a person was added",
    "person.changed": "a person was changed",
    "identity.linked": "an account at a sign-in provider was linked to a person",
    "identity.unlinked": "an account at a sign-in provider was unlinked",
    "group.made": "a group was created",
    "group.changed": "the members of a group changed",
    "group.removed": "a group was deleted",
    "access.made": "an API key was created",
    "access.changed": "an API key was changed",
    "access.revoked": "an API key was revoked",
    "access.restored": "a revoked API key was restored",
    "stop.made": "an agent, a key, or everything was stopped",
    "stop.lifted": "a stop was lifted",
    "pause.made": "an agent, a key, or everything was paused",
    "pause.lifted": "a pause was ended by a person",
    "pause.ended": "a pause ended as planned",
    "bundle.issued": "a bundle for other machines was issued",
    "session.began": "a person signed in",
    "session.ended": "a person signed out",
    "session.refused": "a sign-in was rejected",
    "webhook.made": "a webhook was created",
    "webhook.changed": "a webhook was changed",
    "webhook.removed": "a webhook was removed",
    "channel.made": "a channel for notifications was added",
    "channel.changed": "a channel for notifications was changed",
    "channel.removed": "a channel for notifications was removed",
    "preferences.saved": "notification preferences were changed",
    "browser.added": "a browser was registered for notifications",
    "browser.removed": "a browser was removed from notifications",
    "push_key.made": "the key for browser notifications was created",
    "chat.linked": "a chat account was linked to a person",
    "chat.unlinked": "a chat account was unlinked",
    "chat.refused": "a chat account could not be linked",
    "answer.refused": "an answer from a chat was refused",
    "setting.changed": "a setting was changed",
    "accepted": "a replaced store was accepted",
    "spool": "spooled records were merged",
    "prune": "older records were removed",
    **{
        f"kept.{table}": "a row outlived its records"
        for table in (
            "runs approvals answers comments assignments views quiz_attempts grants keys checkpoints policies people "
            "identities groups access stops webhooks bundles preferences browsers push_keys chat_accounts settings "
            "channels suggestions"
        ).split()
    },
}
#: The outcome of an `approval.reviewed` where no model is configured.
NOT_CONFIGURED = "not configured"


def canonical(value: Any) -> bytes:
    """Return a value as canonical JSON: sorted keys, no spaces, UTF-8.

    >>> canonical({"b": 1, "a": [True, None]})
    b'{"a":[true,null],"b":1}'
    """
    return msgspec.json.encode(value, order="sorted")


def digest_of(value: Any) -> str:
    """Return the digest of a value's canonical JSON."""
    return hashlib.sha256(canonical(value)).hexdigest()


def _record_id() -> str:
    """Return a new unique id that sorts by time, so that its index grows at the end."""
    return f"{time.time_ns():016x}{os.urandom(8).hex()}"


class Entry(Struct, frozen=True, kw_only=True):
    """An event to be recorded. `digest` is that of the action; secrets in `data` are masked."""

    kind: str
    at: int
    actor: str
    name: str | None = None
    run_id: str | None = None
    agent_id: str | None = None
    approval_id: str | None = None
    digest: str | None = None
    outcome: str | None = None
    data: dict[str, Any] = msgspec.field(default_factory=dict)
    record_id: str = msgspec.field(default_factory=_record_id)


class Record(Entry, frozen=True, kw_only=True):
    """An entry with its sequence number in the chain."""

    seq: int


def make_record(entry: Entry, seq: int, before: str) -> tuple[Record, bytes, str]:
    """Return the record of an entry, with its body and its hash; `before` is the hash of the previous record."""
    record = Record(**{name: getattr(entry, name) for name in entry.__struct_fields__}, seq=seq)
    body = canonical(record)
    return record, body, hash_of(before, body)


def hash_of(before: str, body: bytes) -> str:
    """Return the hash of a record, which covers the previous hash and the body."""
    return hashlib.sha256(before.encode() + body).hexdigest()

"""A record: one line of the chain, as canonical JSON, bound by its hash to the one before."""

from __future__ import annotations

import hashlib
import os
import time
from typing import Any

import msgspec

from interlock.model import Struct

KINDS = {
    "start": "a gate was opened",
    "configuration": "a configuration was loaded",
    "policy": "the policies changed",
    "key": "a key signed here for the first time",
    "checkpoint": "a point of the chain was signed",
    "run.started": "a run began",
    "run.paused": "a run was paused",
    "run.resumed": "a run was resumed",
    "run.ended": "a run ended",
    "run.failed": "a run failed",
    "event": "an agent reported what happened",
    "decision": "an action was decided",
    "risk": "a policy matched",
    "override": "a stricter answer was set aside",
    "bypass": "an action did not wait, in a crisis",
    "refused": "an action did not run after all",
    "asked": "the agent asks its person itself",
    "download": "a run fetched something",
    "written": "a run wrote something that could be run",
    "tool": "a tool was allowed as its server describes it",
    "approval.requested": "somebody was asked",
    "approval.reviewed": "a model's part of an approval",
    "approval.answered": "somebody answered",
    "approval.approved": "the request was approved",
    "approval.rejected": "the request was rejected",
    "approval.expired": "the request ran out of time",
    "approval.cancelled": "the request was taken back",
    "approval.used": "the action ran on an approval",
    "grant.made": "an approval was remembered",
    "grant.used": "the action ran on a remembered approval",
    "grant.revoked": "a remembered approval was taken back",
    "policy.saved": "a policy was written",
    "policy.removed": "a policy was removed",
    "person.added": "somebody may sign in",
    "person.changed": "what somebody may do was changed",
    "access.made": "a key for programs was made",
    "access.revoked": "a key for programs was taken back",
    "session.began": "somebody signed in",
    "session.ended": "somebody signed out",
    "session.refused": "somebody could not sign in",
    "webhook.made": "a webhook was set up",
    "webhook.changed": "a webhook was changed",
    "webhook.removed": "a webhook was removed",
    "accepted": "an older copy of the store was put in its place",
    "spool": "records kept on disk were merged",
    "prune": "older records were removed",
    **{
        f"kept.{table}": "a row outlived its records"
        for table in "runs approvals answers grants keys checkpoints policies people access webhooks".split()
    },
}


def canonical(value: Any) -> bytes:
    """Return a value as canonical JSON: sorted keys, no spaces, UTF-8.

    >>> canonical({"b": 1, "a": [True, None]})
    b'{"a":[true,null],"b":1}'
    """
    return msgspec.json.encode(value, order="sorted")


def digest_of(value: Any) -> str:
    """Return the digest of a value: of its canonical JSON."""
    return hashlib.sha256(canonical(value)).hexdigest()


def _record_id() -> str:
    """Return an id that nobody has, and that sorts by time, so that an index of them grows at its end."""
    return f"{time.time_ns():016x}{os.urandom(8).hex()}"


class Entry(Struct, frozen=True, kw_only=True):
    """What is to be recorded: what, who, when, the digest of the action, and the outcome. `data` is masked."""

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
    """An entry with its place in the chain."""

    seq: int


def chained(entry: Entry, seq: int, before: str) -> tuple[Record, bytes, str]:
    """Return the record of an entry at a place of the chain, with its body and its hash."""
    record = Record(**{name: getattr(entry, name) for name in entry.__struct_fields__}, seq=seq)
    body = canonical(record)
    return record, body, hash_of(before, body)


def hash_of(before: str, body: bytes) -> str:
    """Return the hash of a record: over the hash before it, and its body."""
    return hashlib.sha256(before.encode() + body).hexdigest()

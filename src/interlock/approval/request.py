"""The nouns of an approval: a request, its answers, and what an answer took."""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec

from interlock.model import Needs, Struct


class State(Enum):
    """Where a request stands. Only `pending` can change into another."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class Reply(Enum):
    """What somebody answers. `escalate` passes the question on to a person."""

    APPROVE = "approve"
    REJECT = "reject"
    ESCALATE = "escalate"


class Scope(Enum):
    """How long an approval is remembered: for this one use, for the run, or always for exactly this action."""

    ONCE = "once"
    RUN = "run"
    ALWAYS = "always"


class Taken(Struct, frozen=True, kw_only=True):
    """A challenge that somebody took: what was asked and answered, how long it took, and whether it was passed."""

    kind: str
    passed: bool
    seconds: float
    answers: tuple[str, ...] = ()
    why: str = ""


class Answer(Struct, frozen=True, kw_only=True):
    """One answer to a request: who, what, why, and the challenge that it took.

    `instead` is what the approver would rather see; it is another action, which is decided anew when it is tried.
    """

    approver: str
    verdict: Reply
    reason: str = ""
    instead: str = ""
    model: bool = False
    scope: Scope = Scope.ONCE
    challenge: Taken | None = None
    at: int = 0


class Approval(Struct, frozen=True, kw_only=True):
    """A request for approval, as whoever answers sees it: masked, and bound to a digest of the exact action.

    `action` and `decision` are in their JSON form, with secrets masked. Who may answer is what held when it was
    opened: `one_person`, whether a model reviews, and who belongs to the `roles` that its needs name. Times are
    microseconds since 1970, UTC.
    """

    approval_id: str
    run_id: str
    agent_id: str | None
    started_by: str
    digest: str
    one_person: bool = False
    reviewer: bool = False
    roles: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    action: dict[str, Any]
    decision: dict[str, Any]
    needs: Needs
    state: State = State.PENDING
    created_at: int = 0
    expires_at: int | None = None
    answers: tuple[Answer, ...] = ()
    used_at: int | None = None
    why: str = ""

"""The types of an approval: the request, its answers, and the challenge that an approver took."""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec

from interlock.model import Needs, Struct


class ApprovalState(Enum):
    """The state of a request. Only `pending` can change."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class AnswerVerdict(Enum):
    """The verdict of an answer. With `escalate`, a model leaves the answer to a person."""

    APPROVE = "approve"
    REJECT = "reject"
    ESCALATE = "escalate"


class GrantScope(Enum):
    """How long an approval counts: for one use, 15 minutes, this run, a day, or as long as approvals are remembered."""

    ONCE = "once"
    MINUTES = "15min"
    RUN = "run"
    DAY = "day"
    ALWAYS = "always"


class ChallengeResult(Struct, frozen=True, kw_only=True):
    """The result of a challenge: the answers, the seconds that it took, and if it was not passed, why.

    `wrong` are the questions of a quiz whose answer was wrong.
    """

    kind: str
    passed: bool
    seconds: float
    answers: tuple[str, ...] = ()
    why: str = ""
    wrong: tuple[str, ...] = ()


class Answer(Struct, frozen=True, kw_only=True):
    """One answer to a request. `model` says that it comes from a model, which may tell the `risk` of the action, and
    whether the person's own words are an `authorisation` of it.

    `instead` is an action that the approver suggests; when the agent tries it, it is decided like any other. `via` is
    the chat in which the answer was given, as `slack/ops`. `shape` is the id of the shape that is approved for as long
    as `scope` says; without one, it is exactly the action.
    """

    approver: str
    verdict: AnswerVerdict
    reason: str = ""
    instead: str = ""
    model: bool = False
    risk: str = ""
    authorisation: str = ""
    scope: GrantScope = GrantScope.ONCE
    shape: str = ""
    challenge: ChallengeResult | None = None
    via: str = ""
    at: int = 0


class ProposedShape(Struct, frozen=True, kw_only=True):
    """A shape that can be granted with a request. `text` states everything that it covers; `shape` is JSON."""

    shape_id: str
    text: str
    shape: str


class Approval(Struct, frozen=True, kw_only=True):
    """A request for approval, as its approver sees it. `digest` binds it to exactly one action.

    `action` and `decision` are JSON with secrets masked. `one_person`, `reviewer` and the members of `roles` are those
    of the time when it was opened. `shapes` are those that can be granted, from narrow to wide. `extendable_until` is
    how far its expiry can be moved. Times are microseconds since 1970, UTC.
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
    shapes: tuple[ProposedShape, ...] = ()
    extendable_until: int | None = None
    state: ApprovalState = ApprovalState.PENDING
    created_at: int = 0
    expires_at: int | None = None
    answers: tuple[Answer, ...] = ()
    used_at: int | None = None
    why: str = ""

    @property
    def reasons(self) -> list[str]:
        """Why an approval is needed: the policy that demands it, and what was found; without either, the mode."""
        because = str(self.decision.get("because", ""))
        has_found = bool(self.decision.get("findings")) or not because
        found = [str(one) for one in self.decision.get("reasons") or ()] if has_found else []
        if found and not because.startswith("policy "):
            return found
        is_name = because.endswith("`") or because.startswith("mode ")
        demanded = f"Required by {because}" if is_name else f"{because[:1].upper()}{because[1:]}"
        return [demanded, *found] if because else found

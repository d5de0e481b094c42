"""Roles: what somebody who has come in may do."""

from __future__ import annotations

from enum import Enum

from interlock.audit.runs import is_own
from interlock.errors import InterlockError, nearest
from interlock.model import Struct


class Right(Enum):
    """One thing that may be done."""

    EVALUATE = "evaluate"  # have actions decided, and report what happened
    SEE = "see"  # look at everything that was recorded
    ANSWER = "answer"  # approve and reject
    MANAGE = "manage"  # policies, people, keys and webhooks


class Role(Enum):
    """What somebody is to Interlock."""

    AGENT = "agent"
    REVIEWER = "reviewer"
    ADMIN = "admin"

    @property
    def rights(self) -> frozenset[Right]:
        """What somebody in this role may do."""
        return _RIGHTS[self]


_RIGHTS = {
    Role.AGENT: frozenset({Right.EVALUATE}),
    Role.REVIEWER: frozenset({Right.SEE, Right.ANSWER}),
    Role.ADMIN: frozenset(Right),
}


def role_named(name: str) -> Role:
    """Return the role of that name, or raise with the nearest one."""
    try:
        return Role(name)
    except ValueError:
        raise InterlockError(f"unknown role `{name[:40]}`{nearest(name, [role.value for role in Role])}") from None


class Caller(Struct, frozen=True, kw_only=True):
    """Whoever has come in: a person, or a program with a key that acts for one.

    `name` is the person: what somebody may not do themselves, their keys may not do either.
    """

    name: str
    role: Role
    key_id: str | None = None
    agent: str | None = None  # the name of an agent's key, under which its actions stand
    session_id: str | None = None

    def may(self, right: Right) -> bool:
        """Whether the caller may do something."""
        return right in self.role.rights

    def owns(self, started_by: str, agent_id: str | None) -> bool:
        """Whether a run or a request is the caller's own: of two agents of one person, neither has the other's."""
        return is_own(self.name, self.agent, started_by, agent_id)

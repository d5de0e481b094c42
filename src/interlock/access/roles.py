"""Roles, and the rights that each of them has."""

from __future__ import annotations

from enum import Enum

from interlock.audit.runs import is_own
from interlock.errors import InterlockError, nearest
from interlock.model import Struct
from interlock.policy.observe import Observation
from interlock.policy.pins import NO_PINS, Pins


class Right(Enum):
    """A right that routes require."""

    EVALUATE = "evaluate"  # submit actions for a decision, and report events
    SEE = "see"  # read everything that is recorded
    ANSWER = "answer"  # approve and reject requests
    PULL = "pull"  # fetch the bundle of policies, and report which one is in force
    MANAGE = "manage"  # change policies, people, keys and webhooks


class Role(Enum):
    """The role of a person or a key."""

    AGENT = "agent"
    REVIEWER = "reviewer"
    ADMIN = "admin"
    MACHINE = "machine"

    @property
    def rights(self) -> frozenset[Right]:
        """The rights of this role."""
        return _RIGHTS[self]


_RIGHTS = {
    Role.AGENT: frozenset({Right.EVALUATE}),
    Role.REVIEWER: frozenset({Right.SEE, Right.ANSWER}),
    Role.ADMIN: frozenset(Right),
    Role.MACHINE: frozenset({Right.PULL}),
}


def parse_role(name: str) -> Role:
    """Return the role with this name, or raise with the nearest one."""
    try:
        return Role(name)
    except ValueError:
        raise InterlockError(f"unknown role `{name[:40]}`{nearest(name, [role.value for role in Role])}") from None


class Caller(Struct, frozen=True, kw_only=True):
    """Who sent a request: a person, or a program with a key that acts for one.

    `name` is the person in both cases, so that rules about people also hold for their keys.
    """

    name: str
    role: Role
    key_id: str | None = None
    agent: str | None = None  # the name of an agent's key, under which its actions are recorded
    session_id: str | None = None
    pins: Pins = NO_PINS  # facts about the program that holds the key
    observation: Observation | None = None  # set if the actions of the key are only observed

    def may(self, right: Right) -> bool:
        """Whether the caller has a right."""
        return right in self.role.rights

    def owns(self, started_by: str, agent_id: str | None) -> bool:
        """Whether a run or a request is the caller's own. Two agents of one person do not share theirs."""
        return is_own(self.name, self.agent, started_by, agent_id)

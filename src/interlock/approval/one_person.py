"""Whether one person may approve requests of their own agents: not once two people of the store may approve."""

from __future__ import annotations

from interlock.approval.rules import ApprovalRules
from interlock.store.connection import Connection

#: The people of a store who may approve.
APPROVERS = "interlock_people WHERE state = 'active' AND role IN ('reviewer', 'admin')"


def allows_one_person(connection: Connection, rules: ApprovalRules) -> bool:
    """Whether those who started a run may approve its requests, as the rules and the people of the store are now."""
    return rules.one_person and not (rules.counts_people and count_approvers(connection) > 1)


def count_approvers(connection: Connection) -> int:
    """Return how many people of the store may approve."""
    return int(connection.value(f"SELECT count(*) FROM {APPROVERS}"))


def list_approvers(connection: Connection) -> list[str]:
    """Return the names of the people of the store who may approve, in alphabetical order."""
    return connection.values(f"SELECT name FROM {APPROVERS} ORDER BY name")

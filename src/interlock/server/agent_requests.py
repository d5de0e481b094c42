"""Reject the open requests of an agent that was stopped."""

from __future__ import annotations

from contextlib import suppress

from interlock.access.roles import Caller
from interlock.errors import ApprovalError
from interlock.sanitise import storable_name
from interlock.server.answers import reject
from interlock.server.service import Service

#: How many requests are rejected at once.
MAX_REJECTED = 1_000
#: `0` is the character after `/`: the names in between are those of agents below.
_OPEN = """
    SELECT approval_id FROM interlock_approvals
    WHERE state = 'pending' AND (agent_id = :agent OR (agent_id >= :below AND agent_id < :after))
    ORDER BY created_at LIMIT :most
"""


def reject_open_requests(service: Service, caller: Caller, agent_id: str, reason: str) -> int:
    """Reject the open requests of an agent and of the agents below it; return how many were rejected."""
    agent, rejected = storable_name(agent_id), 0
    given = {"agent": agent, "below": f"{agent}/", "after": f"{agent}0", "most": MAX_REJECTED}
    with service.journal.database.read() as connection:
        found = connection.values(_OPEN, **given)
    for approval_id in found:
        with suppress(ApprovalError):  # it has ended meanwhile, or this person has answered it
            reject(service, caller, approval_id, reason or "the agent was stopped", "")
            rejected += 1
    return rejected

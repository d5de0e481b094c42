"""The agents that a stop or a pause affects: how many, which, and how many of them are active."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from interlock.audit.stops import Stop, StopTarget
from interlock.metrics.totals import AGENT
from interlock.store.connection import Connection

#: How many of the newest actions are read to find the agents that use a key without a name of its own.
MAX_READ = 20_000
_AGENTS = "SELECT name, last_at FROM interlock_totals WHERE what = :what"
_OF_KEY = """
    SELECT agent_id, max(at)
    FROM (SELECT agent_id, at, key_id FROM interlock_actions ORDER BY at DESC LIMIT :most) newest
    WHERE key_id = :key_id GROUP BY agent_id
"""
_REQUESTS = "SELECT agent_id, count(*) FROM interlock_approvals WHERE state = 'pending' GROUP BY agent_id"


class AffectedAgents(msgspec.Struct, frozen=True):
    """The names of agents, how many of them acted since a time, and how many of their requests are open."""

    names: tuple[str, ...]
    active: int
    open_requests: int


def find_affected(connection: Connection, target: StopTarget, key_agent: str | None, since: int) -> AffectedAgents:
    """Return the agents that a stop of a target affects.

    `key_agent` is the name of the agent of an API key, under which all of its actions are recorded. Keys of other roles
    have none; their agents are those that used them in the newest actions.
    """
    rows: Sequence[tuple[Any, ...]]
    if target.key_id is not None and key_agent is None:
        rows = connection.tuples(_OF_KEY, most=MAX_READ, key_id=target.key_id)
    else:
        name = key_agent if target.key_id is not None else target.agent_id
        stop = Stop(stop_id="", agent_id=name, reason="", stopped_by="", stopped_at=0)
        rows = [row for row in connection.tuples(_AGENTS, what=AGENT) if stop.covers([row[0]])]
    names = {name for name, _ in rows}
    return AffectedAgents(
        names=tuple(sorted(names)),
        active=sum(last_at >= since for _, last_at in rows),
        open_requests=sum(count for name, count in connection.tuples(_REQUESTS) if (name or "") in names),
    )

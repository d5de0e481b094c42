"""Read the baseline of an agent: its usage in the previous days, and its usual number of actions per hour."""

from __future__ import annotations

from statistics import median
from typing import NamedTuple

from interlock.baseline.count import (
    DAY,
    DAYS,
    MIN_ACTIONS,
    MIN_DAYS,
    RAN_ACTIONS,
    RAN_FOLDER,
    RAN_HOST,
    RAN_TOOL,
)
from interlock.policy.drift import NEW_FOLDER, NEW_HOST, NEW_TOOL, Baseline
from interlock.store.connection import Connection

#: The fewest actions in an hour that count as usual, so that an agent that does little can do a little more.
MIN_USUAL = 20
#: How many names of a kind are read. Further ones stay new.
MAX_READ = 50_000
_KINDS = {NEW_TOOL: RAN_TOOL, NEW_HOST: RAN_HOST, NEW_FOLDER: RAN_FOLDER}
_HOURS = """
    SELECT at, count FROM interlock_usage
    WHERE agent_id = :agent_id AND what = :what AND at >= :start AND at < :end
"""
_NAMES = """
    SELECT DISTINCT name FROM interlock_usage
    WHERE agent_id = :agent_id AND what = :what AND at >= :start AND at < :end LIMIT :most
"""


class UsualBehaviour(NamedTuple):
    """The baseline of an agent for a day, and how many actions an hour are usual for it."""

    day: int
    baseline: Baseline
    usual: float


def read_hours(connection: Connection, agent_id: str, what: str, day: int) -> list[tuple[int, int]]:
    """Return the hours before a day in which an agent did something, and how often it did."""
    rows = connection.tuples(_HOURS, agent_id=agent_id, what=what, start=day - DAYS * DAY, end=day)
    return [(at, int(count)) for at, count in rows]


def read_behaviour(connection: Connection, agent_id: str, day: int, fields: tuple[str, ...]) -> UsualBehaviour:
    """Return the usual behaviour of an agent before a day: the actions of that day itself do not count."""
    bounds = {"agent_id": agent_id, "start": day - DAYS * DAY, "end": day}
    busiest: dict[int, int] = {}
    actions = 0
    for at, count in read_hours(connection, agent_id, RAN_ACTIONS, day):
        busiest[at // DAY] = max(busiest.get(at // DAY, 0), count)
        actions += count
    if len(busiest) < MIN_DAYS or actions < MIN_ACTIONS:
        return UsualBehaviour(day, Baseline(fields), 0.0)
    tools, hosts, folders = (
        frozenset(connection.values(_NAMES, what=what, most=MAX_READ, **bounds)) if field in fields else frozenset()
        for field, what in _KINDS.items()
    )
    baseline = Baseline(fields, known=True, tools=tools, hosts=hosts, folders=folders)
    return UsualBehaviour(day, baseline, max(MIN_USUAL, median(busiest.values())))

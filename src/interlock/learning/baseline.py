"""The baseline of an agent: what it used in the previous days, to recognise something new."""

from __future__ import annotations

from interlock.baseline.count import DAYS, MIN_ACTIONS, MIN_DAYS
from interlock.baseline.read import read_hours
from interlock.learning.action_usage import ACTIVITY
from interlock.learning.usage import DAY
from interlock.model import Struct
from interlock.store.connection import Connection

_KNOWN = """
    SELECT 1 FROM interlock_usage
    WHERE agent_id = :agent_id AND what = :what AND name = :name AND at >= :start AND at < :end LIMIT 1
"""


class ActivityBaseline(Struct, frozen=True, kw_only=True):
    """How active an agent was in the days before a day. `busiest` is the most actions in an hour."""

    agent_id: str
    day: int
    active_days: int
    actions: int
    busiest: int

    @property
    def is_known(self) -> bool:
        """Whether there is enough to compare with."""
        return self.active_days >= MIN_DAYS and self.actions >= MIN_ACTIONS

    def has(self, connection: Connection, what: str, name: str) -> bool:
        """Whether the agent used something in the days before."""
        bounds = {"start": self.day - DAYS * DAY, "end": self.day}
        return connection.value(_KNOWN, agent_id=self.agent_id, what=what, name=name, **bounds) is not None


def read_activity_baseline(connection: Connection, agent_id: str, day: int) -> ActivityBaseline:
    """Return the baseline of an agent for a day: the actions of that day itself do not count."""
    hours = read_hours(connection, agent_id, ACTIVITY, day)
    return ActivityBaseline(
        agent_id=agent_id,
        day=day,
        active_days=len({at // DAY for at, _ in hours}),
        actions=sum(count for _, count in hours),
        busiest=max((count for _, count in hours), default=0),
    )

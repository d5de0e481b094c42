"""Which actions a replay is about. Their runs are replayed from the beginning, so that memory is complete."""

from __future__ import annotations

import msgspec

from interlock.history.replay.result import ReplayResult


class ReplayWindow(msgspec.Struct, frozen=True, kw_only=True):
    """A span of time in microseconds, whose end is not included, and an agent with the agents below it."""

    since: int | None = None
    until: int | None = None
    agent: str | None = None

    def covers(self, result: ReplayResult) -> bool:
        """Whether an action is one of those that the replay is about."""
        return self.includes(result.at, result.agent_id)

    def includes(self, at: int, agent_id: str | None) -> bool:
        """Whether an action of an agent at a time is one of them."""
        if (self.since is not None and at < self.since) or (self.until is not None and at >= self.until):
            return False
        return self.agent is None or agent_id == self.agent or str(agent_id).startswith(f"{self.agent}/")

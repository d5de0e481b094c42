"""Who asks: nobody else uses what was approved for them."""

from __future__ import annotations

from typing import NamedTuple

from interlock.store.where import Where


class Asker(NamedTuple):
    """Who asks: an agent in a run. Nobody else uses its approvals."""

    run_id: str
    agent_id: str | None
    started_by: str

    def where(self) -> Where:
        """Return the conditions that a request is this one's."""
        where = Where().same(**self._asdict())
        return where if self.agent_id is not None else where.add("agent_id IS NULL")

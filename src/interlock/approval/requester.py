"""The requester of an approval, who alone can use it."""

from __future__ import annotations

from typing import NamedTuple

from interlock.store.where import Where


class Requester(NamedTuple):
    """An agent in a run. No one else can use an approval that it requested."""

    run_id: str
    agent_id: str | None
    started_by: str

    def where(self) -> Where:
        """Return the conditions of a query for the requests of this requester."""
        where = Where().equals(**self._asdict())
        return where if self.agent_id is not None else where.add("agent_id IS NULL")

"""Who asks: nobody else uses what was approved for them."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import ColumnElement, and_

from interlock.store.tables import approvals


class Asker(NamedTuple):
    """Who asks: an agent in a run. Nobody else uses its approvals."""

    run_id: str
    agent_id: str | None
    started_by: str

    def same(self) -> ColumnElement[bool]:
        """Return the condition that a request is this one's."""
        return and_(
            approvals.c.run_id == self.run_id,
            approvals.c.agent_id.is_not_distinct_from(self.agent_id),
            approvals.c.started_by == self.started_by,
        )

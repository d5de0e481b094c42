"""Lists of runs with their totals: filtered, in an order, and a page at a time."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.audit.run_ids import shorten_ids
from interlock.audit.runs import Run, read_run
from interlock.metrics.action_filter import LEVELS
from interlock.metrics.totals import RANKS, Totals, has_environment, read_totals
from interlock.model import Struct
from interlock.store.connection import Connection
from interlock.store.paging import PageCursor, parse_cursor
from interlock.store.where import Where

#: The orders of the list, and the column of each.
SORTS = {
    "newest": "r.started_at",
    "risk": "coalesce(t.highest, -1)",
    "blocked": "coalesce(t.blocked, 0)",
    "waiting": "coalesce(w.waiting, 0)",
    "actions": "coalesce(t.actions, 0)",
}
_TOTALS = "t.actions, t.risky, t.asked, t.blocked, t.highest, t.environments, t.first_at, t.last_at"
_FROM = """
    FROM interlock_runs r LEFT JOIN interlock_totals t ON t.what = 'run' AND t.name = r.run_id
    LEFT JOIN (
        SELECT run_id, count(*) AS waiting FROM interlock_approvals WHERE state = 'pending' GROUP BY run_id
    ) w ON w.run_id = r.run_id
"""


class RunFilter(Struct, frozen=True, kw_only=True):
    """Which runs. `level` is the highest level among a run's actions; times are those of its start."""

    begins: str = ""
    agent_id: str = ""
    state: str = ""
    environment: str = ""
    level: str = ""
    person: str = ""
    start: int | None = None
    end: int | None = None

    @property
    def where(self) -> Where:
        """The conditions of a query for these runs."""
        where = Where()
        for column, value in (("agent_id", self.agent_id), ("state", self.state), ("started_by", self.person)):
            if value:
                where.add(f"r.{column} = :{column}", **{column: value})
        if self.begins:
            where.add("substr(r.run_id, 1, :length) = :begins", length=len(self.begins), begins=self.begins)
        if self.environment:
            has_environment(where, self.environment)
        if self.level in LEVELS:
            ranks = ", ".join(str(RANKS[level]) for level in LEVELS[self.level])
            where.add(f"t.highest IN ({ranks})")
        if self.start is not None:
            where.add("r.started_at >= :start", start=self.start)
        if self.end is not None:
            where.add("r.started_at < :end", end=self.end)
        return where


class ListedRun(msgspec.Struct, frozen=True):
    """A run with its totals, how many of its requests wait, and the short form of its id."""

    run: Run
    totals: Totals
    waiting: int
    short_id: str

    @property
    def duration(self) -> int | None:
        """How long it took, or has taken so far, in microseconds."""
        end = self.run.ended_at or self.totals.last_at
        return None if end is None else max(0, end - self.run.started_at)


def read_runs(
    connection: Connection, wanted: RunFilter, sort: str = "newest", cursor: str = "", limit: int = 50
) -> tuple[list[ListedRun], str | None]:
    """Return a page of runs, and the cursor of the next page."""
    where, by = wanted.where, SORTS[sort]
    if cursor:
        _continue_after(where, by, parse_cursor(cursor))
    query = f"""
        SELECT r.*, {_TOTALS}, coalesce(w.waiting, 0) AS waiting, {by} AS sorted_by {_FROM}
        {where} ORDER BY {by} DESC, r.started_at DESC, r.run_id DESC LIMIT :most
    """
    rows = connection.rows(query, most=limit + 1, **where.given)
    short = shorten_ids(connection, [row["run_id"] for row in rows[:limit]])
    found = [ListedRun(read_run(row), read_totals(row), row["waiting"], short[row["run_id"]]) for row in rows[:limit]]
    return found, _cursor(rows[limit - 1]) if len(rows) > limit else None


def _cursor(row: dict[str, Any]) -> str:
    return str(PageCursor(row["started_at"], f"{row['sorted_by']}:{row['run_id']}"))


def _continue_after(where: Where, by: str, cursor: PageCursor) -> None:
    """Add that runs come after the last one of a page."""
    value, _, run_id = cursor.id.partition(":")
    number = int(value) if value.lstrip("-").isdigit() and len(value) < 19 else 0
    later = f"{by} = :value AND (r.started_at < :at OR (r.started_at = :at AND r.run_id < :id))"
    where.add(f"({by} < :value OR ({later}))", value=number, at=cursor.at, id=run_id)

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

#: The orders of the list: the column that comes first, and the one that follows it.
SORTS = {
    "newest": ("r.started_at", "r.run_id"),
    "risk": ("t.highest", "t.first_at"),
    "blocked": ("t.blocked", "t.first_at"),
    "waiting": ("w.waiting", "r.started_at"),
    "actions": ("t.actions", "t.first_at"),
}
_TOTALS = "t.actions, t.risky, t.asked, t.blocked, t.highest, t.environments, t.first_at, t.last_at"
#: The tables of each order, the one with its index first. Runs without actions have no totals to be ordered by.
_BY_START = "interlock_runs r LEFT JOIN interlock_totals t ON t.what = 'run' AND t.name = r.run_id"
_BY_TOTALS = "interlock_totals t JOIN interlock_runs r ON r.run_id = t.name"
_BY_WAITING = f"""
    (SELECT run_id, count(*) AS waiting FROM interlock_approvals WHERE state = 'pending' GROUP BY run_id) w
    JOIN {_BY_START.replace(" r LEFT", " r ON r.run_id = w.run_id LEFT")}
"""
_WAITING = "SELECT run_id, count(*) FROM interlock_approvals WHERE state = 'pending' AND run_id IN"


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
    where, (first, second) = wanted.where, SORTS[sort]
    tables = {"newest": _BY_START, "waiting": _BY_WAITING}.get(sort, _BY_TOTALS)
    if tables is _BY_TOTALS:
        where.add("t.what = 'run'")
    if cursor:
        _continue_after(where, first, second, cursor)
    order = dict.fromkeys((first, second, "t.name" if tables is _BY_TOTALS else "r.run_id"))
    query = f"""
        SELECT r.*, {_TOTALS}, {first} AS first_key, {second} AS second_key FROM {tables}
        {where} ORDER BY {", ".join(f"{column} DESC" for column in order)} LIMIT :most
    """
    rows = connection.rows(query, most=limit + 1, **where.given)
    found = _as_list(connection, rows[:limit])
    return found, _cursor(rows[limit - 1]) if len(rows) > limit else None


def _as_list(connection: Connection, rows: list[dict[str, Any]]) -> list[ListedRun]:
    run_ids = [row["run_id"] for row in rows]
    short = shorten_ids(connection, run_ids)
    names = ", ".join(f":run{number}" for number in range(len(run_ids))) or "NULL"
    given = {f"run{number}": run_id for number, run_id in enumerate(run_ids)}
    waiting = dict(connection.tuples(f"{_WAITING} ({names}) GROUP BY run_id", **given))
    return [
        ListedRun(read_run(row), read_totals(row), waiting.get(row["run_id"], 0), short[row["run_id"]]) for row in rows
    ]


def _cursor(row: dict[str, Any]) -> str:
    second = row["second_key"]
    return str(PageCursor(row["first_key"], f"{second if isinstance(second, int) else 0}:{row['run_id']}"))


def _continue_after(where: Where, first: str, second: str, text: str) -> None:
    """Add that runs come after the last one of a page."""
    cursor = parse_cursor(text)
    number, _, run_id = cursor.id.partition(":")
    where.given |= {"key1": cursor.at, "id": run_id}
    if second == "r.run_id":
        where.add(f"{first} <= :key1 AND ({first} < :key1 OR r.run_id < :id)")
        return
    where.given["key2"] = int(number) if number.isdigit() and len(number) < 19 else 0
    later = f"{second} < :key2 OR ({second} = :key2 AND r.run_id < :id)"
    where.add(f"{first} <= :key1 AND ({first} < :key1 OR {later})")

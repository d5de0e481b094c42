"""Agents: the list with their totals, and what is known about one of them."""

from __future__ import annotations

import msgspec

from interlock.metrics.counters import DAY
from interlock.metrics.totals import AGENT, Totals, read_totals
from interlock.model import Struct
from interlock.store.clock import MICROSECONDS
from interlock.store.connection import Connection
from interlock.store.paging import PageCursor, parse_cursor
from interlock.store.where import Where

TREND_DAYS = 14
#: How many of an agent's newest actions are read to find its keys and rules.
MAX_READ = 5_000
MAX_LISTED = 10
_RISKY = ("high", "critical")
_TREND = """
    SELECT agent_id, at, level, sum(count) FROM interlock_counts
    WHERE grain = :grain AND at >= :start AND what = 'action' GROUP BY agent_id, at, level
"""
_RUNS = "SELECT count(*) FROM interlock_runs WHERE agent_id = :agent_id"
_WAITING = "SELECT agent_id, count(*) FROM interlock_approvals WHERE state = 'pending' GROUP BY agent_id"
_NEWEST = "SELECT seq, at, key_id FROM interlock_actions WHERE agent_id = :agent_id ORDER BY at DESC LIMIT :most"
_COUNTED = """
    SELECT name, sum(count) FROM interlock_counts
    WHERE grain = :grain AND at >= :start AND at < :end AND what = :what AND agent_id = :agent_id
    GROUP BY name ORDER BY sum(count) DESC, name LIMIT :most
"""
#: Written as a cross join, SQLite reads the few actions first, and not all matches.
_RULES = """
    SELECT m.name, count(*) FROM interlock_actions a CROSS JOIN interlock_matches m
    WHERE a.agent_id = :agent_id AND a.at >= :start AND a.at < :end AND m.seq = a.seq AND m.what = 'rule'
    GROUP BY m.name ORDER BY count(*) DESC, m.name LIMIT :most
"""
_PEOPLE = """
    SELECT started_by, count(*), max(started_at) FROM interlock_runs
    WHERE agent_id = :agent_id GROUP BY started_by ORDER BY count(*) DESC, started_by LIMIT :most
"""
_ANSWERS = """
    SELECT answer.approver, answer.answer FROM interlock_approvals request
    JOIN interlock_answers answer ON answer.approval_id = request.approval_id
    WHERE request.agent_id = :agent_id ORDER BY request.created_at DESC LIMIT :most
"""


class ListedAgent(msgspec.Struct, frozen=True):
    """An agent with its totals, its runs, how many of its requests wait, and its actions of each day."""

    agent_id: str
    totals: Totals
    runs: int
    waiting: int
    trend: list[tuple[int, int]]


class Activity(Struct, frozen=True, kw_only=True):
    """What an agent did in a time span, and who was involved. Each count is by name, the highest first."""

    tools: list[tuple[str, int]]
    policies: list[tuple[str, int]]
    rules: list[tuple[str, int]]
    rules_since: int
    people: list[tuple[str, int, int]]
    keys: list[tuple[str, int]]
    keys_since: int | None
    approvers: list[tuple[str, int, int]]


def list_agents(
    connection: Connection, contains: str, cursor: str, at: int, limit: int = 50
) -> tuple[list[ListedAgent], str | None]:
    """Return a page of agents, the last seen first, and the cursor of the next page."""
    where = Where("what = :what", what=AGENT)
    if contains:
        where.contains("name", "contains", contains)
    if cursor:
        parse_cursor(cursor).narrow(where, "last_at", "name")
    query = f"SELECT * FROM interlock_totals {where} ORDER BY last_at DESC, name DESC LIMIT :most"
    rows = connection.rows(query, most=limit + 1, **where.given)
    waiting = dict(connection.tuples(_WAITING))
    trends = read_trends(connection, [row["name"] for row in rows], at)
    found = [
        ListedAgent(
            row["name"],
            read_totals(row),
            int(connection.value(_RUNS, agent_id=row["name"])),
            waiting.get(row["name"] or None, 0),
            trends[row["name"]],
        )
        for row in rows[:limit]
    ]
    last = rows[limit - 1] if len(rows) > limit else None
    return found, str(PageCursor(last["last_at"], last["name"])) if last else None


def read_trends(connection: Connection, names: list[str], at: int) -> dict[str, list[tuple[int, int]]]:
    """Return the actions of some agents by day (UTC), the oldest first: how many, and how many of them were risky."""
    step = DAY * MICROSECONDS
    start = at - at % step - (TREND_DAYS - 1) * step
    trends = {name: [(0, 0)] * TREND_DAYS for name in names}
    for name, day, level, count in connection.tuples(_TREND, grain=DAY, start=start):
        index = (day - start) // step
        if name in trends and 0 <= index < TREND_DAYS:
            total, risky = trends[name][index]
            trends[name][index] = (total + int(count), risky + (int(count) if level in _RISKY else 0))
    return trends


def read_activity(connection: Connection, agent_id: str, start: int, end: int) -> Activity:
    """Return what an agent did in a time span of whole days (UTC)."""
    newest = connection.tuples(_NEWEST, agent_id=agent_id, most=MAX_READ)
    read_since = newest[-1][1] + -newest[-1][1] % MICROSECONDS if len(newest) == MAX_READ else None
    since = start if read_since is None else max(start, read_since)
    span = {"agent_id": agent_id, "start": start, "end": end, "grain": DAY, "most": MAX_LISTED}
    keys: dict[str, int] = {}
    for _, at, key_id in newest:
        if key_id and at >= (read_since or 0):
            keys[key_id] = keys.get(key_id, 0) + 1
    return Activity(
        tools=_numbers(connection.tuples(_COUNTED, what="action", **span)),
        policies=_numbers(connection.tuples(_COUNTED, what="policy", **span)),
        rules=_numbers(connection.tuples(_RULES, agent_id=agent_id, start=since, end=end, most=MAX_LISTED)),
        rules_since=since,
        people=connection.tuples(_PEOPLE, agent_id=agent_id, most=MAX_LISTED),
        keys=sorted(keys.items(), key=lambda one: -one[1])[:MAX_LISTED],
        keys_since=read_since,
        approvers=_approvers(connection, agent_id),
    )


def _numbers(rows: list[tuple[str, int]]) -> list[tuple[str, int]]:
    return [(name, int(number)) for name, number in rows]


class _AnswerData(msgspec.Struct):
    verdict: str = ""


_DECODER = msgspec.json.Decoder(_AnswerData)


def _approvers(connection: Connection, agent_id: str) -> list[tuple[str, int, int]]:
    """Return who answered the newest requests of an agent: how often they approved, and rejected."""
    counts: dict[str, list[int]] = {}
    for approver, answer in connection.tuples(_ANSWERS, agent_id=agent_id, most=MAX_READ):
        verdict = _DECODER.decode(answer).verdict
        if verdict in ("approve", "reject"):
            counts.setdefault(approver, [0, 0])[verdict == "reject"] += 1
    ordered = sorted(counts.items(), key=lambda one: (-sum(one[1]), one[0]))
    return [(approver, approved, rejected) for approver, (approved, rejected) in ordered[:MAX_LISTED]]

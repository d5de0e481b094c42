"""Risk metrics: levels over time, tools and agents by risk, and how often each policy matches."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence

from interlock.levels import Level, Verdict
from interlock.metrics.counters import ACTION, HOUR, OWASP, POLICY
from interlock.metrics.window import Window
from interlock.model import Struct
from interlock.rules.standards.lists import find_reference
from interlock.rules.standards.rule_ids import OWASP_IDS
from interlock.store.clock import MICROSECONDS
from interlock.store.connection import Connection, Row

MAX_LISTED = 20
_STOPPED = (Verdict.BLOCK.value, Verdict.REQUIRE_APPROVAL.value)
_RISKY = (Level.HIGH.value, Level.CRITICAL.value)


class RiskPoint(Struct, frozen=True, kw_only=True):
    """One bucket of time: its actions by level and by verdict."""

    at: int
    total: int
    levels: dict[str, int]
    verdicts: dict[str, int]


class ToolRisk(Struct, frozen=True, kw_only=True):
    """A tool: its actions, how many were risky or stopped, and their mean score."""

    tool_name: str
    actions: int
    risky: int
    stopped: int
    mean_score: float


class AgentRisk(Struct, frozen=True, kw_only=True):
    """An agent: its actions by level, how many were stopped, their mean score, and the fraction that was risky."""

    agent_id: str | None
    actions: int
    levels: dict[str, int]
    stopped: int
    mean_score: float
    risk: float


class PolicyMatchRate(Struct, frozen=True, kw_only=True):
    """A policy: how often it matched, and the fraction of all actions that is."""

    policy_id: str
    matches: int
    rate: float
    action: str


class OwaspRisk(Struct, frozen=True, kw_only=True):
    """A risk of OWASP's list for agentic applications: how many actions matched a rule of it, and were stopped."""

    id: str
    name: str
    actions: int
    stopped: int


class RiskMetrics(Struct, frozen=True, kw_only=True):
    """What `GET /v1/metrics/risk` returns."""

    window: Window
    actions: int
    stopped: int
    distribution: dict[str, int]
    verdicts: dict[str, int]
    timeseries: tuple[RiskPoint, ...]
    top_tools: tuple[ToolRisk, ...]
    agents: tuple[AgentRisk, ...]
    policies: tuple[PolicyMatchRate, ...]
    owasp: tuple[OwaspRisk, ...]


def risk_metrics(connection: Connection, window: Window, starts: Sequence[int] | None = None) -> RiskMetrics:
    """Return the risk metrics of a window; `starts` is when each bucket begins, if not every one is of equal length."""
    rows = _sum_by(connection, window, "what, name, agent_id, level, outcome")
    actions = [row for row in rows if row["what"] == ACTION]
    total = sum(int(row["count"]) for row in actions)
    verdicts = _count_by(actions, "outcome", [verdict.value for verdict in Verdict])
    return RiskMetrics(
        window=window,
        actions=total,
        stopped=sum(verdicts[verdict] for verdict in _STOPPED),
        distribution=_count_by(actions, "level", [level.value for level in Level]),
        verdicts=verdicts,
        timeseries=_series(connection, window, window.bucket_starts() if starts is None else starts),
        top_tools=_tools(actions),
        agents=_agents(actions),
        policies=_policies([row for row in rows if row["what"] == POLICY], total),
        owasp=_owasp([row for row in rows if row["what"] == OWASP]),
    )


_COUNTERS = "SELECT what, name, agent_id, level, outcome, count, points FROM interlock_counts WHERE"


def _sum_by(connection: Connection, window: Window, columns: str) -> list[Row]:
    """Return the counters of a window, summed up by some columns."""
    parts = list(window.parts())
    chosen = " UNION ALL ".join(f"{_COUNTERS} grain = :g{n} AND at >= :s{n} AND at < :e{n}" for n in range(len(parts)))
    given = {f"{name}{n}": value for n, part in enumerate(parts) for name, value in zip("gse", part, strict=True)}
    query = f"""
        SELECT {columns}, sum(count) AS count, sum(points) AS points FROM ({chosen}) AS counted GROUP BY {columns}
    """
    return connection.rows(query, **given)


def _count_by(rows: Iterable[Row], column: str, names: Sequence[str]) -> dict[str, int]:
    found = dict.fromkeys(names, 0)
    for row in rows:
        found[row[column]] = found.get(row[column], 0) + int(row["count"])
    return found


_SERIES = """
    SELECT at, level, verdict AS outcome, count FROM interlock_levels
    WHERE grain = :grain AND at >= :start AND at < :end
"""


def _series(connection: Connection, window: Window, starts: Sequence[int]) -> tuple[RiskPoint, ...]:
    step = window.seconds * MICROSECONDS
    grain = window.seconds if all(start % step == 0 for start in starts) else min(window.seconds, HOUR)
    buckets: dict[int, list[Row]] = defaultdict(list)
    for row in connection.rows(_SERIES, grain=grain, start=window.start, end=window.end):
        buckets[bisect_right(starts, row["at"]) - 1].append(row)
    levels, verdicts = [level.value for level in Level], [verdict.value for verdict in Verdict]
    return tuple(
        RiskPoint(
            at=at,
            total=sum(int(row["count"]) for row in buckets[number]),
            levels=_count_by(buckets[number], "level", levels),
            verdicts=_count_by(buckets[number], "outcome", verdicts),
        )
        for number, at in enumerate(starts)
    )


def _group_by(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row[column]].append(row)
    return found


def _count(rows: Iterable[Row], column: str = "", wanted: Sequence[str] = ()) -> int:
    return sum(int(row["count"]) for row in rows if not column or row[column] in wanted)


def _mean(rows: Sequence[Row]) -> float:
    number = _count(rows)
    return round(sum(int(row["points"]) for row in rows) / number, 1) if number else 0.0


def _tools(rows: Iterable[Row]) -> tuple[ToolRisk, ...]:
    found = [
        ToolRisk(
            tool_name=name,
            actions=_count(group),
            risky=_count(group, "level", _RISKY),
            stopped=_count(group, "outcome", _STOPPED),
            mean_score=_mean(group),
        )
        for name, group in _group_by(rows, "name").items()
    ]
    return tuple(sorted(found, key=lambda tool: (-tool.risky, -tool.mean_score, tool.tool_name))[:MAX_LISTED])


def _agents(rows: Iterable[Row]) -> tuple[AgentRisk, ...]:
    found = [
        AgentRisk(
            agent_id=name or None,
            actions=_count(group),
            levels=_count_by(group, "level", [level.value for level in Level]),
            stopped=_count(group, "outcome", _STOPPED),
            mean_score=_mean(group),
            risk=round(_count(group, "level", _RISKY) / max(_count(group), 1), 4),
        )
        for name, group in _group_by(rows, "agent_id").items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.risk, -one.mean_score, one.agent_id or ""))[:MAX_LISTED])


def _owasp(rows: Iterable[Row]) -> tuple[OwaspRisk, ...]:
    groups = _group_by(rows, "name")
    return tuple(
        OwaspRisk(
            id=id_,
            name=find_reference(id_).name,
            actions=_count(groups.get(id_, ())),
            stopped=_count(groups.get(id_, ()), "outcome", _STOPPED),
        )
        for id_ in OWASP_IDS
    )


def _policies(rows: Iterable[Row], total: int) -> tuple[PolicyMatchRate, ...]:
    found = [
        PolicyMatchRate(
            policy_id=name,
            matches=_count(group),
            rate=round(_count(group) / total, 4) if total else 0.0,
            action=max(group, key=lambda row: int(row["count"]))["outcome"],
        )
        for name, group in _group_by(rows, "name").items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.matches, one.policy_id)))

"""Risk figures: severity over time, the riskiest tools, agents by risk, and how often each policy matches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from interlock.errors import InterlockError
from interlock.levels import Level, Verdict
from interlock.metrics.counters import ACTION, DAY, HOUR, MINUTE, MINUTES_KEPT, POLICY
from interlock.model import Struct
from interlock.store.clock import MICROSECONDS
from interlock.store.connection import Connection, Row

BUCKETS = {"minute": MINUTE, "hour": HOUR, "day": DAY}
MAX_BUCKETS = 400
MAX_LISTED = 20
_STOPS = (Verdict.BLOCK.value, Verdict.REQUIRE_APPROVAL.value)
_RISKY = (Level.HIGH.value, Level.CRITICAL.value)


class Window(Struct, frozen=True, kw_only=True):
    """A stretch of time of whole buckets, since nothing smaller is counted. Times are microseconds since 1970."""

    start: int
    end: int
    bucket: str

    @property
    def seconds(self) -> int:
        """How long a bucket lasts."""
        return BUCKETS[self.bucket]

    def floors(self) -> range:
        """Return where each bucket begins."""
        return range(self.start, self.end, self.seconds * MICROSECONDS)


def window(start: int | None, end: int | None, bucket: str | None, now: int) -> Window:
    """Return the window of the buckets that a time touches: the last day, and buckets that suit, if nothing is said.

    >>> window(90_000_000, 130_000_000, "minute", 200_000_000)
    Window(start=60000000, end=180000000, bucket='minute')
    """
    end = now if end is None else end
    start = end - DAY * MICROSECONDS if start is None else start
    if start >= end:
        raise InterlockError("`from` must be before `to`")
    seconds = (end - start) // MICROSECONDS
    if bucket is None:
        recent = now - start < MINUTES_KEPT * MICROSECONDS
        bucket = "minute" if seconds <= 3 * HOUR and recent else "hour" if seconds <= 7 * DAY else "day"
    if seconds / BUCKETS[bucket] > MAX_BUCKETS:
        raise InterlockError(f"that would be more than {MAX_BUCKETS} buckets; take longer ones, or a shorter time")
    if bucket == "minute" and now - start > MINUTES_KEPT * MICROSECONDS:
        raise InterlockError("minutes are kept for two days; take `bucket=hour`")
    step = BUCKETS[bucket] * MICROSECONDS
    return Window(start=start - start % step, end=end + -end % step, bucket=bucket)


class Point(Struct, frozen=True, kw_only=True):
    """One bucket of time: how many actions there were, by level and by verdict."""

    at: int
    total: int
    levels: dict[str, int]
    verdicts: dict[str, int]


class Tool(Struct, frozen=True, kw_only=True):
    """A tool: how often it was used, how often that was risky or stopped, and its mean score."""

    tool_name: str
    actions: int
    risky: int
    stopped: int
    mean_score: float


class Profile(Struct, frozen=True, kw_only=True):
    """An agent: how much it did, how risky that was, and what it was mostly stopped with."""

    agent_id: str | None
    actions: int
    levels: dict[str, int]
    stopped: int
    mean_score: float
    risk: float


class Rate(Struct, frozen=True, kw_only=True):
    """A policy: how often it matched, as a number and as a part of all actions."""

    policy_id: str
    matches: int
    rate: float
    action: str


class Risk(Struct, frozen=True, kw_only=True):
    """What `GET /v1/metrics/risk` answers."""

    window: Window
    actions: int
    stopped: int
    distribution: dict[str, int]
    verdicts: dict[str, int]
    timeseries: tuple[Point, ...]
    top_tools: tuple[Tool, ...]
    agents: tuple[Profile, ...]
    policies: tuple[Rate, ...]


def risk(connection: Connection, within: Window) -> Risk:
    """Return the figures of a window."""
    rows = _summed(connection, within, "what, name, agent_id, level, outcome")
    actions = [row for row in rows if row["what"] == ACTION]
    total = sum(int(row["count"]) for row in actions)
    verdicts = _sums(actions, "outcome", [verdict.value for verdict in Verdict])
    return Risk(
        window=within,
        actions=total,
        stopped=sum(verdicts[verdict] for verdict in _STOPS),
        distribution=_sums(actions, "level", [level.value for level in Level]),
        verdicts=verdicts,
        timeseries=_series(connection, within),
        top_tools=_tools(actions),
        agents=_agents(actions),
        policies=_policies([row for row in rows if row["what"] == POLICY], total),
    )


def _summed(connection: Connection, within: Window, columns: str) -> list[Row]:
    """Return the sums of a window, by some columns."""
    query = f"""
        SELECT {columns}, sum(count) AS count, sum(points) AS points FROM interlock_counts
        WHERE grain = :grain AND at >= :start AND at < :end GROUP BY {columns}
    """
    return connection.rows(query, grain=within.seconds, start=within.start, end=within.end)


def _sums(rows: Iterable[Row], column: str, names: Sequence[str]) -> dict[str, int]:
    found = dict.fromkeys(names, 0)
    for row in rows:
        found[row[column]] = found.get(row[column], 0) + int(row["count"])
    return found


def _series(connection: Connection, within: Window) -> tuple[Point, ...]:
    step = within.seconds * MICROSECONDS
    buckets: dict[int, list[Row]] = defaultdict(list)
    for row in _summed(connection, within, "at, what, level, outcome"):
        if row["what"] == ACTION:
            buckets[row["at"] - row["at"] % step].append(row)
    levels, verdicts = [level.value for level in Level], [verdict.value for verdict in Verdict]
    return tuple(
        Point(
            at=at,
            total=sum(int(row["count"]) for row in buckets[at]),
            levels=_sums(buckets[at], "level", levels),
            verdicts=_sums(buckets[at], "outcome", verdicts),
        )
        for at in within.floors()
    )


def _grouped(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row[column]].append(row)
    return found


def _count(rows: Iterable[Row], column: str = "", wanted: Sequence[str] = ()) -> int:
    return sum(int(row["count"]) for row in rows if not column or row[column] in wanted)


def _mean(rows: Sequence[Row]) -> float:
    number = _count(rows)
    return round(sum(int(row["points"]) for row in rows) / number, 1) if number else 0.0


def _tools(rows: Iterable[Row]) -> tuple[Tool, ...]:
    found = [
        Tool(
            tool_name=name,
            actions=_count(group),
            risky=_count(group, "level", _RISKY),
            stopped=_count(group, "outcome", _STOPS),
            mean_score=_mean(group),
        )
        for name, group in _grouped(rows, "name").items()
    ]
    return tuple(sorted(found, key=lambda tool: (-tool.risky, -tool.mean_score, tool.tool_name))[:MAX_LISTED])


def _agents(rows: Iterable[Row]) -> tuple[Profile, ...]:
    found = [
        Profile(
            agent_id=name or None,
            actions=_count(group),
            levels=_sums(group, "level", [level.value for level in Level]),
            stopped=_count(group, "outcome", _STOPS),
            mean_score=_mean(group),
            risk=round(_count(group, "level", _RISKY) / max(_count(group), 1), 4),
        )
        for name, group in _grouped(rows, "agent_id").items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.risk, -one.mean_score, one.agent_id or ""))[:MAX_LISTED])


def _policies(rows: Iterable[Row], total: int) -> tuple[Rate, ...]:
    found = [
        Rate(
            policy_id=name,
            matches=_count(group),
            rate=round(_count(group) / total, 4) if total else 0.0,
            action=max(group, key=lambda row: int(row["count"]))["outcome"],
        )
        for name, group in _grouped(rows, "name").items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.matches, one.policy_id)))

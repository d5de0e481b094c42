"""The figures of an earlier time span, to compare those of a window with."""

from __future__ import annotations

from collections import Counter

from interlock.levels import Verdict
from interlock.metrics.counters import HOUR
from interlock.metrics.window import Window
from interlock.model import Struct
from interlock.store.clock import MICROSECONDS
from interlock.store.connection import Connection

_COUNTED = """
    SELECT verdict, sum(count) FROM interlock_levels
    WHERE grain = :grain AND at >= :start AND at < :end GROUP BY verdict
"""
_VERDICTS = "SELECT verdict, count(*) FROM interlock_actions WHERE at >= :start AND at < :end GROUP BY verdict"
_REQUESTS = """
    SELECT state, count(*) FROM interlock_approvals WHERE created_at >= :start AND created_at < :end GROUP BY state
"""


class EarlierFigures(Struct, frozen=True, kw_only=True):
    """The figures of an earlier time span. `complete` is false if the records do not go back as far."""

    start: int
    end: int
    label: str
    complete: bool
    actions: int
    stopped: int
    blocked: int
    requests: int
    expired: int


def earlier_figures(connection: Connection, start: int, end: int, label: str) -> EarlierFigures:
    """Return the figures of an earlier time span."""
    verdicts = _verdicts(connection, start, end)
    states = dict(connection.tuples(_REQUESTS, start=start, end=end))
    oldest = connection.value("SELECT min(at) FROM interlock_actions")
    return EarlierFigures(
        start=start,
        end=end,
        label=label,
        complete=oldest is not None and oldest <= start,
        actions=sum(verdicts.values()),
        stopped=verdicts[Verdict.BLOCK.value] + verdicts[Verdict.REQUIRE_APPROVAL.value],
        blocked=verdicts[Verdict.BLOCK.value],
        requests=sum(int(number) for number in states.values()),
        expired=int(states.get("expired", 0)),
    )


def _verdicts(connection: Connection, start: int, end: int) -> Counter[str]:
    """Return how many actions had each verdict: whole hours are read from the counters, what is left from the index."""
    hour = HOUR * MICROSECONDS
    first, last = start + -start % hour, end - end % hour
    found: Counter[str] = Counter()
    for begin, finish in ((start, first), (last, end)) if first < last else ((start, end),):
        if begin < finish:
            found.update(_read(connection, _VERDICTS, start=begin, end=finish))
    for grain, begin, finish in Window(start=first, end=last, bucket="hour").parts() if first < last else ():
        found.update(_read(connection, _COUNTED, grain=grain, start=begin, end=finish))
    return found


def _read(connection: Connection, query: str, **given: int) -> dict[str, int]:
    return {verdict: int(count) for verdict, count in connection.tuples(query, **given)}


def describe_change(now: int, before: int) -> str:
    """Return how a number has changed.

    >>> describe_change(15, 10), describe_change(5, 10), describe_change(7, 7), describe_change(3, 0)
    ('+50%', '−50%', 'no change', '+3')
    >>> describe_change(1_001, 1_000)
    '+1'
    """
    if now == before:
        return "no change"
    if not before:
        return f"+{now:,}"
    if abs(now - before) < before / 200:  # less than half a percent, which would read as 0%
        return f"{'+' if now > before else '−'}{abs(now - before):,}"
    change = (now - before) / before
    sign = "+" if change > 0 else "−"
    return f"{sign}{abs(change):.0%}"

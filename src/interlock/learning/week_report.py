"""The weekly report: interruptions, answers, what was stopped, and how all of it compares with the week before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta, tzinfo

from interlock.approval.rubber_stamps import RubberStamp, find_rubber_stamps
from interlock.audit.journal import Journal
from interlock.learning.action_usage import STOPPED
from interlock.learning.drift_notes import notes_between
from interlock.learning.suggestion import Suggestion, describe_suggestion
from interlock.learning.usage import OTHERS
from interlock.learning.week import Week
from interlock.levels import Verdict
from interlock.metrics.approvals import approval_metrics
from interlock.metrics.counters import HOUR
from interlock.metrics.local_window import LocalWindow
from interlock.model import Struct
from interlock.store.clock import now
from interlock.store.connection import Connection, sql_list

MAX_LISTED = 10
#: How actions without the name of an agent are listed.
UNNAMED = "unnamed"
#: How many answered requests are examined for answers without reading: the newest of the week.
MAX_STAMPS = 1_000
_ASKED, _BLOCKED = Verdict.REQUIRE_APPROVAL.value, Verdict.BLOCK.value
_LEVELS = """
    SELECT at, verdict, sum(count) FROM interlock_levels
    WHERE grain = :grain AND at >= :start AND at < :end GROUP BY at, verdict
"""
_STOPPED_BY = """
    SELECT name, sum(count) FROM interlock_usage WHERE what = :what AND at >= :start AND at < :end GROUP BY name
"""
_AGENTS = f"""
    SELECT agent_id, sum(count) FROM interlock_counts WHERE grain = :grain AND at >= :start AND at < :end
    AND what = 'action' AND outcome IN {sql_list((_ASKED, _BLOCKED))} GROUP BY agent_id
"""
_OLDEST = "SELECT min(at) FROM interlock_levels WHERE grain = :grain"


class WeekFigures(Struct, frozen=True, kw_only=True):
    """The figures of a week. Times are in seconds; they are None if no request was answered."""

    actions: int
    requests: int
    blocked: int
    expired: int
    median: float | None
    p90: float | None
    unread_answers: int

    @property
    def per100(self) -> float:
        """Requests per 100 actions: how often agents had to wait for a person."""
        return round(100 * self.requests / self.actions, 1) if self.actions else 0.0


class DayFigures(Struct, frozen=True, kw_only=True):
    """The actions of one day: all of them, those that needed approval, and those that were blocked."""

    label: str
    actions: int
    asked: int
    blocked: int


class NamedCount(Struct, frozen=True, kw_only=True):
    """A name, how often it occurred in the week, and in the week before."""

    name: str
    count: int
    before: int


class WeekReport(Struct, frozen=True, kw_only=True):
    """The report on a week. `has_before` is false if the records do not go back to the week before.

    `notes` are sentences about changes in the behaviour of agents, `suggestions` about what could be granted.
    """

    week: str
    label: str
    zone: str
    start: int
    end: int
    is_over: bool
    has_before: bool
    figures: WeekFigures
    before: WeekFigures
    days: tuple[DayFigures, ...]
    stopped_by: tuple[NamedCount, ...]
    agents: tuple[NamedCount, ...]
    hasty: tuple[NamedCount, ...]
    notes: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


def week_report(journal: Journal, week: Week, zone: tzinfo, suggestions: Iterable[Suggestion] = ()) -> WeekReport:
    """Report on a week of days in a zone, with the open suggestions. All counters must be up to date."""
    window, earlier = week.window(zone), week.before.window(zone)
    stamps, stamps_before = _stamps(journal, window), _stamps(journal, earlier)
    with journal.database.read() as connection:
        days = _days(connection, week, window)
        figures = _figures(connection, window, days, len(stamps))
        before = _figures(connection, earlier, _days(connection, week.before, earlier), len(stamps_before))
        oldest = connection.value(_OLDEST, grain=HOUR)
        stopped = [_count_stops(connection, one) for one in (window, earlier)]
        agents = [_agents(connection, one) for one in (window, earlier)]
        notes = notes_between(connection, window.window.start, window.window.end)
    return WeekReport(
        week=str(week),
        label=week.label,
        zone=str(zone),
        start=window.window.start,
        end=window.window.end,
        is_over=window.window.end <= now().wall,
        has_before=oldest is not None and oldest < window.window.start,
        figures=figures,
        before=before,
        days=days,
        stopped_by=_compare(*stopped),
        agents=_compare(*agents),
        hasty=_compare(*(Counter(stamp.answer.approver for stamp in some) for some in (stamps, stamps_before))),
        notes=tuple(note.text for note in notes),
        suggestions=tuple(map(describe_suggestion, suggestions)),
    )


def _stamps(journal: Journal, window: LocalWindow) -> list[RubberStamp]:
    bounds = {"since": window.window.start, "before": window.window.end}
    return list(find_rubber_stamps(journal.database, limit=MAX_STAMPS, **bounds))


def _figures(
    connection: Connection, window: LocalWindow, days: Sequence[DayFigures], unread_answers: int
) -> WeekFigures:
    approvals = approval_metrics(connection, window.window, unread_answers)
    waiting = approvals.waiting
    return WeekFigures(
        actions=sum(day.actions for day in days),
        requests=approvals.total,
        blocked=sum(day.blocked for day in days),
        expired=approvals.states["expired"],
        median=None if waiting is None else waiting.median,
        p90=None if waiting is None else waiting.p90,
        unread_answers=unread_answers,
    )


def _days(connection: Connection, week: Week, window: LocalWindow) -> tuple[DayFigures, ...]:
    rows = connection.tuples(_LEVELS, grain=HOUR, start=window.window.start, end=window.window.end)
    return tuple(
        _day(week.monday + timedelta(days=number), [row for row in rows if start <= row[0] < end])
        for number, (start, end) in enumerate(window.bounds)
    )


def _day(day: date, rows: Iterable[tuple[int, str, int]]) -> DayFigures:
    sums: Counter[str] = Counter()
    for _, verdict, count in rows:
        sums[verdict] += int(count)
    return DayFigures(
        label=f"{day:%a} {day.day}", actions=sum(sums.values()), asked=sums[_ASKED], blocked=sums[_BLOCKED]
    )


def _count_stops(connection: Connection, window: LocalWindow) -> Counter[str]:
    bounds = {"start": window.window.start, "end": window.window.end}
    rows = connection.tuples(_STOPPED_BY, what=STOPPED, **bounds)
    return Counter({name: int(count) for name, count in rows if name != OTHERS})


def _agents(connection: Connection, window: LocalWindow) -> Counter[str]:
    found: Counter[str] = Counter()
    for grain, start, end in window.window.parts():
        for agent, count in connection.tuples(_AGENTS, grain=grain, start=start, end=end):
            found[agent or UNNAMED] += int(count)
    return found


def _compare(now: Counter[str], before: Counter[str]) -> tuple[NamedCount, ...]:
    """Return the most frequent names of the week, each with how often it occurred in the week before."""
    ordered = sorted(now.items(), key=lambda item: (-item[1], item[0]))[:MAX_LISTED]
    return tuple(NamedCount(name=name, count=count, before=before[name]) for name, count in ordered)

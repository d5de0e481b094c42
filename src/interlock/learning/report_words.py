"""The texts of a weekly report: its figures in order, each with its value and its change."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.learning.week_report import WeekReport
from interlock.metrics.comparison import describe_change
from interlock.model import Struct


class FigureLine(Struct, frozen=True, kw_only=True):
    """One figure: its name, its value, and a comparison with the week before, which is empty if there is none."""

    name: str
    value: str
    change: str = ""


def figure_lines(report: WeekReport) -> Iterator[FigureLine]:
    """Yield the figures of a report."""
    now, before = report.figures, report.before
    yield _count(report, "Actions", now.actions, before.actions)
    change = f"{before.per100:g} the week before" if report.has_before else ""
    yield FigureLine(name="Interruptions per 100 actions", value=f"{now.per100:g}", change=change)
    yield _count(report, "Approval requests", now.requests, before.requests)
    yield _time(report, "Time to answer, median", now.median, before.median)
    yield _time(report, "Time to answer, 90th percentile", now.p90, before.p90)
    yield _count(report, "Blocked actions", now.blocked, before.blocked)
    yield _count(report, "Expired requests", now.expired, before.expired)
    yield _count(report, "Answers given without reading", now.unread_answers, before.unread_answers)


def _count(report: WeekReport, name: str, now: int, before: int) -> FigureLine:
    change = describe_change(now, before) if report.has_before else ""
    compared = f"{change} vs. the week before" if change and now != before else change
    return FigureLine(name=name, value=f"{now:,}", change=compared)


def _time(report: WeekReport, name: str, now: float | None, before: float | None) -> FigureLine:
    change = f"{duration(before)} the week before" if report.has_before and before is not None else ""
    return FigureLine(name=name, value=duration(now), change=change)


def duration(seconds: float | None) -> str:
    """Return a time span in words.

    >>> duration(4.2), duration(90), duration(7_400), duration(200_000), duration(None)
    ('4 s', '2 min', '2 h 3 min', '2 d 7 h', 'no answers')
    """
    if seconds is None:
        return "no answers"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours = minutes // 60
    return f"{hours} h {minutes % 60} min" if hours < 24 else f"{hours // 24} d {hours % 24} h"


def headline(report: WeekReport) -> str:
    """Return the report in one sentence, without anything that an agent chose."""
    now, before = report.figures, report.before
    if not now.actions:
        return f"No actions were recorded from {report.label}."
    compared = f" ({before.per100:g} the week before)" if report.has_before else ""
    requests = "1 approval request" if now.requests == 1 else f"{now.requests:,} approval requests"
    actions = "1 action" if now.actions == 1 else f"{now.actions:,} actions"
    told = f"{actions}, {requests}, {now.per100:g} interruptions per 100 actions{compared}"
    return f"{told}; {now.blocked:,} blocked."


def title(report: WeekReport) -> str:
    """Return the title of a report."""
    return f"Week {report.week}, {report.label}"

"""A weekly report as Markdown. Names that agents chose are code, in which nothing is markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.learning.report_words import figure_lines, headline, title
from interlock.learning.week_report import NamedCount, WeekReport
from interlock.sanitise import plain

MAX_NAME = 120


def report_markdown(report: WeekReport) -> str:
    """Return a report as Markdown."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: WeekReport) -> Iterator[str]:
    yield f"# {title(report)}"
    yield ""
    yield headline(report) + ("" if report.is_over else " The week is not over yet.")
    yield ""
    yield "| | This week | Change |"
    yield "|---|---:|---:|"
    for line in figure_lines(report):
        yield f"| {line.name} | {line.value} | {line.change} |"
    yield ""
    yield "## By day"
    yield ""
    yield "| Day | Actions | Needed approval | Blocked |"
    yield "|---|---:|---:|---:|"
    for day in report.days:
        yield f"| {day.label} | {day.actions:,} | {day.asked:,} | {day.blocked:,} |"
    yield from _section("What stopped actions", "Rule or policy", report.stopped_by, report.has_before)
    yield from _section("Agents that were stopped", "Agent", report.agents, report.has_before)
    yield from _section("Answers given without reading", "Approver", report.hasty, report.has_before)
    yield from _sentences("Changes in behaviour", report.notes)
    yield from _sentences("Suggestions", report.suggestions)
    yield ""
    yield f"Days begin at midnight, {code(report.zone)}."


def _section(heading: str, column: str, rows: Sequence[NamedCount], has_before: bool) -> Iterator[str]:
    if not rows:
        return
    yield from ("", f"## {heading}", "", f"| {column} | This week | Week before |", "|---|---:|---:|")
    for row in rows:
        yield f"| {code(row.name)} | {row.count:,} | {f'{row.before:,}' if has_before else ''} |"


def _sentences(heading: str, sentences: Sequence[str]) -> Iterator[str]:
    if sentences:
        yield from ("", f"## {heading}", "", *(f"- {code(one)}" for one in sentences))


def code(name: str) -> str:
    """Return a name as code, so that nothing in it is markup.

    >>> code("a`b|c")
    "`a'b¦c`"
    """
    shown = plain(" ".join(name.split())).replace("`", "'").replace("|", "¦")
    return f"`{shown[:MAX_NAME]}`" if shown else ""

"""Charts of a weekly report as SVG, with classes instead of colours, so that each page can style them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from interlock.learning.report_links import NO_LINKS, ReportLinks, link_part
from interlock.learning.week_report import DayFigures, NamedCount
from interlock.sanitise import plain

WIDTH, HEIGHT, BOTTOM, TOP = 640, 200, 28, 22
ROW, NAME_WIDTH, VALUE_WIDTH = 28, 250, 90
MAX_NAME = 26
_BAR = Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="2"/>')
_TEXT = Markup('<text class="{}" x="{}" y="{}">{}</text>')


def day_chart(days: Sequence[DayFigures], links: ReportLinks = NO_LINKS) -> Markup:
    """Return columns of the stopped actions of each day: those that needed approval, and blocked ones on top."""
    highest = max((day.asked + day.blocked for day in days), default=0) or 1
    step = WIDTH / max(len(days), 1)
    scale = (HEIGHT - TOP - BOTTOM) / highest
    parts = [
        _column(day, round(number * step, 1), step, scale, links.of_day(number)) for number, day in enumerate(days)
    ]
    return _svg(HEIGHT, "Stopped actions by day", parts)


def _column(day: DayFigures, x: float, step: float, scale: float, link: str) -> Markup:
    base, left, width = float(HEIGHT - BOTTOM), round(x + step * 0.2, 1), round(step * 0.6, 1)
    parts = []
    for name, number in (("asked", day.asked), ("blocked", day.blocked)):
        if number:
            height = round(max(number * scale, 1.5), 1)
            base = round(base - height, 1)
            parts.append(_BAR.format(name, left, base, width, height))
    middle = round(x + step / 2, 1)
    total = day.asked + day.blocked
    parts.append(_TEXT.format("count", middle, base - 6, f"{total:,}"))
    parts.append(_TEXT.format("label", middle, HEIGHT - 8, day.label))
    tip = f"{day.label}: {day.asked:,} needed approval, {day.blocked:,} blocked, of {day.actions:,} actions"
    shown = Markup("<g><title>{}</title>{}</g>").format(tip, Markup("").join(parts))
    return link_part(link if total else "", tip, shown)


def name_chart(
    rows: Sequence[NamedCount], label: str, *, has_before: bool, links: Mapping[str, str] | None = None
) -> Markup:
    """Return bars of names, each with its number, and a mark where it was in the week before."""
    highest = max((max(row.count, row.before if has_before else 0) for row in rows), default=0) or 1
    room = WIDTH - NAME_WIDTH - VALUE_WIDTH
    found = links or {}
    parts = [
        _row(row, number * ROW, room / highest, found.get(row.name, ""), has_before=has_before)
        for number, row in enumerate(rows)
    ]
    return _svg(ROW * len(rows) + 4, label, parts)


def _row(row: NamedCount, y: int, scale: float, link: str, *, has_before: bool) -> Markup:
    name = plain(" ".join(row.name.split()))
    width = round(max(row.count * scale, 2), 1)
    parts = [
        _TEXT.format("name", NAME_WIDTH - 10, y + 18, name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"),
        _BAR.format("asked", NAME_WIDTH, y + 6, width, ROW - 12),
        _TEXT.format(
            "value", NAME_WIDTH + max(width, row.before * scale if has_before else 0) + 8, y + 18, f"{row.count:,}"
        ),
    ]
    if has_before:
        parts.append(_BAR.format("earlier", round(NAME_WIDTH + row.before * scale, 1), y + 3, 2, ROW - 6))
    tip = f"{name}: {row.count:,}" + (f", {row.before:,} the week before" if has_before else "")
    return link_part(link, tip, Markup("<g><title>{}</title>{}</g>").format(tip, Markup("").join(parts)))


def _svg(height: int, label: str, parts: Sequence[Markup]) -> Markup:
    role = "group" if any(part.startswith("<a ") for part in parts) else "img"
    return Markup('<svg class="report-chart" viewBox="0 0 {} {}" role="{}" aria-label="{}">{}</svg>').format(
        WIDTH, height, role, label, Markup("").join(parts)
    )

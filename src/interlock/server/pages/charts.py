"""Charts as SVG, with axes, tooltips, and a link from each bar to the actions behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from interlock.levels import Level
from interlock.metrics.risk import RiskPoint
from interlock.sanitise import plain
from interlock.server.pages.reader_zone import reader_time

WIDTH, HEIGHT = 1060, 260
LEFT, RIGHT, TOP, BOTTOM = 44, 8, 12, 28
MAX_LABELS = 9
#: How many buckets lie between two labels of the time axis.
_STEPS = {"minute": (1, 2, 5, 10, 15, 30), "hour": (1, 2, 3, 6, 12, 24), "day": (1, 2, 4, 7, 14)}
_LEVELS = [level.value for level in Level]


class Bar(NamedTuple):
    """One bar of a list: its name, value, tooltip, the level that colours it, its link, and how its value is shown."""

    name: str
    value: float
    tooltip: str
    level: str = ""
    link: str = ""
    label: str = ""


def ticks(highest: int, wanted: int = 4) -> list[int]:
    """Return round numbers for an axis, from 0 to at least the highest value.

    >>> ticks(7), ticks(100), ticks(0)
    ([0, 2, 4, 6, 8], [0, 25, 50, 75, 100], [0, 1])
    """
    if highest <= 0:
        return [0, 1]
    rough = highest / wanted
    power = 10 ** math.floor(math.log10(rough)) if rough >= 1 else 1
    step = next(
        (int(power * factor) for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough and power * factor % 1 == 0), 1
    )
    return list(range(0, step * math.ceil(highest / step) + 1, step))


def stacked_bars(points: Sequence[RiskPoint], bucket: str, links: Sequence[str] = ()) -> Markup:
    """Return a chart of actions over time: one bar for each bucket, stacked by level, with a link if it has actions."""
    axis = ticks(max((point.total for point in points), default=0))
    inner_w, inner_h = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    step = inner_w / max(len(points), 1)
    parts = [_grid(axis, inner_h)]
    for index, point in enumerate(points):
        link = links[index] if links and point.total else ""
        parts.append(_bar(point, LEFT + index * step, step, inner_h / axis[-1], bucket, link))
    parts.append(_dates(points, step, bucket))
    label = f"Actions by level, {len(points)} {bucket}s"
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="group" aria-label="{}">{}</svg>').format(
        WIDTH, HEIGHT, label, Markup("").join(parts)
    )


def _y(value: float, scale: float) -> float:
    return round(HEIGHT - BOTTOM - value * scale, 2)


_GRID_LINE = Markup('<line class="grid" x1="{}" x2="{}" y1="{y}" y2="{y}"/><text class="tick" x="{}" y="{}">{}</text>')


def _grid(axis: Sequence[int], inner: float) -> Markup:
    scale = inner / axis[-1]
    lines = [
        _GRID_LINE.format(LEFT, WIDTH - RIGHT, LEFT - 6, _y(tick, scale) + 4, f"{tick:,}", y=_y(tick, scale))
        for tick in axis
    ]
    return Markup("").join(lines)


def _bar(point: RiskPoint, x: float, step: float, scale: float, bucket: str, link: str) -> Markup:
    """Return one bar, the highest level on top, and an invisible field over the full height for its tooltip."""
    gap = min(2.0, step * 0.15)
    pieces, base = [], 0
    for level in _LEVELS:
        number = point.levels.get(level, 0)
        if number:
            top = _y(base + number, scale)
            pieces.append(
                Markup('<rect class="l-{}" x="{}" y="{}" width="{}" height="{}"/>').format(
                    level, round(x + gap / 2, 2), top, round(step - gap, 2), round(max(number * scale, 1), 2)
                )
            )
            base += number
    field = Markup('<rect class="field" x="{}" y="{}" width="{}" height="{}"/>').format(
        round(x, 2), TOP, round(step, 2), HEIGHT - TOP - BOTTOM
    )
    return _with_link(_tooltip(point, bucket), link, Markup("").join([*pieces, field]))


def _with_link(tip: str, link: str, inside: Markup) -> Markup:
    """Return a part of a chart with its tooltip, inside a link if it has one."""
    shown = Markup('<g class="bar" data-tip="{tip}"><title>{tip}</title>{inside}</g>').format(tip=tip, inside=inside)
    return Markup('<a href="{}" aria-label="{}">{}</a>').format(link, tip, shown) if link else shown


def _tooltip(point: RiskPoint, bucket: str) -> str:
    counts = ", ".join(f"{point.levels[level]:,} {level}" for level in reversed(_LEVELS) if point.levels.get(level))
    return f"{bucket_label(point.at, bucket)}: {counts or 'no actions'}"


def bucket_label(at: int, bucket: str) -> str:
    """Return the time of a bucket in the reader's zone, as briefly as possible."""
    when = reader_time(at)
    date, time = f"{when.day} {when:%b}", f"{when:%H:%M}"
    return date if bucket == "day" else time if bucket == "minute" else f"{date} {time}"


def _dates(points: Sequence[RiskPoint], step: float, bucket: str) -> Markup:
    """Return the labels of the time axis, counted from the newest bucket, which always has one."""
    wanted = len(points) / MAX_LABELS
    every = next((steps for steps in _STEPS.get(bucket, ()) if steps >= wanted), max(1, math.ceil(wanted)))
    shown = [(index, point.at) for index, point in enumerate(points) if (len(points) - 1 - index) % every == 0]
    labels = zip(shown, axis_labels([at for _, at in shown], bucket), strict=True)
    return Markup("").join(_date(index, label, step, newest=index == len(points) - 1) for (index, _), label in labels)


def _date(index: int, label: str, step: float, *, newest: bool) -> Markup:
    """Return a label below the middle of its bar; the newest ends with its bar, so that it is never cut off."""
    x = LEFT + (index + (1 if newest else 0.5)) * step
    return Markup('<text class="tick date{}" x="{}" y="{}">{}</text>').format(
        " newest" if newest else "", round(x, 2), HEIGHT - 8, label
    )


def axis_labels(times: Sequence[int], bucket: str) -> list[str]:
    """Return the labels of a time axis: hours have a date where a new day begins.

    >>> axis_labels([0, 10_800_000_000, 86_400_000_000], "hour")
    ['1 Jan 00:00', '03:00', '2 Jan 00:00']
    """
    labels = [bucket_label(at, bucket) for at in times]
    if bucket != "hour":
        return labels
    dates = ["", *(label.rpartition(" ")[0] for label in labels)]
    pairs = zip(dates, labels, strict=False)
    return [label.removeprefix(f"{date} ") if date else label for date, label in pairs]


ROW_HEIGHT, LIST_WIDTH, NAME_WIDTH, VALUE_WIDTH = 26, 320, 142, 96
MAX_NAME = 18


def bars(rows: Sequence[Bar], label: str) -> Markup:
    """Return a list of horizontal bars in the given order, each with its name and value."""
    height = ROW_HEIGHT * max(len(rows), 1) + 4
    highest = max((row.value for row in rows), default=0) or 1
    parts = [_list_row(row, index * ROW_HEIGHT, row.value / highest) for index, row in enumerate(rows)]
    return Markup('<svg class="chart bars" viewBox="0 0 {} {}" role="group" aria-label="{}">{}</svg>').format(
        LIST_WIDTH, height, escape(label), Markup("").join(parts)
    )


_ROW = Markup(
    '<rect class="field" x="0" y="{y}" width="{full}" height="{row}"/>'
    '<text class="name" x="{nx}" y="{ty}">{name}</text>'
    '<rect class="l-{level}" x="{bx}" y="{by}" width="{w}" height="{h}" rx="3"/>'
    '<text class="value" x="{vx}" y="{ty}">{value}</text>'
)


def _list_row(row: Bar, y: int, fraction: float) -> Markup:
    width = max(2.0, round((LIST_WIDTH - NAME_WIDTH - VALUE_WIDTH) * fraction, 2))
    name = plain(row.name)
    inside = _ROW.format(
        y=y,
        full=LIST_WIDTH,
        row=ROW_HEIGHT,
        nx=NAME_WIDTH - 8,
        ty=y + 17,
        name=name if len(name) <= MAX_NAME else name[: MAX_NAME - 1] + "…",
        level=row.level or "plain",
        bx=NAME_WIDTH,
        by=y + 6,
        w=width,
        h=ROW_HEIGHT - 12,
        vx=NAME_WIDTH + width + 8,
        value=row.label or f"{row.value:,.0f}",
    )
    return _with_link(plain(row.tooltip), row.link, inside)


SPARK_WIDTH, SPARK_HEIGHT = 112, 26


def sparkline(values: Sequence[tuple[int, int]], label: str) -> Markup:
    """Return a small chart of actions by day, with the risky ones of them at the bottom of each bar."""
    highest = max((total for total, _ in values), default=0) or 1
    step = SPARK_WIDTH / max(len(values), 1)
    parts = []
    for index, (total, risky) in enumerate(values):
        for name, number in (("all", total), ("risky", risky)):
            height = round(max(1.0, number / highest * SPARK_HEIGHT), 2) if number else 0
            if height:
                parts.append(
                    Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
                        name, round(index * step, 2), round(SPARK_HEIGHT - height, 2), round(step - 1, 2), height
                    )
                )
    return Markup('<svg class="chart spark" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        SPARK_WIDTH, SPARK_HEIGHT, label, Markup("").join(parts)
    )

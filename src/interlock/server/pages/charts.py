"""Charts as SVG: real axes, a legend, a tooltip for each bar, and the numbers as a table one click away."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from interlock.levels import Level
from interlock.metrics.risk import Point
from interlock.policy.tiers import plain
from interlock.store.clock import format_time

WIDTH, HEIGHT = 1060, 260
LEFT, RIGHT, TOP, BOTTOM = 44, 8, 12, 28
MAX_LABELS = 9
_LEVELS = [level.value for level in Level]


class Bar(NamedTuple):
    """One bar of a list: its name, its number, what is said about it, and where it leads."""

    name: str
    value: float
    told: str
    level: str = ""
    link: str = ""


def ticks(highest: int, wanted: int = 4) -> list[int]:
    """Return round numbers for an axis, from nought to at least the highest.

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


def stacked(points: Sequence[Point], bucket: str) -> Markup:
    """Return actions over time, one bar a bucket, by level."""
    axis = ticks(max((point.total for point in points), default=0))
    inner_w, inner_h = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    step = inner_w / max(len(points), 1)
    parts = [_grid(axis, inner_h)]
    for index, point in enumerate(points):
        parts.append(_bar(point, LEFT + index * step, step, inner_h / axis[-1], bucket))
    parts.append(_dates(points, step, bucket))
    label = f"Actions by level, {len(points)} {bucket}s"
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, HEIGHT, label, Markup("").join(parts)
    )


def _y(value: float, scale: float) -> float:
    return round(HEIGHT - BOTTOM - value * scale, 2)


_LINE = Markup('<line class="grid" x1="{}" x2="{}" y1="{y}" y2="{y}"/><text class="tick" x="{}" y="{}">{}</text>')


def _grid(axis: Sequence[int], inner: float) -> Markup:
    scale = inner / axis[-1]
    lines = [
        Markup(
            '<line class="grid" x1="{}" x2="{}" y1="{y}" y2="{y}"/><text class="tick" x="{}" y="{}">{}</text>'
        ).format(LEFT, WIDTH - RIGHT, LEFT - 6, _y(tick, scale) + 4, f"{tick:,}", y=_y(tick, scale))
        for tick in axis
    ]
    return Markup("").join(lines)


def _bar(point: Point, x: float, step: float, scale: float, bucket: str) -> Markup:
    """Return one bar, the gravest level on top, and a field over its whole height that says what it is."""
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
    field = Markup('<rect class="field" x="{}" y="{}" width="{}" height="{}" tabindex="-1"/>').format(
        round(x, 2), TOP, round(step, 2), HEIGHT - TOP - BOTTOM
    )
    return Markup('<g class="bar" data-tip="{}"><title>{}</title>{}{}</g>').format(
        _told(point, bucket), _told(point, bucket), Markup("").join(pieces), field
    )


def _told(point: Point, bucket: str) -> str:
    counts = ", ".join(f"{point.levels[level]:,} {level}" for level in reversed(_LEVELS) if point.levels.get(level))
    return f"{when(point.at, bucket)}: {counts or 'nothing'}"


def when(at: int, bucket: str) -> str:
    """Return the time of a bucket, as short as it can be told."""
    whole = format_time(at)
    return whole[5:10] if bucket == "day" else whole[11:16] if bucket == "minute" else f"{whole[5:10]} {whole[11:16]}"


def _dates(points: Sequence[Point], step: float, bucket: str) -> Markup:
    every = max(1, math.ceil(len(points) / MAX_LABELS))
    labels = [
        Markup('<text class="tick date" x="{}" y="{}">{}</text>').format(
            round(LEFT + (index + 0.5) * step, 2), HEIGHT - 8, when(point.at, bucket)
        )
        for index, point in enumerate(points)
        if index % every == 0 and (index + 0.5) * step < WIDTH - LEFT - RIGHT - 30
    ]
    return Markup("").join(labels)


ROW, LIST, NAME_W, VALUE_W = 30, 360, 140, 52


def bars(rows: Sequence[Bar], label: str, unit: str = "") -> Markup:
    """Return a list of bars, the longest first as given, each with its name and its number."""
    height = ROW * max(len(rows), 1) + 4
    highest = max((row.value for row in rows), default=0) or 1
    room = LIST - NAME_W - VALUE_W
    parts = []
    for index, row in enumerate(rows):
        y, width = index * ROW, max(2.0, round(room * row.value / highest, 2))
        name = plain(row.name)
        short = name if len(name) <= 18 else name[:17] + "…"
        parts.append(
            Markup(
                '<g class="bar" data-tip="{tip}"><title>{tip}</title><text class="name" x="{nx}" y="{ty}">{name}</text>'
                '<rect class="l-{level}" x="{bx}" y="{by}" width="{w}" height="{h}" rx="3"/>'
                '<text class="value" x="{vx}" y="{ty}">{value}</text></g>'
            ).format(
                tip=plain(row.told),
                nx=NAME_W - 10,
                ty=y + 19,
                name=short,
                level=row.level or "plain",
                bx=NAME_W,
                by=y + 6,
                w=width,
                h=ROW - 12,
                vx=NAME_W + width + 8,
                value=(f"{row.value:,.0f}" if row.value == int(row.value) else f"{row.value:.1f}") + unit,
            )
        )
    return Markup('<svg class="chart bars" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        LIST, height, escape(label), Markup("").join(parts)
    )

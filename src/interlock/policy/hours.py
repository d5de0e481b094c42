"""Hours: `Mon-Fri 09:00-17:00 Europe/Berlin`, for policies that apply during or outside of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import msgspec

from interlock.errors import ConfigError, near_miss, nearest
from interlock.patterns import late

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_LONG_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY = 24 * 60
_SPAN = late(r"(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})")
_DASH = late(r"\s*[-–]\s*")
EXAMPLE = "Mon-Fri 09:00-17:00 Europe/Berlin"


class Hours(msgspec.Struct, frozen=True):
    """Times of the day, in minutes, on some days of the week, in a zone.

    A span that ends before it begins goes on until the next day, and belongs to the day on which it begins.
    """

    days: frozenset[int]
    spans: tuple[tuple[int, int], ...]
    zone: str

    def include(self, at: datetime) -> bool:
        """Whether a time is within these hours, in their time zone."""
        local = at.astimezone(find_zone(self.zone))
        minute, day = local.hour * 60 + local.minute, local.weekday()
        return any(self._includes(begin, end, minute, day) for begin, end in self.spans)

    def _includes(self, begin: int, end: int, minute: int, day: int) -> bool:
        if begin < end:
            return begin <= minute < end and day in self.days
        return (minute >= begin and day in self.days) or (minute < end and (day - 1) % 7 in self.days)


def parse_hours(text: Any) -> Hours:
    """Return hours from days, times and a zone. Without days, they are every day; without times, whole days.

    >>> parse_hours("Sat,Sun 22:00-06:00 UTC").spans
    ((1320, 360),)
    """
    if not isinstance(text, str):
        raise ConfigError(f"hours must be a string such as `{EXAMPLE}`, found `{text!r}`")
    words = _DASH.sub("-", text).replace(", ", ",").split()
    days = frozenset(range(7))
    spans: tuple[tuple[int, int], ...] = ((0, _DAY),)
    if len(words) > 1 and words[0][0].isalpha():
        days = frozenset(_parse_days(words.pop(0)))
    if len(words) > 1:
        spans = tuple(map(_parse_span, words.pop(0).split(",")))
    if len(words) != 1 or words[0] == text.strip():
        raise ConfigError(f"`{text}` does not have days, times and a zone; write `{EXAMPLE}`")
    find_zone(words[0])
    return Hours(days, spans, words[0])


def _parse_days(word: str) -> Iterator[int]:
    """Yield the days of `Mon-Fri`, or of `Mon,Wed,Fri`."""
    for part in word.split(","):
        first, _, last = part.partition("-")
        day, end = _parse_day(first), _parse_day(last or first)
        yield day
        while day != end:
            day = (day + 1) % 7
            yield day


def _parse_day(name: str) -> int:
    lowered = name.lower()
    if lowered in _LONG_DAYS:
        return _LONG_DAYS.index(lowered)
    if lowered not in DAYS:
        raise ConfigError(f"unknown day `{name}`{nearest(lowered, DAYS)}")
    return DAYS.index(lowered)


def _parse_span(text: str) -> tuple[int, int]:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ConfigError(f"`{text}` is not a time span; write `09:00-17:00`")
    hours = [int(found[at]) * 60 + int(found[at + 1]) for at in (1, 3)]
    if any(int(found[at]) > 59 for at in (2, 4)) or max(hours) > _DAY:
        raise ConfigError(f"`{text}` is not a valid time of day; write `09:00-17:00`")
    if hours[0] % _DAY == hours[1] % _DAY and hours != [0, _DAY]:
        raise ConfigError(f"`{text}` begins and ends at the same time; write `00:00-24:00` for a whole day")
    return hours[0], hours[1]


@cache
def find_zone(name: str) -> ZoneInfo:
    """Return the time zone with that name, or raise and suggest the closest one."""
    zones = _zones()
    if not zones:
        raise ConfigError(f"time zone `{name}`: this system has no time zone data; install the package `tzdata`")
    if name not in zones.values():
        near = zones.get(name.lower())
        hint = f"; did you mean `{near}`?" if near else near_miss(name, sorted(zones.values()))
        raise ConfigError(f"unknown time zone `{name}`{hint or '; write one such as `Europe/Berlin` or `UTC`'}")
    return ZoneInfo(name)


@cache
def _zones() -> dict[str, str]:
    """Return the names of all zones, by their full names and by their place names, in lower case."""
    names = sorted(available_timezones() - {"localtime", "posixrules"}, reverse=True)
    places = {name.rpartition("/")[2].lower(): name for name in names}
    return {**places, **{name.lower(): name for name in names}}

"""The time zone in which times are shown to a reader. The browser reports it in a cookie; until then, it is UTC."""

from __future__ import annotations

from contextvars import ContextVar
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from interlock.patterns import late
from interlock.store.clock import MICROSECONDS

COOKIE = "zone"
_NAME = late(r"[A-Za-z][A-Za-z0-9_+/-]{0,63}")
_READER: ContextVar[tzinfo] = ContextVar("reader_zone", default=UTC)


@lru_cache(maxsize=256)
def find_zone(name: str | None) -> tzinfo:
    """Return the zone with a name that a cookie holds, or UTC if there is none.

    >>> find_zone("Europe/Berlin").key, find_zone("../../etc/passwd"), find_zone(None)
    ('Europe/Berlin', datetime.timezone.utc, datetime.timezone.utc)
    """
    if not name or not _NAME.fullmatch(name):
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return UTC


def use_zone(zone: tzinfo) -> None:
    """Show the times of the page that is being rendered in a zone."""
    _READER.set(zone)


def reader_time(wall: int) -> datetime:
    """Return a time in the zone of the reader of the page that is being rendered."""
    return datetime.fromtimestamp(wall / MICROSECONDS, _READER.get())


def exact_time(wall: int) -> str:
    """Return the exact time with its zone, for tooltips and tables.

    >>> exact_time(1_700_000_000_000_000)
    '2023-11-14 22:13:20 UTC'
    """
    return reader_time(wall).strftime("%Y-%m-%d %H:%M:%S %Z")


def short_time(wall: int, at: int) -> str:
    """Return the time of day, with the date unless it is the day of another time.

    >>> short_time(1_700_000_000_000_000, 1_700_000_500_000_000), short_time(1_700_000_000_000_000, 0)
    ('22:13:20', '14 Nov 2023, 22:13')
    """
    when, day = reader_time(wall), reader_time(at).date()
    if when.date() == day:
        return when.strftime("%H:%M:%S")
    return f"{when.day} {when:%b}{'' if when.year == day.year else when.strftime(' %Y')}, {when:%H:%M}"

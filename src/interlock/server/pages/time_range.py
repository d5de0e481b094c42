"""Time ranges that a reader chooses: dates and times in the reader's zone, and in links exact times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

from interlock.errors import InterlockError
from interlock.model import Struct
from interlock.server.pages.reader_zone import COOKIE, find_zone
from interlock.server.pages.renderer import PageRequest
from interlock.store.clock import MICROSECONDS

_MAX = 2**53


class TimeRange(Struct, frozen=True, kw_only=True):
    """A time range in microseconds since 1970; `end` is exclusive. Either may be open."""

    start: int | None = None
    end: int | None = None


def zone_of(request: PageRequest) -> tzinfo:
    """Return the zone of the reader who sent a request."""
    return find_zone(request.cookies.get(COOKIE))


def parse_range(begins: str, ends: str, zone: tzinfo) -> TimeRange:
    """Return the range that two texts name. A date alone means its first moment, and as an end the whole day.

    >>> parse_range("1970-01-02", "1970-01-02", UTC)
    TimeRange(start=86400000000, end=172800000000)
    """
    start, end = _parse(begins, "from", zone, whole_day=False), _parse(ends, "to", zone, whole_day=True)
    if start is not None and end is not None and start >= end:
        raise InterlockError("`from` must be before `to`")
    return TimeRange(start=start, end=end)


def _parse(text: str, name: str, zone: tzinfo, *, whole_day: bool) -> int | None:
    text = text.strip()
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
        if len(text) == len("2026-01-31") and whole_day:
            found += timedelta(days=1)
        value = int((found if found.tzinfo else found.replace(tzinfo=zone)).timestamp() * MICROSECONDS)
    except (ValueError, OverflowError, OSError):
        raise InterlockError(f"`{name}` must be a date or a time such as `2026-01-31T08:00`") from None
    if not 0 <= value < _MAX:
        raise InterlockError(f"`{name}` is out of range")
    return value


def link_time(wall: int) -> str:
    """Return a time for a link, which means the same to every reader.

    >>> link_time(1_700_000_040_000_000)
    '2023-11-14T22:14:00Z'
    """
    return datetime.fromtimestamp(wall / MICROSECONDS, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def form_time(wall: int | None, zone: tzinfo) -> str:
    """Return a time for a field of a form, in the reader's zone.

    >>> form_time(1_700_000_040_000_000, UTC), form_time(None, UTC)
    ('2023-11-14T22:14', '')
    """
    if wall is None:
        return ""
    when = datetime.fromtimestamp(wall / MICROSECONDS, zone)
    return when.strftime("%Y-%m-%dT%H:%M:%S" if when.second else "%Y-%m-%dT%H:%M")


def range_label(start: int, end: int, zone: tzinfo) -> str:
    """Return a time range in words.

    >>> range_label(1_700_000_040_000_000, 1_700_090_000_000_000, UTC)
    '14 Nov 2023, 22:14 – 15 Nov 2023, 23:13 UTC'
    """
    first, last = (datetime.fromtimestamp(at / MICROSECONDS, zone) for at in (start, end))
    return f"{first.day} {first:%b %Y, %H:%M} – {last.day} {last:%b %Y, %H:%M %Z}"


def zone_name(zone: tzinfo) -> str:
    """Return the name of a zone for readers.

    >>> zone_name(UTC), zone_name(find_zone("Europe/Berlin"))
    ('UTC', 'Europe/Berlin')
    """
    return str(getattr(zone, "key", zone))

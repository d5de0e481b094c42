"""Times in a terminal: in the zone of this machine, with the date unless it is today."""

from __future__ import annotations

from datetime import datetime, tzinfo

from interlock.store.clock import MICROSECONDS


def local_time(wall: int, at: int, zone: tzinfo | None = None) -> str:
    """Return a time to the second for display at another time, in a zone or in that of this machine.

    >>> from datetime import UTC
    >>> local_time(1_700_000_000_000_000, 1_700_000_500_000_000, UTC), local_time(1_700_000_000_000_000, 0, UTC)
    ('22:13:20', '2023-11-14 22:13:20')
    """
    when = datetime.fromtimestamp(wall / MICROSECONDS, zone)
    today = datetime.fromtimestamp(at / MICROSECONDS, zone).date()
    return when.strftime("%H:%M:%S" if when.date() == today else "%Y-%m-%d %H:%M:%S")


def zone_name() -> str:
    """Return the name of this machine's zone, as `CET`."""
    return datetime.now().astimezone().tzname() or "local time"


def full_time(wall: int, zone: tzinfo | None = None) -> str:
    """Return a time with its date and zone, in a zone or in that of this machine.

    >>> from datetime import UTC
    >>> full_time(1_700_000_000_000_000, UTC)
    '2023-11-14 22:13:20 UTC'
    """
    when = datetime.fromtimestamp(wall / MICROSECONDS).astimezone(zone)
    return f"{when:%Y-%m-%d %H:%M:%S} {when.tzname() or 'local time'}"

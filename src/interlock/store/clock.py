"""Time that does not depend on the wall clock alone: each moment also includes the time since boot."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from interlock.store.connection import Connection

if TYPE_CHECKING:
    from datetime import datetime

MICROSECONDS = 1_000_000
FOREVER = 2**62


class Moment(NamedTuple):
    """A point in time: microseconds since 1970, the id of the machine's boot, and microseconds since that boot."""

    wall: int
    boot: str
    ticks: int

    def since(self, earlier: Moment) -> int:
        """Return how many microseconds have passed since an earlier moment.

        Between two moments of the same boot the wall clock plays no part, so setting it changes nothing. Across
        boots the wall clock has to do; if it went backwards, the answer is `FOREVER`, so that everything expires.
        """
        if self.boot and self.boot == earlier.boot:
            return self.ticks - earlier.ticks
        passed = self.wall - earlier.wall
        return passed if passed >= 0 else FOREVER


@cache
def _boot_id() -> str:
    """Return the id of the current boot, or an empty string where the system has none."""
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb") as file:
            return file.read().decode().strip()
    except OSError:
        return ""


def now_in(connection: Connection) -> Moment:
    """Return the current time by the clock that all users of a store share: PostgreSQL's own, or this machine's."""
    at = now()
    if connection.is_sqlite:
        return at
    return at._replace(wall=int(connection.server_time() * MICROSECONDS))


def now() -> Moment:
    """Return the current time by this machine's clock."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    ticks = time.clock_gettime_ns(clock) if clock is not None else time.monotonic_ns()
    return Moment(time.time_ns() // 1_000, _boot_id(), ticks // 1_000)


def as_datetime(wall: int) -> datetime:
    """Return a time as the policies take it, in UTC.

    >>> as_datetime(1_700_000_000_000_000).isoformat()
    '2023-11-14T22:13:20+00:00'
    """
    from datetime import UTC, datetime, timedelta  # few policies need the time

    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=wall)


def format_time(wall: int) -> str:
    """Return a time for display, in UTC.

    >>> format_time(1_700_000_000_000_000)
    '2023-11-14 22:13:20'
    """
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(wall // MICROSECONDS))

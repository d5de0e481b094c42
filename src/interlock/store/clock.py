"""Time that a jumping clock cannot cheat: the wall's, and what has passed since this machine was started."""

from __future__ import annotations

import time
from functools import cache
from typing import NamedTuple

from interlock.store.connection import Connection

MICROSECONDS = 1_000_000


class Moment(NamedTuple):
    """A point in time: microseconds since 1970, and, on the machine that took it, since it was started."""

    wall: int
    boot: str
    ticks: int

    def since(self, earlier: Moment) -> int:
        """Return how many microseconds have passed since an earlier moment.

        On one machine, between two starts of it, nobody can set that clock. Otherwise the wall's has to do, and
        where that went backwards nobody knows: then everything has run out.
        """
        if self.boot and self.boot == earlier.boot:
            return self.ticks - earlier.ticks
        passed = self.wall - earlier.wall
        return passed if passed >= 0 else FOREVER


FOREVER = 2**62


@cache
def _boot() -> str:
    """Return what names this start of this machine, or nothing where nobody tells."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def now_in(connection: Connection) -> Moment:
    """Return this moment by the clock that all who share a store go by: a server's own, else this machine's."""
    at = now()
    if connection.is_sqlite:
        return at
    seconds = connection.value("SELECT extract(epoch FROM clock_timestamp())")
    return at._replace(wall=int(seconds * MICROSECONDS))


def now() -> Moment:
    """Return this moment, by this machine's clock."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    ticks = time.clock_gettime_ns(clock) if clock is not None else time.monotonic_ns()
    return Moment(time.time_ns() // 1_000, _boot(), ticks // 1_000)


def shown_short(wall: int, at: int) -> str:
    """Return a time as a person reads it at another: without the day where it is the same.

    >>> shown_short(1_700_000_000_000_000, 1_700_000_500_000_000), shown_short(1_700_000_000_000_000, 0)
    ('22:13:20', '2023-11-14 22:13')
    """
    whole = shown(wall)
    return whole[11:] if whole[:10] == shown(at)[:10] else whole[:16]


def shown(wall: int) -> str:
    """Return a time as a person reads it, in UTC.

    >>> shown(1_700_000_000_000_000)
    '2023-11-14 22:13:20'
    """
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(wall // MICROSECONDS))

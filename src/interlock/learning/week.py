"""ISO weeks in a time zone: `2026-W46` begins on a Monday at midnight there."""

from __future__ import annotations

from datetime import date, datetime, timedelta, tzinfo

from interlock.errors import InterlockError
from interlock.metrics.local_window import LocalWindow, make_local_window
from interlock.model import Struct
from interlock.patterns import late
from interlock.sanitise import plain
from interlock.store.clock import MICROSECONDS

_NAME = late(r"(\d{4})-?W(\d{1,2})")


class Week(Struct, frozen=True, kw_only=True):
    """A week by its Monday."""

    monday: date

    def __str__(self) -> str:
        year, week, _ = self.monday.isocalendar()
        return f"{year}-W{week:02}"

    @property
    def label(self) -> str:
        """The first and the last day, as `9 to 15 November 2026`."""
        last = self.monday + timedelta(days=6)
        first = f"{self.monday.day}" + (f" {self.monday:%B}" if self.monday.month != last.month else "")
        first += f" {self.monday.year}" if self.monday.year != last.year else ""
        return f"{first} to {last.day} {last:%B %Y}"

    @property
    def before(self) -> Week:
        """The week before."""
        return Week(monday=self.monday - timedelta(days=7))

    @property
    def after(self) -> Week:
        """The week after."""
        return Week(monday=self.monday + timedelta(days=7))

    def window(self, zone: tzinfo) -> LocalWindow:
        """Return the days of the week in a zone."""
        start, end = (_midnight(week.monday, zone) for week in (self, self.after))
        return make_local_window(start, end, zone, end)


#: Years whose weeks, and those beside them, are times that every system can represent.
_YEARS = range(1971, 3000)


def _midnight(day: date, zone: tzinfo) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp()) * MICROSECONDS


def parse_week(text: str) -> Week:
    """Return the week with a name, or raise.

    >>> parse_week("2026-W46").label, str(parse_week("2026W1").before)
    ('9 to 15 November 2026', '2025-W52')
    """
    found = _NAME.fullmatch(text.strip())
    try:
        if found and int(found[1]) in _YEARS:
            return Week(monday=date.fromisocalendar(int(found[1]), int(found[2]), 1))
    except ValueError:
        pass  # there is no such week; the error below says what a week looks like
    raise InterlockError(f"`{plain(text)[:40]}` is not a week; write its year and number, such as `2026-W46`")


def last_week(at: int, zone: tzinfo) -> Week:
    """Return the last week that is over at a time."""
    return week_of(at, zone).before


def week_of(at: int, zone: tzinfo) -> Week:
    """Return the week of a time."""
    today = datetime.fromtimestamp(at / MICROSECONDS, zone).date()
    return Week(monday=today - timedelta(days=today.weekday()))

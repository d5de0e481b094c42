"""Windows of whole buckets in a reader's zone: days begin at midnight there."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from interlock.errors import InterlockError
from interlock.metrics.counters import DAY, HOUR, MINUTE, MINUTES_KEPT
from interlock.metrics.window import MAX_BUCKETS, Window
from interlock.model import Struct
from interlock.store.clock import MICROSECONDS

#: The longest span that is shown by the minute, and by the hour.
_BY_MINUTE, _BY_HOUR = 3 * HOUR, 2 * DAY
_WEEK = 7 * DAY * MICROSECONDS


class LocalWindow(Struct, frozen=True, kw_only=True):
    """A window, and when each of its buckets begins."""

    window: Window
    starts: tuple[int, ...]

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """When each bucket begins and ends."""
        return list(zip(self.starts, (*self.starts[1:], self.window.end), strict=True))

    def before(self, now: int) -> tuple[int, int, str]:
        """Return the time span to compare with, up to the same point of it, and what it is called."""
        start, end = self.window.start, min(self.window.end, now)
        if self.window.end - start <= _WEEK + DAY * MICROSECONDS:
            return start - _WEEK, end - _WEEK, "the week before"
        length = self.window.end - start
        days = round(length / (DAY * MICROSECONDS))
        return start - length, end - length, f"the {days} days before"


def make_local_window(start: int, end: int, zone: tzinfo, now: int) -> LocalWindow:
    """Return the window of all buckets that a time span touches, in buckets that suit it."""
    if start >= end:
        raise InterlockError("`from` must be before `to`")
    seconds = (end - start) // MICROSECONDS
    if seconds <= _BY_MINUTE and now - start < MINUTES_KEPT * MICROSECONDS:
        return _even(start, end, "minute", MINUTE)
    if seconds <= _BY_HOUR:
        return _even(start, end, "hour", HOUR)
    if seconds > MAX_BUCKETS * DAY:
        raise InterlockError(f"the time span is longer than {MAX_BUCKETS} days; choose a shorter one")
    return _days(start, end, zone)


def _even(start: int, end: int, bucket: str, seconds: int) -> LocalWindow:
    step = seconds * MICROSECONDS
    window = Window(start=start - start % step, end=end + -end % step, bucket=bucket)
    return LocalWindow(window=window, starts=tuple(window.bucket_starts()))


def _days(start: int, end: int, zone: tzinfo) -> LocalWindow:
    """Return whole days in a zone. Counters are by the hour, so a midnight between two hours is rounded down."""
    first = datetime.fromtimestamp(start / MICROSECONDS, zone).date()
    last = datetime.fromtimestamp((end - 1) / MICROSECONDS, zone).date()
    days = [first + timedelta(days=number) for number in range((last - first).days + 2)]
    midnights = [int(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp()) for day in days]
    starts = [midnight // HOUR * HOUR * MICROSECONDS for midnight in midnights]
    return LocalWindow(window=Window(start=starts[0], end=starts[-1], bucket="day"), starts=tuple(starts[:-1]))

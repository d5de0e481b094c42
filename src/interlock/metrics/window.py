"""Time windows of whole buckets, for metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.errors import InterlockError
from interlock.metrics.counters import DAY, HOUR, MINUTE, MINUTES_KEPT, WEEK
from interlock.model import Struct
from interlock.store.clock import MICROSECONDS

BUCKETS = {"minute": MINUTE, "hour": HOUR, "day": DAY}
MAX_BUCKETS = 400


class Window(Struct, frozen=True, kw_only=True):
    """A time span of whole buckets, the smallest unit that is counted. Times are microseconds since 1970."""

    start: int
    end: int
    bucket: str

    @property
    def seconds(self) -> int:
        """The length of a bucket."""
        return BUCKETS[self.bucket]

    def parts(self) -> Iterator[tuple[int, int, int]]:
        """Yield the counters that make up the window, as long ones as possible: their length, and from when to when."""
        return _parts(self.start, self.end, (HOUR, DAY, WEEK) if self.seconds >= HOUR else (MINUTE,))

    def bucket_starts(self) -> range:
        """Return the time at which each bucket begins."""
        return range(self.start, self.end, self.seconds * MICROSECONDS)


def _parts(start: int, end: int, grains: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the parts of a time span: in the middle whole days, say, and hours before and after them."""
    (grain, *longer), first, last = grains, end, end
    if longer:
        step = longer[0] * MICROSECONDS
        first, last = start + -start % step, end - end % step
    if first >= last:
        first = last = end
    if start < first:
        yield grain, start, first
    if first < last:
        yield from _parts(first, last, longer)
    if last < end:
        yield grain, last, end


def make_window(start: int | None, end: int | None, bucket: str | None, now: int) -> Window:
    """Return the window of all buckets that a time span touches: by default the last day, in buckets that suit it.

    >>> make_window(90_000_000, 130_000_000, "minute", 200_000_000)
    Window(start=60000000, end=180000000, bucket='minute')
    """
    end = now if end is None else end
    start = end - DAY * MICROSECONDS if start is None else start
    if start >= end:
        raise InterlockError("`from` must be before `to`")
    seconds = (end - start) // MICROSECONDS
    if bucket is None:
        recent = now - start < MINUTES_KEPT * MICROSECONDS
        bucket = "minute" if seconds <= 3 * HOUR and recent else "hour" if seconds <= 7 * DAY else "day"
    if seconds / BUCKETS[bucket] > MAX_BUCKETS:
        raise InterlockError(f"that would be more than {MAX_BUCKETS} buckets; use longer ones, or a shorter time span")
    if bucket == "minute" and now - start > MINUTES_KEPT * MICROSECONDS:
        raise InterlockError("counts by the minute are kept for two days; use `bucket=hour`")
    step = BUCKETS[bucket] * MICROSECONDS
    return Window(start=start - start % step, end=end + -end % step, bucket=bucket)

"""The period that evidence is packed for, and the records that belong to it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import msgspec

from interlock.errors import InterlockError
from interlock.store.clock import MICROSECONDS
from interlock.store.connection import Connection

#: The length of a date, which stands for a whole day.
_DATE = len("2026-01-31")


class Period(msgspec.Struct, frozen=True):
    """A span of time: `start` belongs to it, `end` does not. Microseconds since 1970, UTC."""

    start: int
    end: int

    def __contains__(self, at: object) -> bool:
        return isinstance(at, int) and self.start <= at < self.end


class RecordRange(NamedTuple):
    """The numbers of the first and the last record of a period; none if the last is before the first."""

    period: Period
    first: int
    last: int


def parse_period(since: str, until: str | None, now: int) -> Period:
    """Return the period between two dates or times in UTC. A date at the end includes that whole day.

    >>> parse_period("1970-01-01", "1970-01-01", now=0)
    Period(start=0, end=86400000000)
    """
    start = _parse(since, "--from", is_end=False)
    end = now if until is None else _parse(until, "--to", is_end=True)
    if start >= end:
        raise InterlockError("the period is empty: `--from` must be before `--to`, and not in the future")
    return Period(start, end)


def _parse(text: str, option: str, *, is_end: bool) -> int:
    try:
        found = datetime.fromisoformat(text)
        found = found if found.tzinfo else found.replace(tzinfo=UTC)
        if is_end and len(text) == _DATE:
            found += timedelta(days=1)
        return int(found.timestamp()) * MICROSECONDS + found.microsecond
    except (ValueError, OverflowError):
        example = "a date such as `2026-01-31` or a time such as `2026-01-31T08:00:00Z`"
        raise InterlockError(f"`{option}` must be {example}, found `{text}`") from None


def find_range(connection: Connection, period: Period) -> RecordRange:
    """Return the records of a period: from the first one in it to the last, without a gap.

    Clocks of servers differ, and spooled records are merged later, so one in between may bear a time outside.
    """
    first = connection.value("SELECT min(seq) FROM interlock_records WHERE at >= :start", start=period.start)
    last = connection.value("SELECT max(seq) FROM interlock_records WHERE at < :end", end=period.end)
    return RecordRange(period, first or 0, (last or 0) if first else -1)

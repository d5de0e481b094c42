"""Reading the chain: a page at a time, by run, by kind or by request, and as it grows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from interlock.audit.record import KINDS, Record
from interlock.errors import InterlockError, TamperedError, nearest
from interlock.store.connection import listed
from interlock.store.database import Database
from interlock.store.where import Where

PAGE = 500
MAX_PAGE = 5_000
_DECODER = msgspec.json.Decoder(Record)
FAMILIES = sorted({kind.partition(".")[0] for kind in KINDS})


class Line(NamedTuple):
    """A record as the chain has it: its parts, its text, and its hash."""

    record: Record
    body: str
    hash: str


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which records are wanted: of a run, of a kind (`approval` means all its steps), about a request, since a time."""

    run_id: str | None = None
    kind: str | None = None
    approval_id: str | None = None
    since: int | None = None

    def __post_init__(self) -> None:
        if self.kind is not None and self.kind not in KINDS and self.kind not in FAMILIES:
            raise InterlockError(f"there are no records of kind `{self.kind}`{nearest(self.kind, [*KINDS, *FAMILIES])}")

    @property
    def where(self) -> Where:
        """The conditions of a query for these records only."""
        where = Where().same(run_id=self.run_id, approval_id=self.approval_id)
        if self.kind is not None:
            where.add(f"kind IN {listed(k for k in KINDS if self.kind in (k, k.partition('.')[0]))}")
        if self.since is not None:
            where.add("at >= :since", since=self.since)
        return where


def page(
    database: Database, wanted: Wanted, *, after: int = 0, before: int | None = None, limit: int = PAGE
) -> list[Line]:
    """Return a page of records in their order: the first ones after a record, or, with `before`, the last before it."""
    where, most = wanted.where, min(limit, MAX_PAGE)
    if before is not None:
        rest = f"{where.add('seq < :before', before=before)} ORDER BY seq DESC"
    else:
        rest = f"{where.add('seq > :after', after=after)} ORDER BY seq"
    query = f"SELECT body, hash FROM interlock_records {rest} LIMIT :most"
    with database.read() as connection:
        found = [line_of(*row) for row in connection.tuples(query, most=most, **where.given)]
    return found[::-1] if before is not None else found


def line_of(body: str, last: str) -> Line:
    """Return a record as the chain has it."""
    try:
        return Line(_DECODER.decode(body), body, last)
    except (msgspec.DecodeError, TypeError, ValueError):
        raise TamperedError("a record cannot be read; `interlock audit verify` says which") from None


def every(database: Database, wanted: Wanted, *, after: int = 0) -> Iterator[Line]:
    """Yield every record that is wanted, a page at a time."""
    while found := page(database, wanted, after=after):
        yield from found
        after = found[-1].record.seq


def last(database: Database, wanted: Wanted, count: int) -> list[Line]:
    """Return the newest records that are wanted, in their order."""
    return page(database, wanted, before=2**62, limit=count)


def follow(database: Database, wanted: Wanted, *, after: int, seconds: float = 0.3) -> Iterator[Line]:
    """Yield records as they are written, for ever."""
    while True:
        found = page(database, wanted, after=after)
        yield from found
        if found:
            after = found[-1].record.seq
        else:
            time.sleep(seconds)

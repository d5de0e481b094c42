"""Reading the chain: a page at a time, by run, by kind or by request, and as it grows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from sqlalchemy import Select, select

from interlock.audit.record import KINDS, Record
from interlock.errors import InterlockError, TamperedError, nearest
from interlock.store.database import Database
from interlock.store.tables import records

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

    def narrow(self, query: Select[str, str]) -> Select[str, str]:
        """Return a query for these records only."""
        if self.run_id is not None:
            query = query.where(records.c.run_id == self.run_id)
        if self.kind is not None:
            query = query.where(records.c.kind.in_([k for k in KINDS if self.kind in (k, k.partition(".")[0])]))
        if self.approval_id is not None:
            query = query.where(records.c.approval_id == self.approval_id)
        if self.since is not None:
            query = query.where(records.c.at >= self.since)
        return query


def page(
    database: Database, wanted: Wanted, *, after: int = 0, before: int | None = None, limit: int = PAGE
) -> list[Line]:
    """Return a page of records in their order: the first ones after a record, or, with `before`, the last before it."""
    query = wanted.narrow(select(records.c.body, records.c.hash).limit(min(limit, MAX_PAGE)))
    if before is not None:
        query = query.where(records.c.seq < before).order_by(records.c.seq.desc())
    else:
        query = query.where(records.c.seq > after).order_by(records.c.seq)
    with database.read() as connection:
        found = [line_of(row[0], row[1]) for row in connection.execute(query)]
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

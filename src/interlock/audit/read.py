"""Reading the chain: by page, by filter, and as it grows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from interlock.audit.record import KINDS, Record
from interlock.errors import InterlockError, TamperedError, nearest
from interlock.store.connection import sql_list
from interlock.store.database import Database
from interlock.store.where import Where

PAGE = 500
MAX_PAGE = 5_000
_DECODER = msgspec.json.Decoder(Record)
FAMILIES = sorted({kind.partition(".")[0] for kind in KINDS})


class StoredRecord(NamedTuple):
    """A record as it is stored: decoded, its canonical JSON, and its hash."""

    record: Record
    body: str
    hash: str


class RecordFilter(msgspec.Struct, frozen=True, kw_only=True):
    """A filter of records. A `kind` such as `approval` includes `approval.requested` and the like."""

    run_id: str | None = None
    kind: str | None = None
    approval_id: str | None = None
    since: int | None = None

    def __post_init__(self) -> None:
        if self.kind is not None and self.kind not in KINDS and self.kind not in FAMILIES:
            raise InterlockError(f"there are no records of kind `{self.kind}`{nearest(self.kind, [*KINDS, *FAMILIES])}")

    @property
    def where(self) -> Where:
        """The conditions of a query for these records."""
        where = Where().equals(run_id=self.run_id, approval_id=self.approval_id)
        if self.kind is not None:
            where.add(f"kind IN {sql_list(k for k in KINDS if self.kind in (k, k.partition('.')[0]))}")
        if self.since is not None:
            where.add("at >= :since", since=self.since)
        return where


def read_page(
    database: Database, wanted: RecordFilter, *, after: int = 0, before: int | None = None, limit: int = PAGE
) -> list[StoredRecord]:
    """Return the first records after a sequence number, or with `before`, the last ones before it, in order."""
    where, most = wanted.where, min(limit, MAX_PAGE)
    if before is not None:
        rest = f"{where.add('seq < :before', before=before)} ORDER BY seq DESC"
    else:
        rest = f"{where.add('seq > :after', after=after)} ORDER BY seq"
    query = f"SELECT body, hash FROM interlock_records {rest} LIMIT :most"
    with database.read() as connection:
        found = [parse_record(*row) for row in connection.tuples(query, most=most, **where.given)]
    return found[::-1] if before is not None else found


def parse_record(body: str, hash_: str) -> StoredRecord:
    """Return a record from its columns, or raise if the body is not a record."""
    try:
        return StoredRecord(_DECODER.decode(body), body, hash_)
    except (msgspec.DecodeError, TypeError, ValueError):
        raise TamperedError("a record cannot be read; run `interlock audit verify`") from None


def read_all(database: Database, wanted: RecordFilter, *, after: int = 0) -> Iterator[StoredRecord]:
    """Yield all matching records in order, reading a page at a time."""
    while found := read_page(database, wanted, after=after):
        yield from found
        after = found[-1].record.seq


def read_newest(database: Database, wanted: RecordFilter, count: int) -> list[StoredRecord]:
    """Return the newest matching records, in order."""
    return read_page(database, wanted, before=2**62, limit=count)


def follow_records(
    database: Database, wanted: RecordFilter, *, after: int, seconds: float = 0.3
) -> Iterator[StoredRecord]:
    """Yield matching records as they are written, forever; look for new ones every so many seconds."""
    while True:
        found = read_page(database, wanted, after=after)
        yield from found
        if found:
            after = found[-1].record.seq
        else:
            time.sleep(seconds)

"""A scan of the whole chain: sequence, hashes, and the columns that repeat parts of each record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from interlock.audit.chain import Head
from interlock.audit.record import hash_of
from interlock.store.connection import Connection
from interlock.store.tables import records

PAGE = 5_000
_ALL = f"SELECT {', '.join(records.columns)} FROM interlock_records ORDER BY seq"
Progress = Callable[[int, int], None]


class Fault(msgspec.Struct, frozen=True, rename="camel"):
    """A fault: where it is, what is wrong, and the first record that shows it."""

    where: str
    what: str
    seq: int | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class _RepeatedFields(msgspec.Struct, rename="camel"):
    """The fields of a record that its columns repeat."""

    seq: int
    record_id: str
    at: int
    kind: str
    name: str | None
    run_id: str | None
    approval_id: str | None


_DECODER = msgspec.json.Decoder(_RepeatedFields)


class ChainScan:
    """A scan of the chain from its first record to its last.

    `expected` are hashes known from elsewhere, with their source, by the sequence number of their record.
    """

    def __init__(self, connection: Connection, end: Head, expected: dict[int, list[tuple[str, str]]]) -> None:
        self._connection, self._end, self._expected = connection, end, expected
        self.seq, self.hash, self.count = end.base_seq, end.base_hash, 0

    def run(self, progress: Progress) -> Iterator[Fault]:
        """Yield faults. The scan ends at the first broken record, because all later hashes depend on it."""
        yield from self._check_expected()
        rows = self._connection.stream(_ALL, PAGE)
        for row in rows:
            fault = self._check_row(row)
            if fault:
                rows.close()
                yield fault
                return
            self.seq, self.hash = row[0], row[-1]
            self.count += 1
            if self.count % PAGE == 0:
                progress(self.seq, self._end.seq)
            if self.seq in self._expected:
                yield from self._check_expected()
        yield from self._check_end()

    def _check_end(self) -> Iterator[Fault]:
        """Yield a fault for each sign that there were more records."""
        if (self.seq, self.hash) != (self._end.seq, self._end.hash):
            what = f"the tail is cut off: the last record is {self.seq}, but the head is signed for {self._end.seq}"
            yield Fault("chain", what, self.seq + 1)
        for seq in sorted(seq for seq in self._expected if seq > self.seq):
            source = self._expected[seq][0][0]
            yield Fault("chain", f"the tail is cut off: {source} refers to record {seq}", self.seq + 1)

    def _check_row(self, row: Any) -> Fault | None:
        """Return what is wrong with a record, or None."""
        seq, next_seq = row[0], self.seq + 1
        if seq != next_seq:
            gap = isinstance(seq, int) and seq > next_seq
            what = f"record {next_seq} is missing" if gap else f"`{seq}` is not a valid sequence number here"
            return Fault("chain", what, next_seq)
        if not isinstance(row[7], str):
            return Fault("chain", f"record {seq} cannot be read", seq)
        body = row[7].encode("utf-8", "surrogatepass")
        if hash_of(self.hash, body) != row[8]:
            return Fault("chain", f"record {seq} was changed, or the one before it was replaced", seq)
        try:
            fields = _DECODER.decode(body)
        except (msgspec.DecodeError, ValueError):
            return Fault("chain", f"record {seq} cannot be read", seq)
        return (
            None
            if tuple(row[:7]) == msgspec.structs.astuple(fields)
            else Fault("chain", f"a column of record {seq} was changed", seq)
        )

    def _check_expected(self) -> Iterator[Fault]:
        for source, known in self._expected.pop(self.seq, ()):
            if known != self.hash:
                what = f"history was rewritten before record {self.seq}: {source} has another hash"
                yield Fault("chain", what, self.seq)

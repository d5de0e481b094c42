"""A walk along the chain: each record in its place, bound to the one before, and what its columns say."""

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
    """Something that is wrong: where, what, and the first record that shows it."""

    where: str
    what: str
    seq: int | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class _Body(msgspec.Struct, rename="camel"):
    """What the columns of a record repeat of its body."""

    seq: int
    record_id: str
    at: int
    kind: str
    name: str | None
    run_id: str | None
    approval_id: str | None


_DECODER = msgspec.json.Decoder(_Body)


class Walk:
    """A walk along the chain, a page at a time."""

    def __init__(self, connection: Connection, end: Head) -> None:
        self._connection, self._end = connection, end
        self.seq, self.hash, self.count = end.base_seq, end.base_hash, 0
        self.marks: dict[int, list[tuple[str, str]]] = {}

    def run(self, progress: Progress) -> Iterator[Fault]:
        """Walk to the end; the first record that is wrong ends the walk, since all after it hang on it."""
        yield from self._marked()
        rows = self._connection.stream(_ALL, PAGE)
        for row in rows:
            fault = self._fault(row)
            if fault:
                rows.close()
                yield fault
                return
            self.seq, self.hash = row[0], row[-1]
            self.count += 1
            if self.count % PAGE == 0:
                progress(self.seq, self._end.seq)
            if self.seq in self.marks:
                yield from self._marked()
        yield from self._cut()

    def _cut(self) -> Iterator[Fault]:
        """Yield what says that the chain should be longer."""
        if (self.seq, self.hash) != (self._end.seq, self._end.hash):
            what = f"the tail is cut off: it ends at {self.seq}, and {self._end.seq} records were signed"
            yield Fault("chain", what, self.seq + 1)
        for seq in sorted(seq for seq in self.marks if seq > self.seq):
            what = f"the tail is cut off: {self.marks[seq][0][0]} knows of record {seq}"
            yield Fault("chain", what, self.seq + 1)

    def _fault(self, row: Any) -> Fault | None:
        """Return what is wrong with a record, or None."""
        seq, expected = row[0], self.seq + 1
        if seq != expected:
            gap = isinstance(seq, int) and seq > expected
            return Fault(
                "chain", f"record {expected} is missing" if gap else f"`{seq}` does not belong there", expected
            )
        if not isinstance(row[7], str):
            return Fault("chain", f"record {seq} cannot be read", seq)
        body = row[7].encode("utf-8", "surrogatepass")
        if hash_of(self.hash, body) != row[8]:
            return Fault("chain", f"record {seq} was changed, or the one before it was replaced", seq)
        try:
            told = _DECODER.decode(body)
        except (msgspec.DecodeError, ValueError):
            return Fault("chain", f"record {seq} cannot be read", seq)
        columns = (told.seq, told.record_id, told.at, told.kind, told.name, told.run_id, told.approval_id)
        return None if tuple(row[:7]) == columns else Fault("chain", f"a column of record {seq} was changed", seq)

    def _marked(self) -> Iterator[Fault]:
        for where, last in self.marks.pop(self.seq, ()):
            if last != self.hash:
                yield Fault("chain", f"history was rewritten before record {self.seq}: {where} knows another", self.seq)

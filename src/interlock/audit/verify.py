"""Proving the chain: every record in its place, every signature good, and every table what the chain says it is."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, func, select, text

from interlock.audit.anchor import Anchored, anchors
from interlock.audit.chain import Head, signed_text
from interlock.audit.keys import Ring, key_id_of
from interlock.audit.record import hash_of
from interlock.audit.rows import wrong_rows
from interlock.store.database import Database
from interlock.store.migrate import GENESIS
from interlock.store.tables import checkpoints, head, keys, records

PAGE = 5_000
_COLUMNS = "seq, record_id, at, kind, name, run_id, approval_id, body, hash"


class Fault(msgspec.Struct, frozen=True, rename="camel"):
    """Something that is wrong: where, what, and the first record that shows it."""

    where: str
    what: str
    seq: int | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class Proof(msgspec.Struct, frozen=True, rename="camel"):
    """What a verification found: how many records were proved, and what is wrong."""

    store_id: str
    records: int
    first: int
    last: int
    hash: str
    faults: tuple[Fault, ...] = ()

    @property
    def good(self) -> bool:
        """Whether everything is as it was written."""
        return not self.faults


Progress = Callable[[int, int], None]


def verify(
    database: Database,
    ring: Ring,
    *,
    folder: Path | None = None,
    kept: Anchored | None = None,
    progress: Progress = lambda _done, _all: None,
) -> Proof:
    """Prove a store. `folder` holds this machine's anchors; `kept` is a checkpoint that was kept elsewhere."""
    seen = anchors(folder) if folder else []  # before the chain is read, since others may write meanwhile
    with database.read() as connection:
        faults = list(_file_faults(connection)) if database.is_sqlite else []
        ends = connection.execute(select(*(head.c[name] for name in Head._fields))).all()
        if len(ends) != 1 or not _is_whole(end := Head(*ends[0])):
            what = "is gone" if not ends else "cannot be read" if len(ends) == 1 else "is there more than once"
            return Proof("", 0, 0, 0, GENESIS, (*faults, Fault("head", f"the end of the chain {what}")))
        walk = _Walk(connection, end)
        walk.marks = _marks(connection, end, _known(database, end, seen), kept)
        faults += walk.run(progress)
        faults += _signature_faults(connection, end, ring)
        faults += _base_faults(connection, end)
        faults += _kept_faults(end, ring, kept) if kept else ()
        faults += _gone_faults(database, end, seen)
        faults += [Fault(*found) for found in wrong_rows(connection)]
        return Proof(end.store_id, walk.count, end.base_seq + 1, walk.seq, walk.hash, tuple(faults))


def _is_whole(end: Head) -> bool:
    """Whether the end of a chain has what it should have: a file can hold anything in any column."""
    numbers = isinstance(end.seq, int) and isinstance(end.base_seq, int)
    return numbers and all(isinstance(part, str) for part in (end.store_id, end.hash, end.key_id, end.base_hash))


def _file_faults(connection: Connection) -> Iterator[Fault]:
    for (said,) in connection.execute(text("PRAGMA integrity_check(5)")):
        if said != "ok":
            yield Fault("file", f"the database file is damaged: {said}")


Seen = list[tuple[Path, Anchored | None]]


def _known(database: Database, end: Head, seen: Seen) -> list[Anchored]:
    """Return where this machine last saw this chain end, at this place: a backup of it may be older."""
    here = end.store_id, database.shown
    return [found for _, found in seen if found and (found.store_id, found.store) == here]


def _marks(
    connection: Connection, end: Head, known: list[Anchored], kept: Anchored | None
) -> dict[int, list[tuple[str, str]]]:
    """Return the hashes that are known from elsewhere, by the record that must have them."""
    marks: dict[int, list[tuple[str, str]]] = {}
    for seq, last in connection.execute(select(checkpoints.c.point, checkpoints.c.hash)):
        marks.setdefault(seq, []).append((f"checkpoint {seq}", last))
    for found in known:
        marks.setdefault(found.seq, []).append(("the anchor of this machine", found.hash))
    if kept is not None and kept.store_id == end.store_id:
        marks.setdefault(kept.seq, []).append(("the checkpoint that was kept elsewhere", kept.hash))
    return {seq: found for seq, found in marks.items() if isinstance(seq, int)}


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


class _Walk:
    """A walk along the chain, a page at a time."""

    def __init__(self, connection: Connection, end: Head) -> None:
        self._connection, self._end = connection, end
        self.seq, self.hash, self.count = end.base_seq, end.base_hash, 0
        self.marks: dict[int, list[tuple[str, str]]] = {}

    def run(self, progress: Progress) -> Iterator[Fault]:
        """Walk to the end; the first record that is wrong ends the walk, since all after it hang on it."""
        yield from self._marked()
        rows = self._rows()
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

    def _rows(self) -> Generator[Any]:
        query = f"SELECT {_COLUMNS} FROM {records.name} ORDER BY seq"  # noqa: S608 - nobody has typed any of this
        result = self._connection.execution_options(stream_results=True, yield_per=PAGE).exec_driver_sql(query)
        try:
            yield from result
        finally:
            result.close()

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


def _signature_faults(connection: Connection, end: Head, ring: Ring) -> Iterator[Fault]:
    """Yield what is wrong with the signatures: of the end, and of every checkpoint."""
    for key_id, public in connection.execute(select(keys.c.key_id, keys.c.public)):
        if not _names(key_id, public):
            yield Fault("keys", f"key `{key_id}` was changed")
    if end.seq or end.key_id:  # else nothing was ever written
        yield from _signed("the end of the chain", end.seq, ring, end.key_id, end.signature, end.text)
    query = select(checkpoints.c.point, checkpoints.c.hash, checkpoints.c.key_id, checkpoints.c.signature)
    for point, last, key_id, signature in connection.execute(query):
        signed = signed_text(end.store_id, point, last)
        yield from _signed(f"checkpoint {point}", point, ring, key_id, signature, signed)


def _names(key_id: object, public: object) -> bool:
    try:
        return key_id_of(str(public)) == key_id
    except ValueError:
        return False


def _signed(where: str, seq: int, ring: Ring, key_id: object, signature: object, signed: bytes) -> Iterator[Fault]:
    if not ring.knows(str(key_id)):
        yield Fault("keys", f"{where} is signed by `{key_id}`, whom nobody here knows; give its key with `--key`", seq)
    elif not ring.signed(str(key_id), str(signature), signed):
        yield Fault("keys", f"the signature of {where} is wrong", seq)


def _base_faults(connection: Connection, end: Head) -> Iterator[Fault]:
    """Yield what is wrong with where a pruned chain begins: a checkpoint and a record must speak for what is gone."""
    if not end.base_seq:
        return
    point = select(checkpoints.c.hash).where(checkpoints.c.point == end.base_seq)
    if connection.execute(point).scalar() != end.base_hash:
        yield Fault("chain", f"the records up to {end.base_seq} are gone, and no checkpoint speaks for them")
    told = select(func.count()).where(records.c.kind == "prune", records.c.name == str(end.base_seq))
    if not connection.execute(told).scalar():
        yield Fault("chain", f"the records up to {end.base_seq} are gone, and no record tells that they were pruned")


def _kept_faults(end: Head, ring: Ring, kept: Anchored) -> Iterator[Fault]:
    """Yield what is wrong with a checkpoint that was kept elsewhere, or why it cannot speak for this chain."""
    where = "the checkpoint that was kept elsewhere"
    if kept.store_id != end.store_id:
        yield Fault("checkpoint", f"{where} is of another chain, `{kept.store_id}`; this is `{end.store_id}`")
        return
    yield from _signed(
        where, kept.seq, ring, kept.key_id, kept.signature, signed_text(kept.store_id, kept.seq, kept.hash)
    )
    if kept.seq < end.base_seq:
        what = f"{where} is of record {kept.seq}, and those up to {end.base_seq} were pruned; keep a newer one"
        yield Fault("checkpoint", what)


def _gone_faults(database: Database, end: Head, seen: Seen) -> Iterator[Fault]:
    """Yield the chains that stood at this place before, by the anchors of this machine."""
    for file, found in seen:
        if found is None:
            yield Fault("anchor", f"`{file}` cannot be read")
        elif found.store == database.shown and found.store_id != end.store_id:
            what = f"another chain of {found.seq} records stood here before; if that was you, remove `{file}`"
            yield Fault("anchor", what)

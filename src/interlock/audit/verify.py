"""Proving the chain: every record in its place, every signature good, and every table what the chain says it is."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, select, text

from interlock.audit.anchor import Anchored, anchors
from interlock.audit.chain import signed_text
from interlock.audit.keys import Ring, key_id_of
from interlock.audit.record import hash_of
from interlock.audit.rows import wrong_rows
from interlock.store.database import Database
from interlock.store.migrate import GENESIS
from interlock.store.tables import checkpoints, head, keys

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
    with database.read() as connection:
        faults: list[Fault] = []
        if database.is_sqlite:
            faults += _file_faults(connection)
        end = connection.execute(select(head).where(head.c.id == 1)).mappings().first()
        if end is None:
            return Proof("", 0, 0, 0, GENESIS, (*faults, Fault("head", "the end of the chain is gone")))
        walk = _Walk(connection, dict(end), ring)
        walk.marks = _marks(connection, dict(end), folder, kept)
        faults += walk.run(progress)
        faults += _signature_faults(connection, dict(end), ring)
        faults += _gone_faults(database, str(end["store_id"]), folder)
        faults += [Fault(*found) for found in wrong_rows(connection)]
        return Proof(str(end["store_id"]), walk.count, int(end["base_seq"]) + 1, walk.seq, walk.hash, tuple(faults))


def _file_faults(connection: Connection) -> Iterator[Fault]:
    for (said,) in connection.execute(text("PRAGMA integrity_check(5)")):
        if said != "ok":
            yield Fault("file", f"the database file is damaged: {said}")


def _marks(
    connection: Connection, end: dict[str, Any], folder: Path | None, kept: Anchored | None
) -> dict[int, list[tuple[str, str]]]:
    """Return the hashes that are known from elsewhere, by the record that must have them."""
    marks: dict[int, list[tuple[str, str]]] = {}
    for seq, last in connection.execute(select(checkpoints.c.point, checkpoints.c.hash)):
        marks.setdefault(seq, []).append((f"checkpoint {seq}", last))
    known = [found for _, found in anchors(folder) if found] if folder else []
    for found in (*known, *([kept] if kept else [])):
        if found.store_id == end["store_id"]:
            where = "the checkpoint that was kept elsewhere" if found is kept else "the anchor of this machine"
            marks.setdefault(found.seq, []).append((where, found.hash))
    return marks


class _Walk:
    """A walk along the chain, a page at a time."""

    def __init__(self, connection: Connection, end: dict[str, Any], ring: Ring) -> None:
        self._connection, self._end, self._ring = connection, end, ring
        self.seq, self.hash, self.count = int(end["base_seq"]), str(end["base_hash"]), 0
        self.marks: dict[int, list[tuple[str, str]]] = {}

    def run(self, progress: Progress) -> Iterator[Fault]:
        """Walk to the end; the first record that is wrong ends the walk, since all after it hang on it."""
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
                progress(self.seq, int(self._end["seq"]))
            if self.seq in self.marks:
                yield from self._marked()
        if (self.seq, self.hash) != (self._end["seq"], self._end["hash"]):
            last = self._end["seq"]
            yield Fault(
                "chain", f"the tail is cut off: it ends at {self.seq}, and {last} records were signed", self.seq + 1
            )
        for seq in sorted(self.marks):
            if seq > self.seq:
                where = self.marks[seq][0][0]
                yield Fault("chain", f"the tail is cut off: {where} knows of record {seq}", self.seq + 1)

    def _rows(self) -> Generator[Any]:
        query = f"SELECT {_COLUMNS} FROM records ORDER BY seq"  # noqa: S608 - nothing here was typed by anybody
        result = self._connection.execution_options(stream_results=True, yield_per=PAGE).exec_driver_sql(query)
        try:
            yield from result
        finally:
            result.close()

    def _fault(self, row: Any) -> Fault | None:
        """Return what is wrong with a record, or None."""
        seq, expected = row[0], self.seq + 1
        if seq != expected:
            what = f"record {expected} is missing" if seq > expected else f"record {seq} does not belong there"
            return Fault("chain", what, expected)
        body = row[7].encode("utf-8", "surrogatepass")
        if hash_of(self.hash, body) != row[8]:
            return Fault("chain", f"record {seq} was changed, or the one before it was replaced", seq)
        try:
            told = _DECODER.decode(body)
        except msgspec.DecodeError:
            return Fault("chain", f"record {seq} cannot be read", seq)
        columns = (told.seq, told.record_id, told.at, told.kind, told.name, told.run_id, told.approval_id)
        if tuple(row[:7]) != columns:
            return Fault("chain", f"a column of record {seq} was changed", seq)
        return None

    def _marked(self) -> Iterator[Fault]:
        for where, last in self.marks.pop(self.seq):
            if last != self.hash:
                yield Fault("chain", f"history was rewritten before record {self.seq}: {where} knows another", self.seq)


def _signature_faults(connection: Connection, end: dict[str, Any], ring: Ring) -> Iterator[Fault]:
    """Yield what is wrong with the signatures: of the end, of every checkpoint, and of where a pruned chain begins."""
    for key_id, public in connection.execute(select(keys.c.key_id, keys.c.public)):
        if key_id_of(public) != key_id:
            yield Fault("keys", f"key `{key_id}` was changed")
    points = [("the end of the chain", end["seq"], end["hash"], end["key_id"], end["signature"])]
    query = select(checkpoints.c.point, checkpoints.c.hash, checkpoints.c.key_id, checkpoints.c.signature)
    points += [(f"checkpoint {row[0]}", *row) for row in connection.execute(query)]
    for where, seq, last, key_id, signature in points:
        if not seq and not key_id:
            continue  # nothing was ever written
        if not ring.knows(key_id):
            yield Fault(
                "keys", f"{where} is signed by `{key_id}`, whom nobody here knows; give its key with `--key`", seq
            )
        elif not ring.signed(key_id, signature, signed_text(str(end["store_id"]), seq, last)):
            yield Fault("keys", f"the signature of {where} is wrong", seq)
    base = int(end["base_seq"])
    if base and not any((seq, last) == (base, end["base_hash"]) for _, seq, last, _, _ in points[1:]):
        yield Fault("chain", f"the records up to {base} are gone, and no checkpoint speaks for them", base)


def _gone_faults(database: Database, store_id: str, folder: Path | None) -> Iterator[Fault]:
    """Yield the chains that stood at this place before, by the anchors of this machine."""
    for file, found in anchors(folder) if folder else []:
        if found is None:
            yield Fault("anchor", f"`{file}` cannot be read")
        elif found.store == database.shown and found.store_id != store_id:
            yield Fault(
                "anchor",
                f"another chain of {found.seq} records stood here before; if that was you, remove `{file}`",
            )

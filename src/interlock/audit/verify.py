"""Proving the chain: every record in its place, every signature good, and every table what the chain says it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from interlock.audit.anchor import Anchored, anchors
from interlock.audit.chain import Head, signed_text
from interlock.audit.keys import Ring, key_id_of
from interlock.audit.rows import wrong_rows
from interlock.audit.walk import Fault, Progress, Walk
from interlock.store.connection import Connection
from interlock.store.database import Database
from interlock.store.migrate import GENESIS


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
        ends = connection.tuples(f"SELECT {', '.join(Head._fields)} FROM interlock_head")
        if len(ends) != 1 or not (end := Head(*ends[0])).is_whole:
            what = "is gone" if not ends else "cannot be read" if len(ends) == 1 else "is there more than once"
            return Proof("", 0, 0, 0, GENESIS, (*faults, Fault("head", f"the end of the chain {what}")))
        walk = Walk(connection, end)
        walk.marks = _marks(connection, end, _known(database, end, seen), kept)
        faults += walk.run(progress)
        faults += _signature_faults(connection, end, ring)
        faults += _base_faults(connection, end)
        faults += _kept_faults(end, ring, kept) if kept else ()
        faults += _gone_faults(database, end, seen)
        faults += [Fault(*found) for found in wrong_rows(connection)]
        return Proof(end.store_id, walk.count, end.base_seq + 1, walk.seq, walk.hash, tuple(faults))


def _file_faults(connection: Connection) -> Iterator[Fault]:
    for said in connection.values("PRAGMA integrity_check(5)"):
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
    for seq, last in connection.tuples("SELECT point, hash FROM interlock_checkpoints"):
        marks.setdefault(seq, []).append((f"checkpoint {seq}", last))
    for found in known:
        marks.setdefault(found.seq, []).append(("the anchor of this machine", found.hash))
    if kept is not None and kept.store_id == end.store_id:
        marks.setdefault(kept.seq, []).append(("the checkpoint that was kept elsewhere", kept.hash))
    return {seq: found for seq, found in marks.items() if isinstance(seq, int)}


def _signature_faults(connection: Connection, end: Head, ring: Ring) -> Iterator[Fault]:
    """Yield what is wrong with the signatures: of the end, and of every checkpoint."""
    for key_id, public in connection.tuples("SELECT key_id, public FROM interlock_keys"):
        if not _names(key_id, public):
            yield Fault("keys", f"key `{key_id}` was changed")
        elif not ring.knows(str(key_id)):
            yield Fault("keys", f"`{key_id}` has signed here, whom nobody here knows; give its key with `--key`")
    if end.seq or end.key_id:  # else nothing was ever written
        yield from _signed("the end of the chain", end.seq, ring, end.key_id, end.signature, end.text)
    query = "SELECT point, hash, key_id, signature FROM interlock_checkpoints"
    for point, last, key_id, signature in connection.tuples(query):
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
    point = "SELECT hash FROM interlock_checkpoints WHERE point = :base"
    if connection.value(point, base=end.base_seq) != end.base_hash:
        yield Fault("chain", f"the records up to {end.base_seq} are gone, and no checkpoint speaks for them")
    told = "SELECT count(*) FROM interlock_records WHERE kind = 'prune' AND name = :base"
    if not connection.value(told, base=str(end.base_seq)):
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

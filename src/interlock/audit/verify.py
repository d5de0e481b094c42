"""Verification of a store: every record and signature, and every other table against the chain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from interlock.audit.anchor import ChainPoint, list_anchors
from interlock.audit.chain import Head, text_to_sign
from interlock.audit.chain_scan import ChainScan, Fault, Progress
from interlock.audit.keys import KeyRing, key_id_of
from interlock.audit.rows import find_row_faults
from interlock.store.connection import Connection
from interlock.store.database import Database
from interlock.store.migrate import GENESIS
from interlock.store.partitions import keep_partitions


class Proof(msgspec.Struct, frozen=True, rename="camel"):
    """The result of a verification: how many records were verified, and the faults."""

    store_id: str
    records: int
    first: int
    last: int
    hash: str
    faults: tuple[Fault, ...] = ()

    @property
    def good(self) -> bool:
        """Whether there are no faults."""
        return not self.faults


def verify(
    database: Database,
    ring: KeyRing,
    *,
    folder: Path | None = None,
    kept: ChainPoint | None = None,
    progress: Progress = lambda _done, _all: None,
) -> Proof:
    """Verify a store. `folder` has this machine's anchors; `kept` is a checkpoint that was kept elsewhere."""
    anchors = list_anchors(folder) if folder else []  # before the chain is read, since others may append meanwhile
    with database.read() as connection:
        keep_partitions(connection)
        faults = list(_file_faults(connection)) if database.is_sqlite else []
        heads = connection.tuples(f"SELECT {', '.join(Head.__struct_fields__)} FROM interlock_head")
        if len(heads) != 1 or not (end := Head(*heads[0])).is_whole:
            what = "is missing" if not heads else "cannot be read" if len(heads) == 1 else "exists more than once"
            return Proof("", 0, 0, 0, GENESIS, (*faults, Fault("head", f"the head of the chain {what}")))
        scan = ChainScan(
            connection, end, _find_expected_hashes(connection, end, _find_anchors(database, end, anchors), kept)
        )
        faults += scan.run(progress)
        faults += _signature_faults(connection, end, ring)
        faults += _base_faults(connection, end)
        faults += _find_checkpoint_faults(end, ring, kept) if kept else ()
        faults += _anchor_faults(database, end, anchors)
        faults += [Fault(*found) for found in find_row_faults(connection)]
        return Proof(end.store_id, scan.count, end.base_seq + 1, scan.seq, scan.hash, tuple(faults))


def _file_faults(connection: Connection) -> Iterator[Fault]:
    for message in connection.values("PRAGMA integrity_check(5)"):
        if message != "ok":
            yield Fault("file", f"the database file is damaged: {message}")


Anchors = list[tuple[Path, ChainPoint | None]]


def _find_anchors(database: Database, end: Head, anchors: Anchors) -> list[ChainPoint]:
    """Return this machine's anchors of this chain at this URL: a backup elsewhere may be older."""
    here = end.store_id, database.shown
    return [found for _, found in anchors if found and (found.store_id, found.store) == here]


def _find_expected_hashes(
    connection: Connection, end: Head, anchors: list[ChainPoint], kept: ChainPoint | None
) -> dict[int, list[tuple[str, str]]]:
    """Return the hashes that are known from outside the store, with their source, by sequence number."""
    expected: dict[int, list[tuple[str, str]]] = {}
    for seq, last in connection.tuples("SELECT point, hash FROM interlock_checkpoints"):
        expected.setdefault(seq, []).append((f"checkpoint {seq}", last))
    for anchor in anchors:
        expected.setdefault(anchor.seq, []).append(("the anchor of this machine", anchor.hash))
    if kept is not None and kept.store_id == end.store_id:
        expected.setdefault(kept.seq, []).append(("the checkpoint kept elsewhere", kept.hash))
    return {seq: found for seq, found in expected.items() if isinstance(seq, int)}


def _signature_faults(connection: Connection, end: Head, ring: KeyRing) -> Iterator[Fault]:
    """Yield faults of the registered keys, and of the signatures of the head and every checkpoint."""
    for key_id, public in connection.tuples("SELECT key_id, public FROM interlock_keys"):
        if not _is_id_of(key_id, public):
            yield Fault("keys", f"key `{key_id}` was changed")
        elif not ring.knows(str(key_id)):
            yield Fault("keys", f"the unknown key `{key_id}` has signed records; if you trust it, pass it with `--key`")
    if end.seq or end.key_id:  # else nothing was written yet
        yield from _check_signature("the end of the chain", end.seq, ring, end.key_id, end.signature, end.text)
    query = "SELECT point, hash, key_id, signature FROM interlock_checkpoints"
    for point, last, key_id, signature in connection.tuples(query):
        text = text_to_sign(end.store_id, point, last)
        yield from _check_signature(f"checkpoint {point}", point, ring, key_id, signature, text)


def _is_id_of(key_id: object, public: object) -> bool:
    try:
        return key_id_of(str(public)) == key_id
    except ValueError:
        return False


def _check_signature(
    where: str, seq: int, ring: KeyRing, key_id: object, signature: object, text: bytes
) -> Iterator[Fault]:
    if not ring.knows(str(key_id)):
        what = f"{where} is signed by the unknown key `{key_id}`; if you trust it, pass it with `--key`"
        yield Fault("keys", what, seq)
    elif not ring.verifies(str(key_id), str(signature), text):
        yield Fault("keys", f"the signature of {where} is wrong", seq)


def _base_faults(connection: Connection, end: Head) -> Iterator[Fault]:
    """Yield faults of the beginning of a pruned chain, which needs a checkpoint and a record of the pruning."""
    if not end.base_seq:
        return
    point = "SELECT hash FROM interlock_checkpoints WHERE point = :base"
    if connection.value(point, base=end.base_seq) != end.base_hash:
        yield Fault("chain", f"the records up to {end.base_seq} are missing, and there is no checkpoint for them")
    prunes = "SELECT count(*) FROM interlock_records WHERE kind = 'prune' AND name = :base"
    if not connection.value(prunes, base=str(end.base_seq)):
        yield Fault("chain", f"the records up to {end.base_seq} are missing, and no record says that they were pruned")


def _find_checkpoint_faults(end: Head, ring: KeyRing, kept: ChainPoint) -> Iterator[Fault]:
    """Yield faults of a checkpoint that was kept elsewhere, and reasons why it proves nothing here."""
    where = "the checkpoint kept elsewhere"
    if kept.store_id != end.store_id:
        yield Fault("checkpoint", f"{where} belongs to another chain, `{kept.store_id}`; this is `{end.store_id}`")
        return
    text = text_to_sign(kept.store_id, kept.seq, kept.hash)
    yield from _check_signature(where, kept.seq, ring, kept.key_id, kept.signature, text)
    if kept.seq < end.base_seq:
        what = f"{where} is for record {kept.seq}, and records up to {end.base_seq} were pruned; keep a newer one"
        yield Fault("checkpoint", what)


def _anchor_faults(database: Database, end: Head, anchors: Anchors) -> Iterator[Fault]:
    """Yield anchors that cannot be read, and those of other chains that were at this URL before."""
    for file, found in anchors:
        if found is None:
            yield Fault("anchor", f"`{file}` cannot be read")
        elif found.store == database.shown and found.store_id != end.store_id:
            what = f"another chain of {found.seq} records was here before; if you replaced it, remove `{file}`"
            yield Fault("anchor", what)

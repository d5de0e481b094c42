"""Verification of an export without its store: every file, proof and record, and that no file is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from interlock.audit.anchor import ChainPoint, list_anchors
from interlock.audit.chain import text_to_sign
from interlock.audit.export_proof import ENDING, digest_file
from interlock.audit.keys import KeyRing
from interlock.audit.record import hash_of
from interlock.errors import InterlockError, MissingError, TamperedError
from interlock.history.export_files import (
    MARKER,
    EndMarker,
    FileName,
    FileProof,
    day_of,
    files_of,
    find_signature_fault,
    parse_name,
    read_marker,
    read_proof,
)
from interlock.history.export_place import ExportPlace
from interlock.history.export_resume import anchor_name
from interlock.history.record_table import SCHEMA, to_records, to_table

BATCH = 5_000
Progress = Callable[[int, int], None]
#: Hashes that are known from elsewhere, each with its source, by sequence number.
KnownHashes = dict[int, list[tuple[str, str]]]
Anchors = list[tuple[Path, ChainPoint | None]]


class ExportReport(msgspec.Struct, frozen=True, rename="camel"):
    """The result of a verification: what the export holds, and the faults."""

    store_id: str
    files: int
    records: int
    first: int
    last: int
    hash: str
    faults: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        """Whether there are no faults."""
        return not self.faults


def verify_export(
    place: ExportPlace,
    ring: KeyRing,
    *,
    folder: Path | None = None,
    kept: ChainPoint | None = None,
    progress: Progress = lambda _done, _all: None,
) -> ExportReport:
    """Verify an export. `folder` has this machine's anchors; `kept` is a checkpoint that was kept elsewhere."""
    names = place.names()
    if MARKER not in names and not any(map(parse_name, names)):
        raise MissingError(f"there is no export at `{place.shown}`; `interlock history export` writes one")
    try:
        marker = read_marker(place)
    except TamperedError as error:
        return _make_unreadable_report(str(error))
    if marker is None:
        return _make_unreadable_report(f"`{MARKER}` is missing, without which the end of the export is not known")
    fault = find_signature_fault(marker, ring)
    if fault:
        return _make_unreadable_report(f"the end marker was {fault}")
    anchors = list_anchors(folder) if folder else []
    known = _find_known_points(place, marker, anchors, kept)
    scan = _ExportScan(place, ring, marker, known)
    faults = [*scan.run(names, progress)]
    faults += _stray_faults(names, scan)
    faults += _anchor_faults(place, marker, anchors)
    faults += _find_checkpoint_faults(marker, ring, kept) if kept else ()
    count = scan.seq - marker.base_seq
    return ExportReport(
        marker.store_id, len(scan.files), count, marker.base_seq + 1, scan.seq, scan.hash, tuple(faults)
    )


def _make_unreadable_report(fault: str) -> ExportReport:
    return ExportReport("", 0, 0, 0, 0, "", (fault,))


class _ExportScan:
    """A scan of all files in the order of their records."""

    def __init__(self, place: ExportPlace, ring: KeyRing, marker: EndMarker, known: KnownHashes) -> None:
        self._place, self._ring, self._marker, self._known = place, ring, marker, known
        self.seq, self.hash = marker.base_seq, marker.base_hash
        self.files = list[FileName]()

    def run(self, names: list[str], progress: Progress) -> Iterator[str]:
        """Yield faults. The scan ends at the first broken file, because all later hashes depend on it."""
        for file in files_of(names, self._marker):
            self.files.append(file)
            faults = [f"{file.name}: {fault}" for fault in self._check(file, progress)]
            if faults:
                yield from faults
                return
        later = max((seq for seq in self._known if seq > self.seq), default=None)
        if later is not None:
            why = f"{self._known[later][0][0]} is for record {later:,}"
            yield f"the files with record {self.seq + 1:,} and later are missing: {why}"

    def _check(self, file: FileName, progress: Progress) -> Iterator[str]:
        """Yield what is wrong with a file, which is read only if its proof and its digest are good."""
        proof = read_proof(self._place, file.name)
        fault = self._missing_proof(file) if proof is None else self._proof_fault(file, proof)
        if proof is None or fault:
            yield str(fault)
            return
        with self._place.fetch(file.name) as copy:
            if digest_file(copy) != proof.digest:
                yield "the file was changed after it was exported"
                return
            yield from _record_faults(copy, proof, self._known, lambda seq: progress(seq, self._marker.seq))
        self.seq, self.hash = proof.last, proof.last_hash

    def _missing_proof(self, file: FileName) -> str:
        if file.first > self._marker.seq:
            return "it has no valid proof; if an export is running or was killed, run it again"
        return "it has no valid proof"

    def _proof_fault(self, file: FileName, proof: FileProof) -> str | None:
        """Return what is wrong with a proof, or None."""
        fault = find_signature_fault(proof, self._ring)
        if fault:
            return f"its proof was {fault}"
        said = proof.name, proof.store_id, proof.first, proof.last, proof.digest[: len(file.digest)]
        if said != (file.name, self._marker.store_id, file.first, file.last, file.digest):
            return "its proof belongs to another file"
        if (proof.first, proof.before_hash) != (self.seq + 1, self.hash):
            return f"it does not follow from record {self.seq:,}, the last one before it"
        return None


def _record_faults(file: Path, proof: FileProof, known: KnownHashes, progress: Callable[[int], None]) -> Iterator[str]:
    """Yield the first record that does not follow from the one before it, or differs from its columns."""
    seq, last = proof.first - 1, proof.before_hash
    day = proof.name[4:14]
    for table in _batches(file):
        lines = list(to_records(table))
        for line in lines:
            if line.record.seq != seq + 1 or hash_of(last, line.body.encode()) != line.hash:
                yield f"record {seq + 1:,} does not follow from the one before it"
                return
            seq, last = line.record.seq, line.hash
            yield from _find_known_faults(known, seq, last)
            if day_of(line.record.at) != day:
                yield f"record {seq:,} is of another day"
                return
        if not to_table(lines).equals(table):
            yield f"a column of a record up to {seq:,} differs from the record itself"
            return
        progress(seq)
    if (seq, last, seq - proof.first + 1) != (proof.last, proof.last_hash, proof.records):
        yield f"it ends with record {seq:,}, but its proof covers {proof.last:,}"


def _batches(file: Path) -> Iterator[pa.Table]:
    """Yield the rows of a file, some at a time."""
    try:
        with pq.ParquetFile(file) as opened:
            if not opened.schema_arrow.equals(SCHEMA):
                raise InterlockError(f"`{file}` has other columns than records have")
            for batch in opened.iter_batches(batch_size=BATCH, use_threads=False):
                yield pa.Table.from_batches([batch], SCHEMA)
    except pa.ArrowException as error:
        raise InterlockError(f"`{file}` cannot be read: {str(error)[:200]}") from None


def _find_known_faults(known: KnownHashes, seq: int, last: str) -> Iterator[str]:
    for source, expected in known.pop(seq, ()):
        if expected != last:
            yield f"history was rewritten before record {seq:,}: {source} has another hash"


def _find_known_points(place: ExportPlace, marker: EndMarker, anchors: Anchors, kept: ChainPoint | None) -> KnownHashes:
    """Return the points of the chain that are known from elsewhere: anchors of this machine, and a checkpoint.

    A store goes on after an export, so of its anchors only those within the export count. The anchor of the export
    itself says how far it went.
    """
    known: KnownHashes = {marker.seq: [("the end marker", marker.hash)]}
    for _, anchor in anchors:
        if anchor is None or anchor.store_id != marker.store_id:
            continue
        own = anchor.store == anchor_name(place)
        if own or anchor.seq <= marker.seq:
            source = "this machine's note of its last export" if own else "an anchor of this machine"
            known.setdefault(anchor.seq, []).append((source, anchor.hash))
    if kept is not None and kept.store_id == marker.store_id:
        known.setdefault(kept.seq, []).append(("the checkpoint kept elsewhere", kept.hash))
    return {seq: points for seq, points in known.items() if seq > marker.base_seq}


def _anchor_faults(place: ExportPlace, marker: EndMarker, anchors: Anchors) -> Iterator[str]:
    """Yield anchors of other stores that this machine exported to the same place."""
    for file, anchor in anchors:
        if anchor is not None and anchor.store == anchor_name(place) and anchor.store_id != marker.store_id:
            yield f"this machine exported another store here before; if you replaced it, remove `{file}`"


def _find_checkpoint_faults(marker: EndMarker, ring: KeyRing, kept: ChainPoint) -> Iterator[str]:
    """Yield reasons why a checkpoint proves nothing here."""
    where = "the checkpoint kept elsewhere"
    if kept.store_id != marker.store_id:
        yield f"{where} belongs to another chain, `{kept.store_id}`"
    elif not ring.verifies(kept.key_id, kept.signature, text_to_sign(kept.store_id, kept.seq, kept.hash)):
        yield f"{where} was changed, or is signed by the unknown key {kept.key_id}"
    elif kept.seq <= marker.base_seq:
        yield f"{where} is for record {kept.seq:,}, and the export begins after {marker.base_seq:,}"


def _stray_faults(names: list[str], scan: _ExportScan) -> Iterator[str]:
    """Yield files that do not belong to the export: other programs would read their rows as well.

    Files after the end of the scan are not listed: what ended it explains them.
    """
    chosen, present = {file.name for file in scan.files}, set(names)
    for name in names:
        file = parse_name(name)
        if name.endswith(".parquet") and name not in chosen and (file is None or file.first <= scan.seq):
            yield f"{name}: it is not part of the export"
        elif name.endswith(ENDING) and name.removesuffix(ENDING) not in present:
            yield f"{name.removesuffix(ENDING)}: the file is missing, but its proof is there"

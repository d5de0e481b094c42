"""`Exporter`: the records of a store as Parquet, partitioned by day, each file with its proof."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
import pyarrow.parquet as pq

from interlock.audit.anchor import Anchor
from interlock.audit.chain import Head, Transaction, text_to_sign
from interlock.audit.export_proof import ENDING, ExportWatch
from interlock.audit.journal import Journal
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.read import RecordFilter, StoredRecord, read_all
from interlock.audit.record import hash_of
from interlock.errors import TamperedError
from interlock.history.export_files import (
    MARKER,
    EndMarker,
    FileProof,
    day_of,
    encode_proof,
    file_name,
    sign_proof,
)
from interlock.history.export_lock import lock_place
from interlock.history.export_place import ExportPlace
from interlock.history.export_resume import anchor_name, find_end, remove_copies
from interlock.history.record_table import SCHEMA, to_table
from interlock.store.clock import now

#: A file has at most so many records; a row group, so many records and characters, which bounds memory.
FILE_RECORDS = 250_000
GROUP_RECORDS = 10_000
GROUP_CHARACTERS = 16_000_000
DAY = 86_400_000_000
Progress = Callable[[int, int], None]


class ExportResult(msgspec.Struct, frozen=True, rename="camel"):
    """What an export wrote: files and records, and the last record that the place now holds."""

    files: int
    records: int
    last: int
    hash: str


class Exporter:
    """An export of one store to one place. `ring` are the keys whose earlier files it continues."""

    def __init__(self, journal: Journal, key: SigningKey, ring: KeyRing, place: ExportPlace, folder: Path) -> None:
        self._journal, self._key, self._ring, self._place = journal, key, ring, place
        self._anchor = Anchor(folder, journal.store_id, anchor_name(place))

    def run(self, progress: Progress = lambda _done, _all: None) -> ExportResult:
        """Write the records that the place does not hold yet, and return what was written."""
        with lock_place(self._place) as lock:
            end = self._journal.commit(_read_trusted_end)  # not before: another export may have gone further meanwhile
            found = find_end(self._place, self._journal.database, end, self._ring)
            marker = found or self._mark(end, end.base_seq, end.base_hash)
            if not marker.signature:  # files of a killed export were found after it
                marker = self._mark(marker, marker.seq, marker.hash)
            files, start = 0, marker.seq
            for part in self._parts(marker, end):
                lock.renew()
                proof = self._write_part(part, marker.hash, lambda seq: progress(seq - start, end.seq - start))
                marker = self._mark(marker, proof.last, proof.last_hash)
                files += 1
            if (marker.seq, marker.hash) != (end.seq, end.hash):
                raise _broken_chain_error(marker.seq + 1)
            remove_copies(self._place, marker, self._ring)
        self._move_anchor(marker)
        return ExportResult(files, marker.seq - start, marker.seq, marker.hash)

    def _parts(self, marker: EndMarker, end: Head) -> Iterator[Iterator[StoredRecord]]:
        """Yield the records of each new file: of one day, and not too many."""
        lines = read_all(self._journal.database, RecordFilter(), after=marker.seq)
        linked = _check_links(itertools.takewhile(lambda line: line.record.seq <= end.seq, lines), marker)
        for _, part in itertools.groupby(linked, key=_part_of):
            yield part

    def _write_part(
        self, lines: Iterator[StoredRecord], before_hash: str, progress: Callable[[int], None]
    ) -> FileProof:
        """Write a file and its proof."""
        with self._place.draft() as draft:
            first = next(lines)
            watch = ExportWatch()
            with self._place.errors("written"), pq.ParquetWriter(draft, SCHEMA, compression="zstd") as writer:
                for group in _groups(watch.watch(itertools.chain([first], lines))):
                    writer.write_table(to_table(group), row_group_size=len(group))
                    progress(watch.last)
            proved = watch.prove(draft, "parquet", self._journal.store_id, now().wall, self._key)
            name = file_name(day_of(first.record.at), proved.first, proved.last, proved.digest)
            self._place.put(draft, name)
        fields = msgspec.structs.asdict(proved) | {"name": name, "before_hash": before_hash}
        proof = sign_proof(FileProof(**fields), self._key)
        self._place.write(name + ENDING, encode_proof(proof))
        return proof

    def _mark(self, start: Head | EndMarker, seq: int, last: str) -> EndMarker:
        """Sign and store a new end of the export."""
        unsigned = EndMarker(
            store_id=self._journal.store_id,
            base_seq=start.base_seq,
            base_hash=start.base_hash,
            seq=seq,
            hash=last,
            at=now().wall,
            key_id=self._key.key_id,
        )
        marker = sign_proof(unsigned, self._key)
        self._place.write(MARKER, encode_proof(marker))
        return marker

    def _move_anchor(self, marker: EndMarker) -> None:
        """Store the end of the export on this machine, so that a later removal of its tail is noticed."""
        signature = self._key.sign(text_to_sign(marker.store_id, marker.seq, marker.hash))
        key_id, base = self._key.key_id, (marker.base_seq, marker.base_hash)
        self._anchor.move(Head(marker.store_id, marker.seq, marker.hash, key_id, signature, *base))


def _read_trusted_end(transaction: Transaction) -> Head:
    """Return the end of the chain; the transaction has checked its signature, and that nothing was cut off."""
    return transaction.before


def _check_links(lines: Iterable[StoredRecord], marker: EndMarker) -> Iterator[StoredRecord]:
    """Yield records as long as each follows from the one before it, and raise otherwise."""
    seq, last = marker.seq, marker.hash
    for line in lines:
        if line.record.seq != seq + 1 or hash_of(last, line.body.encode()) != line.hash:
            raise _broken_chain_error(seq + 1)
        seq, last = line.record.seq, line.hash
        yield line


def _broken_chain_error(seq: int) -> TamperedError:
    return TamperedError(f"record {seq} does not follow from the one before it; run `interlock audit verify`")


def _part_of(line: StoredRecord) -> tuple[int, int]:
    return line.record.at // DAY, line.record.seq // FILE_RECORDS


def _groups(lines: Iterable[StoredRecord]) -> Iterator[list[StoredRecord]]:
    """Yield lists of records that are short enough to be in memory together."""
    group, size = list[StoredRecord](), 0
    for line in lines:
        group.append(line)
        size += len(line.body)
        if len(group) >= GROUP_RECORDS or size >= GROUP_CHARACTERS:
            yield group
            group, size = [], 0
    if group:
        yield group

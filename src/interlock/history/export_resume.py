"""Find where an export continues: the last exported record, verified and compared with the chain."""

from __future__ import annotations

from interlock.audit.chain import Head
from interlock.audit.export_proof import ENDING, digest_file
from interlock.audit.keys import KeyRing
from interlock.errors import InterlockError, TamperedError
from interlock.history.export_files import (
    MARKER,
    EndMarker,
    FileName,
    FileProof,
    files_of,
    find_signature_fault,
    parse_name,
    read_marker,
    read_proof,
)
from interlock.history.export_place import ExportPlace
from interlock.store.database import Database

_HASH = "SELECT hash FROM interlock_records WHERE seq = :seq"


def anchor_name(place: ExportPlace) -> str:
    """Return the name under which a machine remembers the end of an export."""
    return f"history of {place.shown}"


def find_end(place: ExportPlace, database: Database, end: Head, ring: KeyRing) -> EndMarker | None:
    """Return the end of the export at a place, or None if there is none yet; raise if it cannot be continued.

    A file whose export was killed before it moved the end marker counts if its proof is good; else it is removed.
    """
    names, marker = place.names(), read_marker(place)
    if marker is None:
        if any(map(parse_name, names)):
            raise InterlockError(
                f"`{place.shown}` has files of an export, but no `{MARKER}`; {_suggest_verification(place)}"
            )
        return None
    fault = find_signature_fault(marker, ring)
    if fault:
        raise TamperedError(f"the end marker of `{place.shown}` was {fault}")
    if marker.store_id != end.store_id:
        raise InterlockError(f"`{place.shown}` holds the history of another store; name another place")
    files = files_of(names, marker)
    known = [file for file in files if file.last <= marker.seq]
    if marker.seq > marker.base_seq and not (known and _ends_at(place, known[-1], marker, ring)):
        raise TamperedError(
            f"the newest file of `{place.shown}` is missing or was changed; {_suggest_verification(place)}"
        )
    marker = _adopt(place, marker, files[len(known) :], ring)
    _check_chain(place, database, marker, end)
    return marker


def remove_copies(place: ExportPlace, marker: EndMarker, ring: KeyRing) -> None:
    """Remove files whose records are in other files as well: two exports at once have written them."""
    names = place.names()
    chosen = {file.name for file in files_of(names, marker)}
    for name in names:
        file = parse_name(name)
        if file is None or name in chosen or file.last > marker.seq:
            continue
        if read_good_proof(place, file, ring) is not None:
            place.remove(name)
            place.remove(name + ENDING)


def read_good_proof(place: ExportPlace, file: FileName, ring: KeyRing) -> FileProof | None:
    """Return the proof of a file if it is signed by an accepted key and about this very name, or None."""
    proof = read_proof(place, file.name)
    if proof is None or proof.name != file.name or find_signature_fault(proof, ring):
        return None
    return proof


def _ends_at(place: ExportPlace, file: FileName, marker: EndMarker, ring: KeyRing) -> bool:
    """Whether a file is unchanged, and ends where the marker says."""
    proof = read_good_proof(place, file, ring)
    if proof is None or (proof.last, proof.last_hash) != (marker.seq, marker.hash):
        return False
    with place.fetch(file.name) as copy:
        return digest_file(copy) == proof.digest


def _adopt(place: ExportPlace, marker: EndMarker, files: list[FileName], ring: KeyRing) -> EndMarker:
    """Return the end with the files after the marker, which a killed export left behind."""
    for file in files:
        if place.read(file.name + ENDING) is None:
            place.remove(file.name)  # it was killed before it wrote the proof: the records are written again
            break
        proof = read_good_proof(place, file, ring)
        if proof is None:
            raise TamperedError(
                f"the proof of `{place.shown}/{file.name}` is not valid; {_suggest_verification(place)}"
            )
        after = EndMarker(
            store_id=marker.store_id,
            base_seq=marker.base_seq,
            base_hash=marker.base_hash,
            seq=proof.last,
            hash=proof.last_hash,
            at=proof.at,
            key_id=proof.key_id,
        )
        if proof.before_hash != marker.hash or not _ends_at(place, file, after, ring):
            raise TamperedError(f"`{place.shown}/{file.name}` was changed; {_suggest_verification(place)}")
        marker = after
    return marker


def _check_chain(place: ExportPlace, database: Database, marker: EndMarker, end: Head) -> None:
    """Raise if the export does not match the chain, or if records after its end were pruned."""
    if marker.seq < end.base_seq:
        gap = f"records {marker.seq + 1:,} to {end.base_seq:,} were pruned before they were exported to `{place.shown}`"
        raise InterlockError(f"{gap}; export to another place")
    if marker.seq == end.base_seq:
        known = end.base_hash
    else:
        with database.read() as connection:
            known = connection.value(_HASH, seq=marker.seq)
    if marker.seq > end.seq or known != marker.hash:
        what = f"`{place.shown}` ends with record {marker.seq:,}, which this store does not have"
        raise TamperedError(f"{what}: the store was cut, replaced or rewritten; run `interlock audit verify`")


def _suggest_verification(place: ExportPlace) -> str:
    return f"run `interlock audit verify {place.shown}`"

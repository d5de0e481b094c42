"""The files of an export: their names, the signed proof beside each, and the signed end marker.

The proofs form a chain: each names the hash of the record before its first one, which is the last of the file before
it. The end marker names the last record of all, so that files can be neither removed nor cut off at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from interlock.audit.export_proof import ENDING, ExportProof
from interlock.audit.keys import KeyRing, SigningKey
from interlock.errors import TamperedError
from interlock.history.export_place import ExportPlace
from interlock.model import Struct
from interlock.patterns import late
from interlock.store.clock import as_datetime

#: The name of the end marker.
MARKER = "interlock-history.json"
_NAME = late(r"day=(\d{4}-\d\d-\d\d)/(\d{12,19})-(\d{12,19})-([0-9a-f]{16})\.parquet")


class FileProof(ExportProof, frozen=True, kw_only=True):
    """The signed content of the proof of a Parquet file: where it belongs, and what it follows.

    `before_hash` is the hash of the record before its first one.
    """

    name: str
    before_hash: str


class EndMarker(Struct, frozen=True, kw_only=True):
    """The signed end of an export: the record before its first one (`base`), and its last one."""

    store_id: str
    base_seq: int
    base_hash: str
    seq: int
    hash: str
    at: int
    key_id: str
    signature: str = ""

    @property
    def text(self) -> bytes:
        """The text that is signed."""
        return b"interlock history " + msgspec.json.encode(msgspec.structs.replace(self, signature=""), order="sorted")


class FileName(Struct, frozen=True, kw_only=True):
    """The parts of a file name: its day, its first and last record, and the beginning of its digest."""

    name: str
    day: str
    first: int
    last: int
    digest: str


Signed = TypeVar("Signed", FileProof, EndMarker)


def day_of(at: int) -> str:
    """Return the day of a time, in UTC.

    >>> day_of(1_700_000_000_000_000)
    '2023-11-14'
    """
    return as_datetime(at).date().isoformat()


def file_name(day: str, first: int, last: int, digest: str) -> str:
    """Return the name of a file. Two exports of the same records at once write two names, or the same file.

    >>> file_name("2026-01-31", 1, 250, "0123456789abcdef" * 4)
    'day=2026-01-31/000000000001-000000000250-0123456789abcdef.parquet'
    """
    return f"day={day}/{first:012}-{last:012}-{digest[:16]}.parquet"


def parse_name(name: str) -> FileName | None:
    """Return the parts of a file name, or None if no export has written it."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    return FileName(name=name, day=found[1], first=int(found[2]), last=int(found[3]), digest=found[4])


def choose_files(names: Iterable[str], base: int) -> list[FileName]:
    """Return files that contain each record after `base` once, in order, as far as they go without a gap.

    Other files repeat some of these records: concurrent exports can leave them if the place cannot be locked.
    """
    best: dict[int, tuple[int, FileName]] = {}  # by its first record: how far a file and those after it reach
    found = [file for file in map(parse_name, names) if file is not None and file.last >= file.first]
    for file in sorted(found, key=lambda file: (-file.first, file.name)):
        reach = best[file.last + 1][0] if file.last + 1 in best else file.last
        if file.first not in best or best[file.first][0] < reach:
            best[file.first] = reach, file
    chosen, seq = list[FileName](), base
    while seq + 1 in best:
        chosen.append(best[seq + 1][1])
        seq = chosen[-1].last
    return chosen


def files_of(names: Sequence[str], marker: EndMarker) -> list[FileName]:
    """Return the files of an export in order: up to its end marker, and after it those that an export is writing."""
    known = choose_files((name for name in names if _ends_by(name, marker.seq)), marker.base_seq)
    if marker.seq == (known[-1].last if known else marker.base_seq):
        return known + choose_files(names, marker.seq)
    return choose_files(names, marker.base_seq)


def _ends_by(name: str, seq: int) -> bool:
    file = parse_name(name)
    return file is not None and file.last <= seq


def sign_proof(unsigned: Signed, key: SigningKey) -> Signed:
    """Return a proof or an end marker with its signature."""
    return msgspec.structs.replace(unsigned, signature=key.sign(unsigned.text))


def find_signature_fault(signed: FileProof | EndMarker, ring: KeyRing) -> str | None:
    """Return what is wrong with a signature, or None."""
    if not ring.knows(signed.key_id):
        return f"signed by the unknown key {signed.key_id}; `--key` accepts one"
    is_lower = signed.signature == signed.signature.lower()  # hexadecimal has two spellings
    if not is_lower or not ring.verifies(signed.key_id, signed.signature, signed.text):
        return "changed after it was signed"
    return None


def read_proof(place: ExportPlace, name: str) -> FileProof | None:
    """Return the proof of a file, or None if there is none or it cannot be read."""
    return _decode(place.read(name + ENDING), FileProof)


def read_marker(place: ExportPlace) -> EndMarker | None:
    """Return the end marker, or None if there is none; raise if it cannot be read."""
    data = place.read(MARKER)
    if data is None:
        return None
    found = _decode(data, EndMarker)
    if found is None:
        raise TamperedError(f"`{MARKER}` at `{place.shown}` is not an end marker: it was changed")
    return found


def encode_proof(signed: FileProof | EndMarker) -> bytes:
    """Return a proof or an end marker as it is stored."""
    return msgspec.json.encode(signed) + b"\n"


def _decode(data: bytes | None, type_: type[Signed]) -> Signed | None:
    """Return the stored proof or marker; None if there is none, or if it is not exactly as `encode_proof` writes it."""
    try:
        found = None if data is None else msgspec.json.decode(data, type=type_)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return found if found is not None and encode_proof(found) == data else None

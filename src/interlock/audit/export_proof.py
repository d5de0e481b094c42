"""Proofs of exported files: a signature that ties a file to the chain, so that it can be verified without the store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.read import StoredRecord
from interlock.audit.record import hash_of
from interlock.errors import InterlockError
from interlock.model import Struct

#: The suffix of a proof's file name.
ENDING = ".proof"


class ExportProof(Struct, frozen=True, kw_only=True):
    """The signed content of a proof: the file's digest, the store, and the range of records in the file.

    `complete` says that no record between the first and the last was left out.
    """

    store_id: str
    format: str
    digest: str
    records: int
    first: int
    last: int
    last_hash: str
    complete: bool
    at: int
    key_id: str
    signature: str = ""

    @property
    def text(self) -> bytes:
        """The text that is signed."""
        return b"interlock export " + msgspec.json.encode(msgspec.structs.replace(self, signature=""), order="sorted")


class ExportWatch:
    """Tracks the range of records in an export."""

    def __init__(self) -> None:
        self.records, self.first, self.last, self.last_hash, self.complete = 0, 0, 0, "", True

    def watch(self, lines: Iterable[StoredRecord]) -> Iterator[StoredRecord]:
        """Yield the records of an export."""
        for line in lines:
            seq = line.record.seq
            self.complete = self.complete and (not self.records or seq == self.last + 1)
            self.first = self.first or seq
            self.records, self.last, self.last_hash = self.records + 1, seq, line.hash
            yield line

    def prove(self, file: Path, format_: str, store_id: str, at: int, key: SigningKey) -> ExportProof:
        """Return the signed proof of a file that these records were written to."""
        unsigned = ExportProof(
            store_id=store_id,
            format=format_,
            digest=digest_file(file),
            records=self.records,
            first=self.first,
            last=self.last,
            last_hash=self.last_hash,
            complete=self.complete,
            at=at,
            key_id=key.key_id,
        )
        return msgspec.structs.replace(unsigned, signature=key.sign(unsigned.text))


def digest_file(file: Path) -> str:
    """Return the digest of a file."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def verify_file(file: Path, ring: KeyRing) -> tuple[ExportProof, list[str]]:
    """Return the proof of an exported file, and the faults of the file."""
    try:
        proof = msgspec.json.decode(Path(f"{file}{ENDING}").read_bytes(), type=ExportProof)
    except OSError as error:
        if not file.exists():
            raise InterlockError(f"`{file}` does not exist, neither as a file nor as an export") from None
        how = "`interlock audit export --out` writes it"
        raise InterlockError(f"`{file}{ENDING}` cannot be read: {error.strerror}; {how}") from None
    except msgspec.MsgspecError:
        raise InterlockError(f"`{file}{ENDING}` is not a proof; `audit export --out` writes one") from None
    faults = []
    if not ring.knows(proof.key_id):
        faults.append(f"the proof is signed by the unknown key {proof.key_id}; `--key` accepts one")
    elif not ring.verifies(proof.key_id, proof.signature, proof.text):
        faults.append("the signature of the proof is wrong: the proof was changed")
    try:
        if digest_file(file) != proof.digest:
            faults.append("the file was changed after it was exported")
        if proof.format == "jsonl" and proof.complete:
            faults += _find_broken_links(file, proof)
    except OSError as error:
        raise InterlockError(f"`{file}` cannot be read: {error.strerror}") from None
    return proof, faults


def _find_broken_links(file: Path, proof: ExportProof) -> list[str]:
    """Return the first line whose hash does not follow from the line before it."""
    before, count = "", 0
    with file.open(encoding="utf-8") as lines:
        for count, line in enumerate(lines, 1):
            body, _, rest = line.rstrip("\n").rpartition(',"hash":"')
            found = rest.removesuffix('"}')
            if before and hash_of(before, f"{body}}}".encode()) != found:
                return [f"line {count} does not follow from the one before it"]
            before = found
    if (before, count) != (proof.last_hash, proof.records):
        return [f"the file has {count:,} records, but its proof covers {proof.records:,}"]
    return []

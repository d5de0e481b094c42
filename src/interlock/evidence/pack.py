"""Pack evidence: write the files of a period to a folder or a ZIP file, with a signed manifest."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import msgspec

from interlock.audit.anchor import ChainPoint
from interlock.audit.chain import Head, read_head, text_to_sign
from interlock.audit.export_proof import ENDING
from interlock.audit.journal import Journal
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.verify import Proof, verify
from interlock.config.schema import Config
from interlock.errors import InterlockError
from interlock.evidence.approvals_file import write_approvals
from interlock.evidence.files import MANIFEST, README, RECORDS
from interlock.evidence.manifest import FORMAT, Manifest, list_pack_files
from interlock.evidence.period import Period, find_range
from interlock.evidence.readme import readme
from interlock.evidence.record_files import Progress, WrittenRecords, write_records
from interlock.evidence.state_files import encode_json, retention_file, state_files
from interlock.version import VERSION

ZIP = ".zip"
#: The time of every file in a ZIP file, so that equal content gives equal bytes.
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)


class EvidenceSource(msgspec.Struct, frozen=True):
    """The store that evidence is taken from, and who signs. `folder` has the anchors of this machine."""

    journal: Journal
    config: Config
    key: SigningKey
    key_ring: KeyRing
    folder: Path


def pack_evidence(source: EvidenceSource, period: Period, out: Path, at: int, progress: Progress) -> Manifest:
    """Pack the evidence of a period into a folder, or a ZIP file if the name ends in `.zip`. It must not exist."""
    if out.exists():
        raise InterlockError(f"`{out}` already exists; evidence does not overwrite anything")
    try:
        with tempfile.TemporaryDirectory(prefix=".interlock-evidence-", dir=out.absolute().parent) as made:
            folder = Path(made) / "pack"
            folder.mkdir(mode=0o700)
            manifest = _write_files(source, period, folder, at, progress)
            if out.suffix == ZIP:
                _zip(folder, Path(made) / "pack.zip")
                (Path(made) / "pack.zip").rename(out)
            else:
                shutil.move(folder, out)
    except OSError as error:
        raise InterlockError(f"`{out}` cannot be written: {error.strerror}") from None
    return manifest


class _PackContent(msgspec.Struct, frozen=True):
    """The content of a pack, as read from the store."""

    head: Head
    proof: Proof
    written: WrittenRecords
    requests: int
    states: dict[str, Any]


def _write_files(source: EvidenceSource, period: Period, folder: Path, at: int, progress: Progress) -> Manifest:
    """Write every file of a pack into an empty folder; return its manifest."""
    found = _read_store(source, period, folder, at, progress)
    for name, content in found.states.items():
        (folder / name).write_bytes(encode_json(content))
    (folder / f"{RECORDS}{ENDING}").write_bytes(msgspec.json.encode(found.written.proof) + b"\n")
    if found.proof.good:  # signing the end of a faulty chain would make the faults look valid later
        (folder / "checkpoint.json").write_bytes(msgspec.json.encode(_checkpoint(found.head, source.key)) + b"\n")
    page = readme(found.head.store_id, period, at, VERSION, found.proof, _figures(found.written, found.requests))
    (folder / README).write_text(page, "utf-8")
    manifest = Manifest(
        format=FORMAT,
        store_id=found.head.store_id,
        period=period,
        at=at,
        version=VERSION,
        records=found.written.proof.records,
        verified=found.proof.good,
        files=list_pack_files(folder),
        key_id=source.key.key_id,
        public_key=source.key.public,
    ).sign(source.key)
    (folder / MANIFEST).write_bytes(encode_json(manifest))
    return manifest


def _read_store(source: EvidenceSource, period: Period, folder: Path, at: int, progress: Progress) -> _PackContent:
    """Verify the store, write the files of records and requests, and return the rest."""
    journal, database = source.journal, source.journal.database
    proof = verify(database, source.key_ring, folder=source.folder, progress=progress)
    with database.read() as connection:
        head, wanted = read_head(connection), find_range(connection, period)
    written = write_records(database, wanted, folder, (head.store_id, at, source.key), progress)
    requests = write_approvals(database, period, folder / "approvals.jsonl")
    states = {
        "verification.json": {**msgspec.to_builtins(proof), "good": proof.good},
        "counts.json": written.counts.table,
        "retention.json": retention_file(journal, source.config, written.counts.removals),
        **state_files(journal, source.config, wanted),
    }
    return _PackContent(head, proof, written, requests, states)


def _checkpoint(head: Head, key: SigningKey) -> ChainPoint:
    """Return the end of the chain, signed as `interlock audit checkpoint` signs it, but without a record of it."""
    signature = key.sign(text_to_sign(head.store_id, head.seq, head.hash))
    return ChainPoint(head.store_id, head.seq, head.hash, key.key_id, signature)


def _figures(written: WrittenRecords, requests: int) -> dict[str, int]:
    """Return the figures of the first page."""
    table = written.counts.table
    verdicts = {f"Actions: {name.replace('_', ' ')}": number for name, number in table["verdict"].items()}
    return {"Records": written.proof.records, "Actions": table["decisions"], **verdicts, "Approval requests": requests}


def _zip(folder: Path, file: Path) -> None:
    """Write a folder as a reproducible ZIP file: the same content gives the same bytes."""
    with zipfile.ZipFile(file, "x", zipfile.ZIP_DEFLATED, strict_timestamps=True) as archive:
        for one in sorted(folder.iterdir(), key=lambda one: one.name):
            entry = zipfile.ZipInfo(one.name, _ZIP_TIME)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            with one.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
                shutil.copyfileobj(source, target, 1 << 20)

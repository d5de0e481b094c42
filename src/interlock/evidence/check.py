"""Verify a pack without the store: its signature, every digest, and the chain of its records."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path
from typing import IO

import msgspec

from interlock.audit.export_proof import digest_file, verify_file
from interlock.audit.keys import KeyRing
from interlock.errors import InterlockError
from interlock.evidence.files import MANIFEST, RECORDS
from interlock.evidence.manifest import FORMAT, ListedFile, Manifest, find_signature_faults
from interlock.evidence.pack import ZIP

#: A manifest lists about twenty files.
_MAX_MANIFEST = 1 << 20
_CHUNK = 1 << 20


def verify_evidence(file: Path, key_ring: KeyRing) -> tuple[Manifest, list[str]]:
    """Return the manifest of a folder or ZIP file, and everything that is wrong with the pack."""
    try:
        if file.is_dir():
            return _verify_folder(file, key_ring)
        with tempfile.TemporaryDirectory(prefix="interlock-evidence-") as folder, zipfile.ZipFile(file) as archive:
            faults = _unpack(archive, Path(folder))
            manifest, more = _verify_folder(Path(folder), key_ring)
            return manifest, faults + more
    except (zipfile.BadZipFile, EOFError, NotImplementedError):
        raise InterlockError(f"`{file}` is not a pack; `interlock evidence` writes a folder or a {ZIP} file") from None
    except OSError as error:
        raise InterlockError(f"`{file}` cannot be read: {error.strerror}") from None


def _verify_folder(folder: Path, key_ring: KeyRing) -> tuple[Manifest, list[str]]:
    manifest = _read_manifest(folder)
    faults = find_signature_faults(manifest, key_ring)
    listed = {one.name: one for one in manifest.files}
    present = {one.name for one in folder.iterdir()} - {MANIFEST}
    faults += [f"`{name}` is not in the manifest" for name in sorted(present - set(listed))]
    for name, one in listed.items():
        faults += _find_file_faults(folder / name, one) if name in present else [f"`{name}` is missing"]
    if RECORDS in present and not faults:
        proof, wrong = verify_file(folder / RECORDS, key_ring)
        faults += wrong
        if (proof.store_id, proof.records) != (manifest.store_id, manifest.records):
            faults.append(f"`{RECORDS}` belongs to another pack")
    if not manifest.verified:
        faults.append("the store was not verified when this was packed; `verification.json` says why")
    return manifest, faults


def _read_manifest(folder: Path) -> Manifest:
    try:
        with (folder / MANIFEST).open("rb") as opened:
            manifest = msgspec.json.decode(opened.read(_MAX_MANIFEST), type=Manifest)
    except FileNotFoundError:
        raise InterlockError(f"there is no `{MANIFEST}`; `interlock evidence` writes it") from None
    except msgspec.MsgspecError:
        raise InterlockError(f"`{MANIFEST}` is not a manifest; `interlock evidence` writes one") from None
    if manifest.format != FORMAT:
        raise InterlockError(f"the pack has format {manifest.format}; this version of Interlock reads {FORMAT}")
    return manifest


def _find_file_faults(file: Path, listed: ListedFile) -> list[str]:
    if file.is_symlink() or not file.is_file():
        return [f"`{listed.name}` is not a file"]
    changed = file.stat().st_size != listed.bytes or digest_file(file) != listed.digest
    return [f"`{listed.name}` was changed after it was packed"] if changed else []


def _unpack(archive: zipfile.ZipFile, folder: Path) -> list[str]:
    """Unpack the files that the manifest lists, and never more of one than it says; return the rest as faults."""
    names = archive.namelist()
    if MANIFEST not in names:
        raise InterlockError(f"there is no `{MANIFEST}` in the file; `interlock evidence` writes it")
    _copy(archive.open(MANIFEST), folder / MANIFEST, _MAX_MANIFEST)
    listed = {one.name: one.bytes for one in _read_manifest(folder).files if Path(one.name).name == one.name}
    for name in sorted(listed.keys() & set(names)):
        _copy(archive.open(name), folder / name, listed[name] + 1)  # one more byte shows that it is too long
    return [f"`{name}` is not in the manifest" for name in sorted(set(names) - set(listed) - {MANIFEST})]


def _copy(source: IO[bytes], target: Path, most: int) -> None:
    """Copy a file, up to a number of bytes."""
    with source, target.open("xb") as written:
        while most > 0 and (part := source.read(min(_CHUNK, most))):
            most -= written.write(part)

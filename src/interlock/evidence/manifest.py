"""The manifest of a pack: the digest of every file, signed by the machine that packed it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from interlock.audit.export_proof import digest_file
from interlock.audit.keys import KeyRing, SigningKey
from interlock.evidence.period import Period
from interlock.model import Struct

FORMAT = 1


class ListedFile(Struct, frozen=True):
    """A file of the pack, with its size and its digest (SHA-256)."""

    name: str
    bytes: int
    digest: str


class Manifest(Struct, frozen=True, kw_only=True):
    """The signed list of the files of a pack. `public_key` is for information: verification uses keys it knows."""

    format: int
    store_id: str
    period: Period
    at: int
    version: str
    records: int
    verified: bool
    files: tuple[ListedFile, ...]
    key_id: str
    public_key: str
    signature: str = ""

    @property
    def text(self) -> bytes:
        """The text that is signed."""
        unsigned = msgspec.structs.replace(self, signature="")
        return b"interlock evidence " + msgspec.json.encode(unsigned, order="sorted")

    def sign(self, key: SigningKey) -> Manifest:
        """Return the manifest with its signature."""
        return msgspec.structs.replace(self, signature=key.sign(self.text))


def list_pack_files(folder: Path) -> tuple[ListedFile, ...]:
    """Return every file of a folder, sorted by name."""
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    return tuple(ListedFile(file.name, file.stat().st_size, digest_file(file)) for file in files)


def find_signature_faults(manifest: Manifest, key_ring: KeyRing) -> list[str]:
    """Return what is wrong with the signature of a manifest."""
    if not key_ring.knows(manifest.key_id):
        return [f"the pack is signed by the unknown key {manifest.key_id}; `--key` accepts one"]
    if not key_ring.verifies(manifest.key_id, manifest.signature, manifest.text):
        return ["the signature of the manifest is wrong: the manifest was changed"]
    return []

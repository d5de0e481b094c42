"""Anchors: the end of each chain that this machine last saw, kept in the user's own folder, outside the store.

They reveal that the newest records of a store were removed, or that the store was replaced by an older copy.
"""

import hashlib
import os
from pathlib import Path

import msgspec

from interlock.audit.chain import Head
from interlock.errors import StoreError
from interlock.store.files import create_file, lock_file, make_folder, read_locked

_WIDTH = 1_024  # every anchor has this size, so that one write replaces all of it


class ChainPoint(msgspec.Struct, frozen=True, rename="camel"):
    """A signed point of a chain that is kept outside the store, as an anchor or as an exported checkpoint."""

    store_id: str
    seq: int
    hash: str
    key_id: str
    signature: str
    store: str = ""


class Anchor:
    """The anchor of one store on this machine."""

    def __init__(self, folder: Path, store_id: str, shown: str) -> None:
        self._file = anchor_path(folder, store_id, shown)
        self._shown = shown
        try:
            make_folder(self._file.parent)
        except OSError as error:
            raise StoreError(f"the folder `{self._file.parent}` cannot be created: {error.strerror}") from None

    def read(self) -> tuple[int, str]:
        """Return the sequence number and hash of the last record that this machine saw, or `(0, "")`."""
        try:
            known = decode_anchor(read_locked(self._file))
        except FileNotFoundError:
            return 0, ""
        except OSError as error:
            raise StoreError(f"the anchor `{self._file}` cannot be read: {error.strerror}") from None
        return (known.seq, known.hash) if known else (0, "")

    def move(self, head: Head) -> None:
        """Store the new end of the chain, unless another process has stored a later one."""
        try:
            self._move(head)
        except OSError as error:
            raise StoreError(f"the anchor `{self._file}` cannot be written: {error.strerror}") from None

    def forget(self) -> None:
        """Remove the anchor, because the user has put an older copy of the store there on purpose."""
        self._file.unlink(missing_ok=True)

    def _move(self, head: Head) -> None:
        point = ChainPoint(head.store_id, head.seq, head.hash, head.key_id, head.signature, self._shown)
        data = msgspec.json.encode(point).ljust(_WIDTH)
        if not self._file.exists() and create_file(self._file, data):
            return
        with lock_file(self._file) as handle:
            known = decode_anchor(os.pread(handle, _WIDTH, 0))
            if known is None or known.seq < head.seq:
                os.pwrite(handle, data, 0)


def anchor_path(folder: Path, store_id: str, shown: str) -> Path:
    """Return the file of the anchor of a chain at a URL; a backup at another URL has its own."""
    place = hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return folder / "anchors" / f"{store_id}-{place}.json"


def decode_anchor(data: bytes) -> ChainPoint | None:
    """Return the content of an anchor, or None if it cannot be read."""
    try:
        return msgspec.json.decode(data.strip(b" \0\n"), type=ChainPoint)
    except msgspec.DecodeError:
        return None


def list_anchors(folder: Path) -> list[tuple[Path, ChainPoint | None]]:
    """Return every anchor in a folder, with None for those that cannot be read."""
    try:
        return [(file, decode_anchor(read_locked(file))) for file in sorted((folder / "anchors").glob("*.json"))]
    except OSError as error:
        raise StoreError(f"the anchors in `{folder}` cannot be read: {error.strerror}") from None

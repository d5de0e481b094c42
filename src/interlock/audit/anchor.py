"""The anchor: where a chain ended when this machine last wrote to it, kept outside the store.

Whoever cuts the newest records off a store, or puts an older copy in its place, does not know this file.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from pathlib import Path

import msgspec

from interlock.audit.chain import Head
from interlock.errors import StoreError

_WIDTH = 1_024  # of the file: one write, whole or not at all


class Anchored(msgspec.Struct, frozen=True, rename="camel"):
    """A point of a chain that is kept elsewhere: in an anchor, or as a checkpoint."""

    store_id: str
    seq: int
    hash: str
    key_id: str
    signature: str
    store: str = ""


class Anchor:
    """The anchor of one store on this machine."""

    def __init__(self, folder: Path, store_id: str, shown: str) -> None:
        self._file = path_of(folder, store_id, shown)
        self._shown = shown
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreError(f"the folder `{self._file.parent}` cannot be made: {error.strerror}") from None

    def read(self) -> tuple[int, str]:
        """Return where the chain ended when this machine last wrote to it."""
        try:
            known = decode(self._file.read_bytes())
        except FileNotFoundError:
            return 0, ""
        except OSError as error:
            raise StoreError(f"the anchor `{self._file}` cannot be read: {error.strerror}") from None
        return (known.seq, known.hash) if known else (0, "")

    def move(self, head: Head) -> None:
        """Note the new end of the chain; a process that comes late does not set it back."""
        try:
            self._move(head)
        except OSError as error:
            raise StoreError(f"the anchor `{self._file}` cannot be written: {error.strerror}") from None

    def forget(self) -> None:
        """Forget where the chain ended, because somebody has put an older copy of it there on purpose."""
        self._file.unlink(missing_ok=True)

    def _move(self, head: Head) -> None:
        handle = os.open(self._file, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            known = decode(os.pread(handle, _WIDTH, 0))
            if known is None or known.seq < head.seq:
                os.pwrite(handle, msgspec.json.encode(Anchored(*head[:5], self._shown)).ljust(_WIDTH), 0)
        finally:
            os.close(handle)


def path_of(folder: Path, store_id: str, shown: str) -> Path:
    """Return the file of an anchor: of one chain, at one place. A backup elsewhere has another."""
    place = hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return folder / "anchors" / f"{store_id}-{place}.json"


def decode(data: bytes) -> Anchored | None:
    """Return what an anchor holds, or None where it holds nothing that can be read."""
    try:
        return msgspec.json.decode(data.strip(b" \0\n"), type=Anchored)
    except msgspec.DecodeError:
        return None


def anchors(folder: Path) -> list[tuple[Path, Anchored | None]]:
    """Return every anchor of a folder."""
    try:
        return [(file, decode(file.read_bytes())) for file in sorted((folder / "anchors").glob("*.json"))]
    except OSError as error:
        raise StoreError(f"the anchors in `{folder}` cannot be read: {error.strerror}") from None

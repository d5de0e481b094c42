"""The spool: records that could not reach the store, kept on disk in order and signed, until they can."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.keys import Key, Ring
from interlock.audit.record import Entry, canonical
from interlock.errors import StoreError
from interlock.store.clock import now
from interlock.store.files import lock_file, make_folder

#: How long a store that could not be written is left alone, and how long one is tried that may be spooled for.
REST_SECONDS = 5.0
PATIENCE_SECONDS = 1.0
_DECODER = msgspec.json.Decoder(Entry)


class Spool:
    """The spool of one store on this machine. A line is an entry, a tab, and its signature."""

    def __init__(self, folder: Path, store_id: str, key: Key) -> None:
        self._file = folder / "spool" / f"{store_id}.jsonl"
        self._key, self._ring = key, Ring([key.public])
        self._rests_until = 0.0

    @property
    def rests(self) -> bool:
        """Whether the store failed just now, so that it is not tried again yet."""
        return time.monotonic() < self._rests_until

    def keep(self, entries: Sequence[Entry]) -> None:
        """Keep entries on disk; they are durable when this returns."""
        self._rests_until = time.monotonic() + REST_SECONDS
        lines = b"".join(self._line(entry) for entry in entries)
        try:
            make_folder(self._file.parent)
            with lock_file(self._file) as handle:
                _append(handle, lines)
        except OSError as error:
            what = f"neither the store nor the spool `{self._file}` can be written"
            raise StoreError(f"{what}: {error.strerror}") from None

    def _line(self, entry: Entry) -> bytes:
        body = canonical(entry)
        return body + b"\t" + self._key.sign(body).encode() + b"\n"

    def merge(self, journal: Journal) -> int:
        """Put what was kept into the chain, each record once, and empty the spool; return how many there were.

        The file is emptied after the records are in the store. Should that fail in between, the next one to merge
        finds them there already. Lines that nobody here has signed are put aside.
        """
        if not self._file.exists() or not self._file.stat().st_size:
            return 0
        with lock_file(self._file) as handle:
            lines = os.pread(handle, os.fstat(handle).st_size, 0).split(b"\n")[:-1]  # a torn line was never answered
            kept = [self._read(line) for line in lines]
            merged = journal.commit(lambda transaction: _put(transaction, kept))
            self._put_aside([line for line, entry in zip(lines, kept, strict=True) if entry is None])
            os.ftruncate(handle, 0)
            os.fsync(handle)
        return merged

    def merge_if_any(self, journal: Journal) -> None:
        """Merge what this process has kept, now that the store can be written again; else the next one tries."""
        if self._rests_until:
            with contextlib.suppress(StoreError):  # nothing is lost: it is still there
                self.merge(journal)
                self._rests_until = 0.0

    def _read(self, line: bytes) -> Entry | None:
        body, _, signature = line.rpartition(b"\t")
        if not self._ring.signed(self._key.key_id, signature.decode("ascii", "replace"), body):
            return None
        return _DECODER.decode(body)

    def _put_aside(self, lines: Sequence[bytes]) -> None:
        if lines:
            with self._file.with_suffix(".refused").open("ab") as out:
                out.writelines(line + b"\n" for line in lines)


def _append(handle: int, lines: bytes) -> None:
    """Append lines whole, or not at all; a line that was torn before is ended first."""
    size = os.lseek(handle, 0, os.SEEK_END)
    if size and os.pread(handle, 1, size - 1) != b"\n":
        lines = b"\n" + lines
    try:
        while lines:
            lines = lines[os.write(handle, lines) :]
        os.fsync(handle)
    except OSError:
        os.ftruncate(handle, size)
        raise


def _put(transaction: Transaction, kept: Sequence[Entry | None]) -> int:
    known = {entry.record_id: entry for entry in kept if entry is not None}
    new = [entry for entry in known.values() if not transaction.has(entry.record_id)]
    for entry in new:
        transaction.append(entry)
    forged = sum(entry is None for entry in kept)
    if new or forged:
        data = {"merged": len(new), "unsigned": forged}
        transaction.append(Entry(kind="spool", at=now().wall, actor="interlock", data=data))
    return len(new)

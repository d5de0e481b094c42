"""The spool: signed records on disk, kept in order while the store cannot be written, and merged afterwards."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.record import Entry, canonical
from interlock.errors import StoreError
from interlock.store.clock import now
from interlock.store.files import lock_file, make_folder

#: How long to wait after a failure of the store, and how long a transaction is retried if spooling is on.
BACKOFF_SECONDS = 5.0
SPOOL_RETRY_SECONDS = 1.0


class Spool:
    """The spool of one store on this machine. Each line is an entry, a tab, and its signature."""

    def __init__(self, folder: Path, store_id: str, key: SigningKey) -> None:
        self._file = folder / "spool" / f"{store_id}.jsonl"
        self._key, self._ring = key, KeyRing([key.public])
        self._backoff_until = 0.0

    @property
    def is_backing_off(self) -> bool:
        """Whether the store failed a moment ago and should not be tried yet."""
        return time.monotonic() < self._backoff_until

    def count(self) -> tuple[int, int]:
        """Return how many records wait to be merged, and how many lines were set aside as not signed."""
        return _count_lines(self._file), _count_lines(self._file.with_suffix(".refused"))

    def append(self, entries: Sequence[Entry], *, back_off: bool = True) -> None:
        """Write entries to the spool; they are durable when this returns. With `back_off`, pause the store."""
        seconds = BACKOFF_SECONDS if back_off else 0.0
        self._backoff_until = max(self._backoff_until, time.monotonic() + seconds)
        lines = b"".join(self._encode(entry) for entry in entries)
        try:
            make_folder(self._file.parent)
            with lock_file(self._file) as handle:
                _append(handle, lines)
        except OSError as error:
            what = f"neither the store nor the spool `{self._file}` can be written"
            raise StoreError(f"{what}: {error.strerror}") from None

    def _encode(self, entry: Entry) -> bytes:
        body = canonical(entry)
        return body + b"\t" + self._key.sign(body).encode() + b"\n"

    def merge(self, journal: Journal) -> int:
        """Append the spooled records to the chain, and empty the spool; return how many there were.

        The file is truncated after the commit. If the process dies in between, the next merge finds the records in
        the store and skips them. Lines without a valid signature of this machine are moved to a `.refused` file.
        """
        if not self._file.exists() or not self._file.stat().st_size:
            return 0
        with lock_file(self._file) as handle:
            lines = os.pread(handle, os.fstat(handle).st_size, 0).split(b"\n")[:-1]  # a torn line was never confirmed
            entries = [self._decode(line) for line in lines]
            merged = journal.commit(lambda transaction: _merge(transaction, entries))
            self._set_aside([line for line, entry in zip(lines, entries, strict=True) if entry is None])
            os.ftruncate(handle, 0)
            os.fsync(handle)
        return merged

    def merge_if_used(self, journal: Journal) -> None:
        """Merge if this process has spooled anything. If the store fails again, the spool stays as it is."""
        if self._backoff_until:
            with contextlib.suppress(StoreError):
                self.merge(journal)
                self._backoff_until = 0.0

    def _decode(self, line: bytes) -> Entry | None:
        """Return the entry of a line, or None if its signature is not valid."""
        body, _, signature = line.rpartition(b"\t")
        if not self._ring.verifies(self._key.key_id, signature.decode("ascii", "replace"), body):
            return None
        return msgspec.json.decode(body, type=Entry)

    def _set_aside(self, lines: Sequence[bytes]) -> None:
        if lines:
            with self._file.with_suffix(".refused").open("ab") as out:
                out.writelines(line + b"\n" for line in lines)


def _count_lines(file: Path) -> int:
    try:
        return file.read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise StoreError(f"the spool `{file}` cannot be read: {error.strerror}") from None


def _append(handle: int, lines: bytes) -> None:
    """Append lines, or nothing if that fails; a partial line at the end of the file is ended first."""
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


def _merge(transaction: Transaction, entries: Sequence[Entry | None]) -> int:
    """Append the entries that are not in the chain, and a record of the merge; return how many were appended."""
    known = {entry.record_id: entry for entry in entries if entry is not None}
    new = [entry for entry in known.values() if not transaction.has(entry.record_id)]
    for entry in new:
        transaction.append(entry)
    forged = sum(entry is None for entry in entries)
    if new or forged:
        data = {"merged": len(new), "unsigned": forged}
        transaction.append(Entry(kind="spool", at=now().wall, actor="interlock", data=data))
    return len(new)

"""The spool: records that could not reach the store, kept on disk in order and signed, until they can."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.keys import Key, Ring
from interlock.audit.record import Entry, canonical
from interlock.errors import StoreError
from interlock.store.clock import now

_DECODER = msgspec.json.Decoder(Entry)


class Spool:
    """The spool of one store on this machine. A line is an entry, a tab, and its signature."""

    def __init__(self, folder: Path, store_id: str, key: Key) -> None:
        self._file = folder / "spool" / f"{store_id}.jsonl"
        self._key, self._ring = key, Ring([key.public])
        self._kept = False

    def keep(self, entries: Sequence[Entry]) -> None:
        """Keep entries on disk; they are durable when this returns."""
        self._kept = True
        lines = b"".join(self._line(entry) for entry in entries)
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(self._file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
            try:
                os.write(handle, lines)
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise StoreError(
                f"neither the store nor the spool `{self._file}` can be written: {error.strerror}"
            ) from None

    def _line(self, entry: Entry) -> bytes:
        body = canonical(entry)
        return body + b"\t" + self._key.sign(body).encode() + b"\n"

    def __len__(self) -> int:
        return sum(1 for _ in self._entries()) if self._file.exists() else 0

    def _entries(self) -> Iterator[Entry | None]:
        """Yield what was kept; None for a line that nobody here has signed. A torn last line was never answered."""
        for line in self._file.read_bytes().split(b"\n")[:-1]:
            body, _, signature = line.rpartition(b"\t")
            if self._ring.signed(self._key.key_id, signature.decode("ascii", "replace"), body):
                yield _DECODER.decode(body)
            else:
                yield None

    def merge(self, journal: Journal) -> int:
        """Put what was kept into the chain, each record once, and empty the spool; return how many there were."""
        if not self._file.exists():
            return 0
        taken = self._file.with_suffix(f".{os.getpid()}")
        os.replace(self._file, taken)  # of two processes that merge, each takes what there is
        self._file = taken
        try:
            kept = list(self._entries())
            return journal.commit(lambda transaction: _put(transaction, kept))
        finally:
            self._file = taken.with_suffix(".jsonl")

    def merge_if_any(self, journal: Journal) -> None:
        """Merge what this process has kept, now that the store can be written again."""
        if self._kept:
            self._kept = False
            self.merge(journal)
            self.finish()

    def finish(self) -> None:
        """Remove what was merged."""
        for file in self._file.parent.glob(f"{self._file.stem}.*"):
            if file.suffix != ".jsonl":
                file.unlink(missing_ok=True)


def _put(transaction: Transaction, kept: Sequence[Entry | None]) -> int:
    new = [entry for entry in kept if entry is not None and not transaction.has(entry.record_id)]
    for entry in new:
        transaction.append(entry)
    forged = sum(entry is None for entry in kept)
    if new or forged:
        data = {"merged": len(new), "unsigned": forged}
        transaction.append(Entry(kind="spool", at=now().wall, actor="interlock", data=data))
    return len(new)

"""The chain inside one transaction: records are appended to it, and its end is signed before it is committed."""

from __future__ import annotations

from typing import Any, NamedTuple

from interlock.audit.keys import Key, Ring
from interlock.audit.record import Entry, Record, chained
from interlock.errors import StoreError, TamperedError
from interlock.store.connection import Connection
from interlock.store.tables import head, records


def signed_text(store_id: str, seq: int, last: str) -> bytes:
    """Return the text that a signature of a checkpoint is over, and with which that of an end begins."""
    return f"interlock chain {store_id} {seq} {last}".encode()


class Head(NamedTuple):
    """The end of a chain, and where it begins after pruning: the hashes there, and who signed that."""

    store_id: str
    seq: int
    hash: str
    key_id: str
    signature: str
    base_seq: int
    base_hash: str

    @property
    def is_whole(self) -> bool:
        """Whether everything is of its kind: a file can hold anything in any column."""
        numbers = isinstance(self.seq, int) and isinstance(self.base_seq, int)
        return numbers and all(
            isinstance(part, str) for part in (self.store_id, self.hash, self.key_id, self.base_hash)
        )

    @property
    def text(self) -> bytes:
        """The text that the signature is over."""
        return signed_text(self.store_id, self.seq, self.hash) + f" from {self.base_seq} {self.base_hash}".encode()


_READ = f"SELECT {', '.join(Head._fields)} FROM interlock_head WHERE id = 1"
_BODY, _RECORD_ID = records.columns.index("body"), records.columns.index("record_id")


def read_head(connection: Connection, *, lock: bool = False) -> Head:
    """Return the end of the chain; with `lock`, nobody else can append until the transaction ends."""
    locks = lock and not connection.is_sqlite  # an embedded store is locked as a whole
    found = connection.tuples(f"{_READ} FOR UPDATE" if locks else _READ)
    if not found:
        raise StoreError("the store has lost the end of its chain; `interlock audit verify` says more")
    end = Head(*found[0])
    if not end.is_whole:
        raise TamperedError("the end of the chain cannot be read; `interlock audit verify` says more")
    return end


class Signers(NamedTuple):
    """Whose signatures count where something is built on them: this machine's, and those it was told of.

    On a shared store that nobody has named the others of, a key counts that has introduced itself there.
    """

    key: Key
    others: tuple[str, ...] = ()
    shared: bool = False

    def signed(self, connection: Connection, key_id: str, signature: str, text: bytes) -> bool:
        """Whether a text was signed by somebody who may."""
        publics = [self.key.public, *self.others]
        if self.shared and not self.others:
            publics += connection.values("SELECT public FROM interlock_keys WHERE key_id = :key_id", key_id=key_id)
        try:
            return Ring(publics).signed(key_id, signature, text)
        except ValueError:
            return False


class Transaction:
    """What an operation works with: the connection, and the chain that it appends to."""

    def __init__(self, connection: Connection, signers: Signers, trusted: Head | None, known: tuple[int, str]) -> None:
        self.connection = connection
        self.before = read_head(connection, lock=True)
        self.key, self._seq, self._hash = signers.key, self.before.seq, self.before.hash
        self.signers = signers
        self._rows: list[tuple[Any, ...]] = []
        self._ids: set[str] = set()
        self.base = self.before.base_seq, self.before.base_hash
        self.open_runs: set[str] = set()  # runs that were found open, so that nobody looks again
        if self.before != trusted:
            self._check_signature()
            self._check_known(*known)

    def _check_signature(self) -> None:
        """Refuse to build on an end that nobody who signs here has signed."""
        found = self.before
        if not found.seq and not found.key_id:
            return  # nothing was ever written
        if not self.signers.signed(self.connection, found.key_id, found.signature, found.text):
            raise TamperedError(
                f"the end of the chain was changed behind our back, or signed by `{found.key_id}`, whom nobody here "
                "knows; `interlock audit verify` says more, and `audit.keys` names other machines"
            )

    def _check_known(self, seq: int, last: str) -> None:
        """Refuse to build on a chain that does not hold the record that this machine last saw at its end."""
        if seq <= self.before.base_seq:
            return  # nothing was seen yet, or it was pruned since
        if self.connection.value("SELECT hash FROM interlock_records WHERE seq = :seq", seq=seq) != last:
            raise TamperedError(
                "the chain was cut or replaced behind our back; `interlock audit verify` says more, and "
                "`interlock audit accept` goes on with it if that was you"
            )

    @property
    def end(self) -> tuple[int, str]:
        """Where the chain ends with what was appended so far."""
        return self._seq, self._hash

    def append(self, entry: Entry) -> Record:
        """Append a record; it becomes part of the chain when the transaction is committed."""
        record, body, self._hash = chained(entry, self._seq + 1, self._hash)
        self._seq += 1
        self._ids.add(record.record_id)
        shared = record.seq, record.record_id, record.at, record.kind, record.name, record.run_id, record.approval_id
        self._rows.append((*shared, body.decode(), self._hash))  # in the order of the columns
        return record

    def finish(self) -> Head:
        """Write what was appended, and sign the new end."""
        if not self._rows:
            return self.before
        connection, store_id = self.connection, self.before.store_id
        connection.append(records, self._rows)
        new = Head(store_id, self._seq, self._hash, self.key.key_id, "", *self.base)
        new = new._replace(signature=self.key.sign(new.text))
        connection.update(head, {"id": 1}, **new._asdict())
        return new

    def has(self, record_id: str) -> bool:
        """Whether a record is in the store already, or waits to be."""
        if record_id in self._ids:
            return True
        found = self.connection.value("SELECT seq FROM interlock_records WHERE record_id = :id", id=record_id)
        return found is not None

    def appended(self, seq: object) -> str | None:
        """Return the body of a record that this transaction has appended itself."""
        at = seq - self.before.seq - 1 if isinstance(seq, int) else -1
        return str(self._rows[at][_BODY]) if 0 <= at < len(self._rows) else None

    @property
    def last_id(self) -> str | None:
        """The id of the last record that was appended here."""
        return str(self._rows[-1][_RECORD_ID]) if self._rows else None

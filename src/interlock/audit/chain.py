"""The chain inside one transaction: records are appended, and its new end is signed before the commit."""

from typing import Any

import msgspec

from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.record import Entry, Record, make_record
from interlock.errors import StoreError, TamperedError
from interlock.store.connection import Connection
from interlock.store.tables import head, records


def text_to_sign(store_id: str, seq: int, last: str) -> bytes:
    """Return the text that the signature of a checkpoint covers; that of a head starts with it."""
    return f"interlock chain {store_id} {seq} {last}".encode()


class Head(msgspec.Struct, frozen=True):
    """The signed end of a chain: its last record, and the record before its first one (`base`) after pruning."""

    store_id: str
    seq: int
    hash: str
    key_id: str
    signature: str
    base_seq: int
    base_hash: str

    @property
    def is_whole(self) -> bool:
        """Whether every field has its type: in SQLite, any column can hold anything."""
        numbers = isinstance(self.seq, int) and isinstance(self.base_seq, int)
        return numbers and all(
            isinstance(part, str) for part in (self.store_id, self.hash, self.key_id, self.base_hash)
        )

    @property
    def text(self) -> bytes:
        """The text that the signature covers."""
        return text_to_sign(self.store_id, self.seq, self.hash) + f" from {self.base_seq} {self.base_hash}".encode()


_READ = f"SELECT {', '.join(Head.__struct_fields__)} FROM interlock_head WHERE id = 1"
_BODY, _RECORD_ID = records.columns.index("body"), records.columns.index("record_id")


def read_head(connection: Connection, *, lock: bool = False) -> Head:
    """Return the end of the chain. With `lock`, no other transaction can append until this one ends."""
    locks = lock and not connection.is_sqlite  # a SQLite write transaction locks the whole store anyway
    found = connection.tuples(f"{_READ} FOR UPDATE" if locks else _READ)
    if not found:
        raise StoreError("the head of the chain is missing; run `interlock audit verify`")
    end = Head(*found[0])
    if not end.is_whole:
        raise TamperedError("the head of the chain cannot be read; run `interlock audit verify`")
    return end


class Signers(msgspec.Struct, frozen=True):
    """Whose signatures are accepted when the chain is continued: this machine's, and those of `others`.

    On a shared store without configured `others`, every key that is registered in the store is accepted.
    """

    key: SigningKey
    others: tuple[str, ...] = ()
    shared: bool = False

    def accepts(self, connection: Connection, key_id: str, signature: str, text: bytes) -> bool:
        """Whether a signature of a text is valid, and by a key that is accepted."""
        publics = [self.key.public, *self.others]
        if self.shared and not self.others:
            publics += connection.values("SELECT public FROM interlock_keys WHERE key_id = :key_id", key_id=key_id)
        try:
            return KeyRing(publics).verifies(key_id, signature, text)
        except ValueError:
            return False


class Transaction:
    """A write transaction: the connection, and the chain that records are appended to.

    `trusted` is the end of the chain as this process left it. If the chain has another end now, its signature is
    checked, and that it still contains `known`, the last record that this machine has seen.
    """

    def __init__(self, connection: Connection, signers: Signers, trusted: Head | None, known: tuple[int, str]) -> None:
        self.connection = connection
        self.before = read_head(connection, lock=True)
        self.key, self._seq, self._hash = signers.key, self.before.seq, self.before.hash
        self.signers = signers
        self._rows: list[tuple[Any, ...]] = []
        self._ids: set[str] = set()
        self.base = self.before.base_seq, self.before.base_hash
        self.open_runs: set[str] = set()  # runs that this transaction has found open
        self.budgets: dict[str, float] = {}  # how much this transaction has counted, by the name of the budget
        self.stops: tuple[Any, ...] | None = None  # the stops in force, once this transaction has read them
        if self.before != trusted:
            self._check_signature()
            self._check_known(*known)

    def _check_signature(self) -> None:
        """Raise if the end of the chain is not signed by an accepted key."""
        found = self.before
        if not found.seq and not found.key_id:
            return  # nothing was written yet
        if not self.signers.accepts(self.connection, found.key_id, found.signature, found.text):
            raise TamperedError(
                "the end of the chain was changed outside Interlock, or signed by the unknown key "
                f"`{found.key_id}`; run `interlock audit verify`, and list the keys of other machines in `audit.keys`"
            )

    def _check_known(self, seq: int, last: str) -> None:
        """Raise if the chain no longer contains the last record that this machine has seen."""
        if seq <= self.before.base_seq:
            return  # this machine has seen nothing yet, or it was pruned since
        if self.connection.value("SELECT hash FROM interlock_records WHERE seq = :seq", seq=seq) != last:
            raise TamperedError(
                "the chain was cut or replaced outside Interlock; run `interlock audit verify`, "
                "and if you replaced it yourself, `interlock audit accept`"
            )

    @property
    def end(self) -> tuple[int, str]:
        """The sequence number and hash of the last record, including those appended here."""
        return self._seq, self._hash

    def append(self, entry: Entry) -> Record:
        """Append a record; it is in the chain once the transaction is committed."""
        record, body, self._hash = make_record(entry, self._seq + 1, self._hash)
        self._seq += 1
        self._ids.add(record.record_id)
        shared = record.seq, record.record_id, record.at, record.kind, record.name, record.run_id, record.approval_id
        self._rows.append((*shared, body.decode(), self._hash))  # in the order of the columns
        return record

    def finish(self) -> Head:
        """Insert the appended records, and sign the new end."""
        if not self._rows:
            return self.before
        connection, store_id = self.connection, self.before.store_id
        connection.append(records, self._rows)
        new = Head(store_id, self._seq, self._hash, self.key.key_id, "", *self.base)
        new = msgspec.structs.replace(new, signature=self.key.sign(new.text))
        connection.update(head, {"id": 1}, **msgspec.structs.asdict(new))
        return new

    def has(self, record_id: str) -> bool:
        """Whether a record is in the chain, or was appended here."""
        if record_id in self._ids:
            return True
        found = self.connection.value("SELECT seq FROM interlock_records WHERE record_id = :id", id=record_id)
        return found is not None

    def appended_body(self, seq: object) -> str | None:
        """Return the body of a record that was appended here, or None."""
        at = seq - self.before.seq - 1 if isinstance(seq, int) else -1
        return str(self._rows[at][_BODY]) if 0 <= at < len(self._rows) else None

    @property
    def last_id(self) -> str | None:
        """The id of the last record that was appended here."""
        return str(self._rows[-1][_RECORD_ID]) if self._rows else None

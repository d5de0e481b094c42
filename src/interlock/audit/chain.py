"""The chain inside one transaction: records are appended, and its new end is signed before the commit."""

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.record import Entry, Record, make_record
from interlock.errors import StoreError, TamperedError
from interlock.store.connection import Connection, Query
from interlock.store.tables import DatabaseTable, head, records


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
_READ_LOCKED = f"{_READ} FOR UPDATE"
_HASH = "SELECT hash FROM interlock_records WHERE seq = :seq"
#: The key that signed the end, and the hash of a known record. It is read after the end was locked.
_HEAD_KEY = """
    SELECT 'key', public FROM interlock_keys WHERE key_id = (SELECT key_id FROM interlock_head WHERE id = 1)
    UNION ALL
    SELECT 'hash', hash FROM interlock_records WHERE seq = :seq
"""


def _decode_head(found: list[tuple[Any, ...]]) -> Head:
    """Return the end of the chain from its row, or raise if it cannot be read."""
    if not found:
        raise StoreError("the head of the chain is missing; run `interlock audit verify`")
    end = Head(*found[0])
    if not end.is_whole:
        raise TamperedError("the head of the chain cannot be read; run `interlock audit verify`")
    return end


def read_head(connection: Connection) -> Head:
    """Return the end of the chain."""
    return _decode_head(connection.tuples(_READ))


class Signers(msgspec.Struct, frozen=True):
    """The accepted signers of the chain: this machine, and `others`.

    On a shared store without configured `others`, every key that is registered in the store is accepted.
    """

    key: SigningKey
    others: tuple[str, ...] = ()
    shared: bool = False

    def accepts(self, connection: Connection, key_id: str, signature: str, text: bytes) -> bool:
        """Whether a signature of a text is valid, and by a key that is accepted."""
        registered: list[str] = []
        if self.shared and not self.others and key_id != self.key.key_id:
            registered = connection.values("SELECT public FROM interlock_keys WHERE key_id = :key_id", key_id=key_id)
        return self.verifies(registered, key_id, signature, text)

    def verifies(self, registered: list[str], key_id: str, signature: str, text: bytes) -> bool:
        """Whether a signature is valid; `registered` are the keys with this id in the store."""
        publics = [self.key.public, *self.others]
        if self.shared and not self.others:
            publics += registered
        try:
            return KeyRing(publics).verifies(key_id, signature, text)
        except ValueError:
            return False


class KnownChain(msgspec.Struct, frozen=True):
    """The known state of a chain: its end as this process left it, and the last record that this machine has seen.

    `room` is the first number for which this process knows no partition, or None if it has not looked.
    """

    head: Head | None
    seq: int
    hash: str
    room: int | None = None


def end_queries(seen: KnownChain, *, lock: bool) -> list[Query]:
    """Return the queries for the end of the chain, the key that signed it, and the last record that was seen."""
    return [(_READ_LOCKED if lock else _READ, {}), (_HEAD_KEY, {"seq": seen.seq})]


def read_end(found: list[tuple[Any, ...]], about: list[tuple[Any, ...]]) -> tuple[Head, list[str], list[str]]:
    """Return the end of the chain, the registered keys, and the hash of the known record from their rows."""
    keys, hashes = ([text for what, text in about if what == kind] for kind in ("key", "hash"))
    return _decode_head(found), keys, hashes


class Transaction:
    """A write transaction: the connection, and the chain that records are appended to.

    The end of the chain is locked from the beginning, so that no other transaction writes records meanwhile. If it is
    not the end as this process left it, its signature is checked, and that the chain still contains the last record
    that this machine has seen.
    """

    is_shared = False  # whether other transactions write to the store meanwhile

    def __init__(self, connection: Connection, signers: Signers, seen: KnownChain) -> None:
        self.connection, self.signers, self.key = connection, signers, signers.key
        self._seen = seen
        self._rows: list[tuple[Any, ...]] = []
        self._ids: set[str] = set()
        self.open_runs: set[str] = set()  # runs that this transaction has found open
        self.snapshots: set[str] = set()  # runs whose state it has recorded
        self.newest_of_runs: dict[str, int | None] = {}  # the newest record of each run, before this transaction
        self.newest_policy: int | None = None  # the newest record of a policy, if it was read
        self.room = seen.room
        self.budgets: dict[str, float] = {}  # how much this transaction has counted, by the name of the budget
        self.stops: tuple[Any, ...] | None = None  # the stops in force, once this transaction has read them
        self.registered: dict[str, str] | None = None  # the keys in the store by their ids, once they were read
        self._begin()

    def _begin(self) -> None:
        """Lock the end of the chain."""
        self._lock_end()

    def _lock_end(self) -> None:
        """Lock the end of the chain until the transaction ends, check it, and number records from there."""
        self.before, registered, known = self._read_end()
        self.store_id = self.before.store_id
        self._seq, self._hash = self.before.seq, self.before.hash
        self.base = self.before.base_seq, self.before.base_hash
        if self.before != self._seen.head:
            self._check_signature(registered)
            self._check_known(known)

    def _read_end(self) -> tuple[Head, list[str], list[str]]:
        """Return the end of the chain, the registered keys with the id that signed it, and the hash of a known record.

        A SQLite write transaction locks the whole store anyway; in PostgreSQL, all of it takes one round trip.
        """
        known = {"seq": self._seen.seq}
        if self.connection.is_sqlite:
            end = _decode_head(self.connection.tuples(_READ))
            return end, [], [] if end == self._seen.head else self.connection.values(_HASH, **known)
        if self.room is None:  # before the lock is taken, so that others do not wait for it
            from interlock.store.partitions import find_room

            self.room = find_room(self.connection)
        return read_end(*self.connection.several(*end_queries(self._seen, lock=True)))

    def _check_signature(self, registered: list[str]) -> None:
        """Raise if the end of the chain is not signed by an accepted key."""
        found = self.before
        if not found.seq and not found.key_id:
            return  # nothing was written yet
        if not self.signers.verifies(registered, found.key_id, found.signature, found.text):
            raise TamperedError(
                "the end of the chain was changed outside Interlock, or signed by the unknown key "
                f"`{found.key_id}`; run `interlock audit verify`, and list the keys of other machines in `audit.keys`"
            )

    def _check_known(self, found: list[str]) -> None:
        """Raise if the chain no longer contains the last record that this machine has seen."""
        if self._seen.seq <= self.before.base_seq:
            return  # this machine has seen nothing yet, or it was pruned since
        if found != [self._seen.hash]:
            raise TamperedError(
                "the chain was cut or replaced outside Interlock; run `interlock audit verify`, "
                "and if you replaced it yourself, `interlock audit accept`"
            )

    def accepts(self, key_id: str, signature: str, text: bytes) -> bool:
        """Whether a signature of a text is valid, and by a key that is accepted."""
        if self.registered is None:
            return self.signers.accepts(self.connection, key_id, signature, text)
        return self.signers.verifies([self.registered.get(key_id, "")], key_id, signature, text)

    def lock_run(self, run_id: str) -> None:
        """Lock a run against other writers. Here, and below, everything is locked already."""

    def lock_actions(self, *digests: str) -> None:
        """Lock the requests and grants with these digests, of actions or of frames."""

    def lock_budget(self, name: str) -> None:
        """Lock a budget."""

    @property
    def end(self) -> tuple[int, str]:
        """The sequence number and hash of the last record, including those appended here."""
        return self._seq, self._hash

    def newest_seq(self) -> int:
        """Return the number of the newest record in the store, not including those appended here."""
        return self.before.seq

    def append(self, entry: Entry) -> Record:
        """Append a record; it is in the chain once the transaction is committed."""
        record, body, self._hash = make_record(entry, self._seq + 1, self._hash)
        self._seq += 1
        self._ids.add(record.record_id)
        shared = record.seq, record.record_id, record.at, record.kind, record.name, record.run_id, record.approval_id
        self._rows.append((*shared, body.decode(), self._hash))  # in the order of the columns
        return record

    def write(self, table: DatabaseTable, row: Mapping[str, Any], key: Mapping[str, Any], *, new: bool) -> None:
        """Insert a row, or update the one with a key. Its `seq` is that of a record that was appended here."""
        if new:
            self.connection.insert(table, row)
        else:
            self.connection.update(table, key, **row)

    def place_records(self) -> None:
        """Do nothing: appended records already have their final numbers."""

    def finish(self) -> Head:
        """Sign the new end; the records are inserted with the commit, in one round trip."""
        if not self._rows:
            return self.before
        if self.room is not None and self._seq >= self.room:
            from interlock.store.partitions import make_room

            self.room = make_room(self.connection, self._seq)
        new = Head(self.store_id, self._seq, self._hash, self.key.key_id, "", *self.base)
        new = msgspec.structs.replace(new, signature=self.key.sign(new.text))
        self.connection.write_at_commit(lambda: self.connection.append(records, self._rows))
        fields = msgspec.structs.asdict(new)
        self.connection.write_at_commit(lambda: _update_head(self.connection, fields))
        return new

    def has(self, record_id: str) -> bool:
        """Whether a record is in the chain, or was appended here."""
        if record_id in self._ids:
            return True
        found = self.connection.value("SELECT seq FROM interlock_records WHERE record_id = :id", id=record_id)
        return found is not None

    def find_appended_body(self, seq: object) -> str | None:
        """Return the body of a record that was appended here, or None."""
        at = seq - self.before.seq - 1 if isinstance(seq, int) else -1
        return str(self._rows[at][_BODY]) if 0 <= at < len(self._rows) else None

    @property
    def last_id(self) -> str | None:
        """The id of the last record that was appended here."""
        return str(self._rows[-1][_RECORD_ID]) if self._rows else None

    def ends_of_runs(self) -> dict[str, int | None]:
        """Return the newest record of each run in `newest_of_runs`, including those appended here."""
        ends = dict(self.newest_of_runs)
        for row in self._rows:
            if row[_RUN_ID] in ends:
                ends[row[_RUN_ID]] = row[_SEQ]
        return ends


_SEQ, _RUN_ID = records.columns.index("seq"), records.columns.index("run_id")
_BODY, _RECORD_ID = records.columns.index("body"), records.columns.index("record_id")


def _update_head(connection: Connection, fields: Mapping[str, Any]) -> None:
    connection.update(head, {"id": 1}, **fields)

"""Concurrent transactions in PostgreSQL: the end of the chain is locked last, for one round trip."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from interlock.audit.chain import KnownChain, Signers, Transaction, read_head
from interlock.audit.pending_write import Concurrent
from interlock.audit.record import Entry, Record, canonical
from interlock.audit.rows import ROW_RECORDS
from interlock.errors import TamperedError
from interlock.store.connection import Connection, Query, sql_list
from interlock.store.tables import DatabaseTable

#: Records are numbered from here until the end of the chain is locked: after every number that it can have.
PROVISIONAL = 2**62
#: The lock of a whole store: shared by concurrent transactions, held alone by all others.
_STORE = "store"
#: The lock of everything that is derived: shared by transactions that derive, held alone to reset it.
_DERIVED = "derived"
_SHARE = "SELECT pg_advisory_xact_lock_shared(:number)"
_LOCK = "SELECT pg_advisory_xact_lock(:number)"
_LOCK_ALL = "SELECT pg_advisory_xact_lock(number) FROM unnest(:numbers::bigint[]) AS lock(number)"
_SHARE_AND_LOCK = f"""
    SELECT pg_advisory_xact_lock_shared(:number), (SELECT count(*) FROM ({_LOCK_ALL}) AS locked)
"""
_KINDS = sql_list(ROW_RECORDS["runs"].all_kinds)
#: The state that concurrent operations depend on, in one statement: a statement costs more than its result.
_STATE = f"""
    SELECT 'step', run_id, kind, seq FROM interlock_records
    WHERE run_id = ANY(:run_ids::text[]) AND kind IN {_KINDS}
    UNION ALL
    SELECT 'newest', run.run_id, NULL, (SELECT max(seq) FROM interlock_records WHERE run_id = run.run_id)
    FROM unnest(:run_ids::text[]) AS run(run_id)
    UNION ALL
    SELECT 'policy', NULL, NULL, (SELECT max(seq) FROM interlock_policies)
    UNION ALL
    SELECT 'known', record_id, NULL, seq FROM interlock_records WHERE record_id = ANY(:ids::text[])
    UNION ALL
    SELECT 'stop', NULL, NULL, NULL WHERE EXISTS (SELECT 1 FROM interlock_stops WHERE lifted_at IS NULL)
"""
_KEYS = "SELECT key_id, public FROM interlock_keys"


def lock_store(connection: Connection, store_id: str) -> None:
    """Take the exclusive lock of the store until this transaction ends."""
    connection.value(_LOCK, number=_number(store_id, _STORE))


def share_store(connection: Connection, store_id: str, name: str) -> None:
    """Take the shared lock of the store, and an exclusive lock on a name."""
    _lock_both(connection, store_id, _STORE, name)


def lock_derived(connection: Connection, store_id: str, what: str) -> None:
    """Lock derived data of one kind, against resets too."""
    _lock_both(connection, store_id, _DERIVED, f"derived {what}")


def lock_all_derived(connection: Connection, store_id: str) -> None:
    """Take the exclusive lock of all derived data until this transaction ends."""
    connection.value(_LOCK, number=_number(store_id, _DERIVED))


def _lock_both(connection: Connection, store_id: str, shared: str, alone: str) -> None:
    numbers = _number(store_id, shared), _number(store_id, alone)
    connection.several((_SHARE, {"number": numbers[0]}), (_LOCK, {"number": numbers[1]}))


def _number(store_id: str, name: str) -> int:
    """Return the number of a lock in PostgreSQL. If two names have the same number, they only wait for each other."""
    digest = hashlib.sha256(f"interlock {store_id} {name}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], signed=True)


class ConcurrentTransaction(Transaction):
    """A transaction of concurrent operations.

    It shares the store with others like it, and locks what its operations name. Their records are numbered, linked and
    signed at the end, under the lock of the chain's end: so the chain has one order, in which transactions become
    visible. Until then, records and the rows that refer to them have provisional numbers.
    """

    is_shared = True

    def __init__(
        self,
        connection: Connection,
        signers: Signers,
        seen: KnownChain,
        store_id: str,
        operations: Iterable[Concurrent[Any]],
    ) -> None:
        self._operations = list(operations)
        self._pending: list[Entry] | None = []  # None once the end of the chain is locked
        self._unplaced: list[tuple[DatabaseTable, Mapping[str, Any], int]] = []  # rows with provisional numbers
        self._held: set[str] = set()
        self._absent: set[str] = set()  # ids that no record in the store has
        self.store_id = store_id
        super().__init__(connection, signers, seen)

    def _begin(self) -> None:
        """Share the store, lock what the operations name, and read what most of them need, in one round trip."""
        names = {name for one in self._operations for name in _names(one)}
        _, locks = self._lock_query(names)
        share = _SHARE_AND_LOCK, {"number": _number(self.store_id, _STORE), **locks}
        found = read_state(self, self._operations, share)
        ids = {one.record_id for one in self._operations if one.record_id}
        self._held, self._absent = names, ids.difference(record_id for record_id, _, _ in found.get("known", ()))
        self.stops = None if "stop" in found else ()

    def _lock_query(self, names: Iterable[str]) -> Query:
        """Return the query that locks names, always in the same order, so that no two transactions block each other."""
        return _LOCK_ALL, {"numbers": sorted({_number(self.store_id, name) for name in names})}

    def _lock(self, *names: str) -> None:
        """Lock names until the transaction ends, unless they are locked already."""
        new = [name for name in names if name not in self._held]
        if new:
            self.connection.several(self._lock_query(new))
            self._held.update(new)

    def lock_run(self, run_id: str) -> None:
        """Lock a run against other writers."""
        self._lock(_run_lock(run_id))

    def lock_actions(self, *digests: str) -> None:
        """Lock the requests and grants with these digests."""
        self._lock(*map(_action_lock, digests))

    def lock_budget(self, name: str) -> None:
        """Lock a budget."""
        self._lock(_budget_lock(name))

    def newest_seq(self) -> int:
        """Return the number of the newest record in the store: no record of a locked run is newer."""
        return read_head(self.connection).seq

    def has(self, record_id: str) -> bool:
        """Whether a record is in the chain, or was appended here."""
        if record_id in self._absent and record_id not in self._ids:
            return False
        self._lock(_record_lock(record_id))
        return super().has(record_id)

    def append(self, entry: Entry) -> Record:
        """Append a record; its number is provisional until the end of the chain is locked."""
        if self._pending is None:
            return super().append(entry)
        self._pending.append(entry)
        self._ids.add(entry.record_id)
        fields = {name: getattr(entry, name) for name in entry.__struct_fields__}
        return Record(**fields, seq=PROVISIONAL + len(self._pending))

    def write(self, table: DatabaseTable, row: Mapping[str, Any], key: Mapping[str, Any], *, new: bool) -> None:
        """Insert or update a row; it is given the number of its record at the end."""
        self.connection.forget(table, row)
        self.connection.write_soon(partial(super().write, table, row, key, new=new))
        if self._pending is not None:
            self._unplaced.append((table, key, row["seq"]))

    def find_appended_body(self, seq: object) -> str | None:
        """Return the content of a record that was appended here, or None."""
        if self._pending is None:
            return super().find_appended_body(seq)
        at = seq - PROVISIONAL - 1 if isinstance(seq, int) else -1
        return canonical(self._pending[at]).decode() if 0 <= at < len(self._pending) else None

    def place_records(self) -> None:
        """Lock the end of the chain, and append the records to it."""
        entries, self._pending, store_id = self._pending or [], None, self.store_id
        self._lock_end()
        if self.store_id != store_id:
            raise TamperedError("the store was replaced by another one; run `interlock audit verify`")
        for entry in entries:
            super().append(entry)
        for table, key, provisional in self._unplaced:
            seq = self.before.seq + provisional - PROVISIONAL
            self.connection.write_at_commit(_place_row(self.connection, table, {**key, "seq": provisional}, seq))


def _names(operation: Concurrent[Any]) -> Iterable[str]:
    """Return the names of the locks that an operation needs."""
    if operation.run_id is not None:
        yield _run_lock(operation.run_id)
    if operation.record_id:
        yield _record_lock(operation.record_id)
    yield from map(_budget_lock, operation.budgets)
    yield from map(_action_lock, operation.actions)


def _run_lock(run_id: str) -> str:
    return f"run {run_id}"


def _record_lock(record_id: str) -> str:
    return f"record {record_id}"


def _budget_lock(name: str) -> str:
    return f"budget {name}"


def _action_lock(digest: str) -> str:
    return f"action {digest}"


def read_state(
    transaction: Transaction, operations: Sequence[Concurrent[Any]], *first: Query
) -> dict[str, list[tuple[Any, ...]]]:
    """Send queries and prefetch the state that concurrent operations need, in one round trip; return that state.

    The state is: the steps and newest records of runs, the newest policy, stops, the records that exist already, and
    the rows that the operations probably read first.
    """
    ids = sorted({one.record_id for one in operations if one.record_id})
    run_ids = sorted({one.run_id for one in operations if one.run_id is not None})
    queries: list[Query] = [*first, (_STATE, {"ids": ids, "run_ids": run_ids})]
    reads = [query for one in operations for query in one.reads]
    if reads:
        *_, rows, keys = transaction.connection.expect([*queries, (_KEYS, {})], reads)
        transaction.registered = dict(keys)
    else:
        *_, rows = transaction.connection.several(*queries)
    found: dict[str, list[tuple[Any, ...]]] = {}
    for what, *row in rows:
        found.setdefault(what, []).append(tuple(row))
    _note_state(transaction, found)
    return found


def _note_state(transaction: Transaction, found: Mapping[str, list[tuple[Any, ...]]]) -> None:
    """Store the prefetched state of runs and policies in a transaction."""
    steps = sorted(found.get("step", ()), key=lambda step: int(step[2]))
    last_steps = {run_id: kind for run_id, kind, _ in steps}
    transaction.open_runs.update(
        run_id for run_id, kind in last_steps.items() if kind in ("run.started", "run.resumed")
    )
    transaction.newest_of_runs.update((run_id, seq) for run_id, _, seq in found.get("newest", ()))
    transaction.newest_policy = found["policy"][0][2] or 0


def _place_row(connection: Connection, table: DatabaseTable, which: Mapping[str, Any], seq: int) -> Callable[[], None]:
    """Return the write that gives a row its final number, unless it was written again since."""

    def write() -> None:
        connection.update(table, which, seq=seq)

    return write

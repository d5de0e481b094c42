"""Pruning: older records are removed up to a signed checkpoint, from which the rest can still be verified."""

from __future__ import annotations

from typing import Any

from interlock.audit.chain import Transaction
from interlock.audit.checkpoint import sign_point
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import ROW_RECORDS, RowRecords, check_row, kind_after_pruning, write_row
from interlock.audit.runs import CLOSED
from interlock.errors import StoreError
from interlock.store.clock import now
from interlock.store.connection import Connection, sql_list
from interlock.store.partitions import PARTITIONED, PartitionsInUseError, drop_partitions, list_partitions

#: The totals of runs that were removed. They are derived from the chain, as the index of actions is.
_FORGOTTEN_RUNS = """
    DELETE FROM interlock_totals WHERE what = 'run' AND last_at < :before
    AND NOT EXISTS (SELECT 1 FROM interlock_runs WHERE interlock_runs.run_id = interlock_totals.name)
"""


def count_prunable(journal: Journal, before: int) -> int:
    """Return how many records would be removed."""
    with journal.database.read() as connection:
        base = connection.value("SELECT base_seq FROM interlock_head") or 0
        return max(0, _cut(connection, before) - base)


def prune(journal: Journal, before: int, actor: str, *, most: int | None = None) -> int:
    """Remove the records older than a time, and return how many; rows in use get a new record.

    With `most`, remove one partition whose records are all older, or else so many records.
    """
    try:
        return _prune(journal, before, actor, most, drop=True)
    except PartitionsInUseError:  # deleting rows waits for no reader
        return _prune(journal, before, actor, most, drop=False)


def _prune(journal: Journal, before: int, actor: str, most: int | None, *, drop: bool) -> int:
    """Remove old records in one transaction, whole partitions of them if `drop` is set."""

    def operation(transaction: Transaction) -> int:
        connection = transaction.connection
        cut, base = _cut(connection, before), transaction.before.base_seq
        cut = cut if most is None else _limit(connection, cut, base, most, drop=drop)
        if cut <= base:
            return 0
        last = connection.value("SELECT hash FROM interlock_records WHERE seq = :cut", cut=cut)
        if last is None:
            raise StoreError("the chain has a gap; run `interlock audit verify`")
        sign_point(transaction, cut, last)
        for described in ROW_RECORDS.values():
            _prune_table(transaction, described, cut, actor)
        connection.run(_FORGOTTEN_RUNS, before=before)
        if drop:
            drop_partitions(connection, cut)
        for table in PARTITIONED:
            connection.run(f"DELETE FROM {table.name} WHERE seq <= :cut", cut=cut)
        transaction.base = cut, last
        data = {"upTo": cut, "removed": cut - base}
        transaction.append(
            Entry(kind="prune", at=now().wall, actor=actor, name=str(cut), outcome=str(cut - base), data=data)
        )
        return int(cut - base)

    return journal.reset_derived(operation)


def _limit(connection: Connection, cut: int, base: int, most: int, *, drop: bool) -> int:
    """Return where one step ends: at the end of the oldest partition if all of it is old, or after `most` records."""
    old = [found.end - 1 for found in list_partitions(connection)[:-1] if base < found.end - 1 <= cut] if drop else []
    return old[0] if old else min(cut, base + most)


def _cut(connection: Connection, before: int) -> int:
    """Return the last record before the first one that is at least as new as a time."""
    young = connection.value("SELECT min(seq) FROM interlock_records WHERE at >= :before", before=before)
    newest = connection.value("SELECT max(seq) FROM interlock_records") or 0
    return int(newest if young is None else young - 1)


#: Which rows of a table are no longer in use, so that they are removed with their records.
_UNUSED = {
    "approvals": "state <> 'pending'",
    "grants": "(revoked_at IS NOT NULL OR expires_at < :at)",
    "runs": f"state IN {sql_list(CLOSED)}",
    "access": "revoked_at IS NOT NULL",
    "stops": "lifted_at IS NOT NULL",
    "webhooks": "state = 'removed'",
    "channels": "state = 'removed'",
    "browsers": "removed_at IS NOT NULL",
    "answers": "approval_id NOT IN (SELECT approval_id FROM interlock_approvals)",
    "comments": "approval_id NOT IN (SELECT approval_id FROM interlock_approvals)",
    "assignments": "approval_id NOT IN (SELECT approval_id FROM interlock_approvals)",
    "views": "removed_at IS NOT NULL",
    "quiz_attempts": "approval_id NOT IN (SELECT approval_id FROM interlock_approvals)",
    "checkpoints": "seq > 0",
}


def _prune_table(transaction: Transaction, described: RowRecords, cut: int, actor: str) -> None:
    """Remove the rows that are no longer in use, and record the others anew, since their records are removed."""
    table, connection = described.table, transaction.connection
    unused = _UNUSED.get(described.name)
    if unused is not None:
        at = {"at": now().wall} if ":at" in unused else {}
        connection.run(f"DELETE FROM {table.name} WHERE seq <= :cut AND {unused}", cut=cut, **at)
    for found in connection.rows(f"SELECT * FROM {table.name} WHERE seq <= :cut", cut=cut):
        check_row(transaction, table, found)
        row = {name: value for name, value in found.items() if name != "seq"}
        fields: dict[str, Any] = dict(described.record_fields(row))
        entry = Entry(kind=kind_after_pruning(table), at=now().wall, actor=actor, **fields)
        write_row(transaction, table, row, entry, new=False)

"""Pruning: older records are removed, and a signed checkpoint speaks for them, so that the rest stays provable."""

from __future__ import annotations

from typing import Any

from interlock.audit.chain import Transaction
from interlock.audit.checkpoint import sign_point
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import TELLING, Telling, kept_kind, must_be_told, write_row
from interlock.audit.runs import CLOSED
from interlock.errors import StoreError
from interlock.store.clock import now
from interlock.store.connection import Connection, listed


def prunable(journal: Journal, before: int) -> int:
    """Return how many records are older than a time, and could be removed."""
    with journal.database.read() as connection:
        base = connection.value("SELECT base_seq FROM interlock_head") or 0
        return max(0, _cut(connection, before) - base)


def prune(journal: Journal, before: int, actor: str) -> int:
    """Remove the records older than a time; return how many. What is still in force is told anew."""

    def operation(transaction: Transaction) -> int:
        connection = transaction.connection
        cut, base = _cut(connection, before), transaction.before.base_seq
        if cut <= base:
            return 0
        last = connection.value("SELECT hash FROM interlock_records WHERE seq = :cut", cut=cut)
        if last is None:
            raise StoreError("the chain has a gap; `interlock audit verify` says where")
        sign_point(transaction, cut, last)
        for telling in TELLING.values():
            _prune_table(transaction, telling, cut, actor)
        connection.run("DELETE FROM interlock_records WHERE seq <= :cut", cut=cut)
        transaction.base = cut, last
        data = {"upTo": cut, "removed": cut - base}
        transaction.append(
            Entry(kind="prune", at=now().wall, actor=actor, name=str(cut), outcome=str(cut - base), data=data)
        )
        return int(cut - base)

    return journal.commit(operation)


def _cut(connection: Connection, before: int) -> int:
    """Return the last record that is older than a time, with everything before it."""
    young = connection.value("SELECT min(seq) FROM interlock_records WHERE at >= :before", before=before)
    newest = connection.value("SELECT max(seq) FROM interlock_records") or 0
    return int(newest if young is None else young - 1)


#: Which rows of a table have come to an end, so that they go with their records.
_ENDED = {
    "approvals": "state <> 'pending'",
    "grants": "(revoked_at IS NOT NULL OR expires_at < :at)",
    "runs": f"state IN {listed(CLOSED)}",
    "access": "revoked_at IS NOT NULL",
    "webhooks": "state = 'removed'",
    "answers": "approval_id NOT IN (SELECT approval_id FROM interlock_approvals)",
    "checkpoints": "seq > 0",
}


def _prune_table(transaction: Transaction, telling: Telling, cut: int, actor: str) -> None:
    """Remove the rows that have come to an end, and tell of the others anew, since their records go."""
    table, connection = telling.table, transaction.connection
    ended = _ENDED.get(telling.name)
    if ended is not None:
        at = {"at": now().wall} if ":at" in ended else {}
        connection.run(f"DELETE FROM {table.name} WHERE seq <= :cut AND {ended}", cut=cut, **at)
    for found in connection.rows(f"SELECT * FROM {table.name} WHERE seq <= :cut", cut=cut):
        must_be_told(transaction, table, found)
        row = {name: value for name, value in found.items() if name != "seq"}
        named: dict[str, Any] = {to: str(row[name]) for to, name in zip(telling.record, telling.row, strict=True)}
        entry = Entry(kind=kept_kind(table), at=now().wall, actor=actor, **named)
        write_row(transaction, table, row, entry, new=False)

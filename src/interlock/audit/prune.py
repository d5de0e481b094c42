"""Pruning: older records are removed, and a signed checkpoint speaks for them, so that the rest stays provable."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, delete, func, or_, select

from interlock.audit.chain import Transaction
from interlock.audit.checkpoint import sign_point
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import TELLING, Telling, kept_kind, must_be_told, write_row
from interlock.audit.runs import CLOSED
from interlock.errors import StoreError
from interlock.store.clock import now
from interlock.store.tables import access, answers, approvals, checkpoints, grants, head, records, runs, webhooks


def prunable(journal: Journal, before: int) -> int:
    """Return how many records are older than a time, and could be removed."""
    with journal.database.read() as connection:
        base = connection.execute(select(head.c.base_seq)).scalar() or 0
        return max(0, _cut(connection, before) - base)


def prune(journal: Journal, before: int, actor: str) -> int:
    """Remove the records older than a time; return how many. What is still in force is told anew."""

    def operation(transaction: Transaction) -> int:
        connection = transaction.connection
        cut, base = _cut(connection, before), transaction.before.base_seq
        if cut <= base:
            return 0
        last = connection.execute(select(records.c.hash).where(records.c.seq == cut)).scalar()
        if last is None:
            raise StoreError("the chain has a gap; `interlock audit verify` says where")
        sign_point(transaction, cut, last)
        for telling in TELLING.values():
            _prune_table(transaction, telling, cut, actor)
        connection.execute(delete(records).where(records.c.seq <= cut))
        transaction.base = cut, last
        data = {"upTo": cut, "removed": cut - base}
        transaction.append(
            Entry(kind="prune", at=now().wall, actor=actor, name=str(cut), outcome=str(cut - base), data=data)
        )
        return int(cut - base)

    return journal.commit(operation)


def _cut(connection: Any, before: int) -> int:
    """Return the last record that is older than a time, with everything before it."""
    young = connection.execute(select(func.min(records.c.seq)).where(records.c.at >= before)).scalar()
    newest = connection.execute(select(func.max(records.c.seq))).scalar() or 0
    return int(newest if young is None else young - 1)


def _ended(telling: Telling) -> ColumnElement[bool] | None:
    """Return which rows of a table have come to an end, so that they go with their records."""
    at = now().wall
    return {
        "approvals": approvals.c.state != "pending",
        "grants": or_(grants.c.revoked_at.is_not(None), grants.c.expires_at < at),
        "runs": runs.c.state.in_(CLOSED),
        "access": access.c.revoked_at.is_not(None),
        "webhooks": webhooks.c.state == "removed",
        "answers": answers.c.approval_id.not_in(select(approvals.c.approval_id)),
        "checkpoints": checkpoints.c.seq > 0,
    }.get(telling.name)


def _prune_table(transaction: Transaction, telling: Telling, cut: int, actor: str) -> None:
    """Remove the rows that have come to an end, and tell of the others anew, since their records go."""
    table, connection = telling.table, transaction.connection
    old, ended = table.c.seq <= cut, _ended(telling)
    if ended is not None:
        connection.execute(delete(table).where(and_(old, ended)))
    for found in connection.execute(select(table).where(old)).mappings().all():
        must_be_told(transaction, table, dict(found))
        row = {name: value for name, value in found.items() if name != "seq"}
        named: dict[str, Any] = {to: str(row[name]) for to, name in zip(telling.record, telling.row, strict=True)}
        entry = Entry(kind=kept_kind(table), at=now().wall, actor=actor, **named)
        write_row(transaction, table, row, entry, new=False)

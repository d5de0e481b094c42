"""A delivery: one record for one webhook, from the moment it is noted until it has arrived or nobody tries any more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.audit.chain import Transaction
from interlock.errors import MissingError
from interlock.model import Struct
from interlock.policy.tiers import plain
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.connection import Connection, Row, sql_list
from interlock.store.tables import deliveries

WAITING, SENDING, DELIVERED, FAILED = "waiting", "sending", "delivered", "failed"
OPEN, ENDED = (WAITING, SENDING), (DELIVERED, FAILED)
#: So long it is told what became of a delivery.
KEPT_SECONDS = 30 * 86_400


class Delivery(Struct, frozen=True, kw_only=True):
    """What became of telling a webhook of a record. `due_at` is when it is tried next, or when it ended."""

    delivery_id: str
    record_seq: int
    state: str
    tries: int
    due_at: int
    tried_at: int | None
    status: int | None
    error: str


def newest(connection: Connection, webhook_id: str, limit: int, before: int = 2**62) -> list[Delivery]:
    """Return the deliveries of a webhook, those of the newest records first."""
    query = (
        "SELECT * FROM interlock_deliveries WHERE webhook_id = :webhook_id AND record_seq < :before "
        "ORDER BY record_seq DESC LIMIT :most"
    )
    return [delivery_of(row) for row in connection.rows(query, webhook_id=webhook_id, before=before, most=limit)]


def find(connection: Connection, webhook_id: str, delivery_id: str) -> Row:
    """Return the row of a delivery, or raise."""
    query = "SELECT * FROM interlock_deliveries WHERE webhook_id = :webhook_id AND delivery_id = :delivery_id"
    sane = delivery_id.isascii() and delivery_id.isalnum()
    found = connection.row(query, webhook_id=webhook_id, delivery_id=delivery_id) if sane else None
    if found is None:
        raise MissingError(f"there is no delivery `{plain(delivery_id)[:80]}` of this webhook; its log lists them")
    return found


def write(connection: Connection, delivery_id: str, **changes: Any) -> None:
    """Change the row of a delivery."""
    connection.update(deliveries, {"delivery_id": delivery_id}, **changes)


def give_up(connection: Connection, webhook_id: str, why: str) -> None:
    """Note that what is still open for a webhook is not sent, and why."""
    query = (
        "UPDATE interlock_deliveries SET state = 'failed', due_at = :at, error = :why "
        f"WHERE webhook_id = :webhook_id AND state IN {sql_list(OPEN)}"
    )
    connection.run(query, at=now_in(connection).wall, why=why, webhook_id=webhook_id)


def forget(transaction: Transaction) -> int:
    """Forget what ended long ago; return how many deliveries that were."""
    before = now_in(transaction.connection).wall - KEPT_SECONDS * MICROSECONDS
    query = f"DELETE FROM interlock_deliveries WHERE state IN {sql_list(ENDED)} AND due_at < :before"
    return transaction.connection.run(query, before=before)


def delivery_of(row: Mapping[Any, Any]) -> Delivery:
    """Return the delivery of a row."""
    return Delivery(**{name: row[name] for name in Delivery.__struct_fields__})

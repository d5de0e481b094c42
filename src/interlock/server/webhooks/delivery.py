"""A delivery: one record for one webhook, from the queue until it has arrived or has failed for good."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.audit.chain import Transaction
from interlock.errors import MissingError
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.connection import Connection, Row, sql_list
from interlock.store.tables import deliveries

WAITING, SENDING, DELIVERED, FAILED = "waiting", "sending", "delivered", "failed"
OPEN, ENDED = (WAITING, SENDING), (DELIVERED, FAILED)
#: How long deliveries that have ended stay in the log.
KEPT_SECONDS = 30 * 86_400


class Delivery(Struct, frozen=True, kw_only=True):
    """The state of sending one record to one webhook. `due_at` is the next attempt, or when the delivery ended."""

    delivery_id: str
    record_seq: int
    state: str
    tries: int
    due_at: int
    tried_at: int | None
    status: int | None
    error: str


def list_newest(connection: Connection, webhook_id: str, limit: int, before: int = 2**62) -> list[Delivery]:
    """Return the deliveries of a webhook, newest records first."""
    query = (
        "SELECT * FROM interlock_deliveries WHERE webhook_id = :webhook_id AND record_seq < :before "
        "ORDER BY record_seq DESC LIMIT :most"
    )
    return [delivery_of(row) for row in connection.rows(query, webhook_id=webhook_id, before=before, most=limit)]


def find_delivery(connection: Connection, webhook_id: str, delivery_id: str) -> Row:
    """Return the row of a delivery, or raise."""
    query = "SELECT * FROM interlock_deliveries WHERE webhook_id = :webhook_id AND delivery_id = :delivery_id"
    valid = delivery_id.isascii() and delivery_id.isalnum()
    found = connection.row(query, webhook_id=webhook_id, delivery_id=delivery_id) if valid else None
    if found is None:
        raise MissingError(f"this webhook has no delivery `{plain(delivery_id)[:80]}`; `GET …/deliveries` lists them")
    return found


def update_delivery(connection: Connection, delivery_id: str, **changes: Any) -> None:
    """Change the row of a delivery."""
    connection.update(deliveries, {"delivery_id": delivery_id}, **changes)


def fail_open_deliveries(connection: Connection, webhook_id: str, why: str) -> None:
    """Mark every open delivery of a webhook as failed, with the reason."""
    query = (
        "UPDATE interlock_deliveries SET state = 'failed', due_at = :at, error = :why "
        f"WHERE webhook_id = :webhook_id AND state IN {sql_list(OPEN)}"
    )
    connection.run(query, at=now_in(connection).wall, why=why, webhook_id=webhook_id)


def delete_old_deliveries(transaction: Transaction) -> int:
    """Delete deliveries that ended long ago; return how many."""
    before = now_in(transaction.connection).wall - KEPT_SECONDS * MICROSECONDS
    query = f"DELETE FROM interlock_deliveries WHERE state IN {sql_list(ENDED)} AND due_at < :before"
    return transaction.connection.run(query, before=before)


def delivery_of(row: Mapping[Any, Any]) -> Delivery:
    """Return the delivery of a row."""
    return Delivery(**{name: row[name] for name in Delivery.__struct_fields__})

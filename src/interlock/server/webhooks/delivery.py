"""A delivery: one record for one webhook, from the moment it is noted until it has arrived or nobody tries any more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, select, update

from interlock.audit.chain import Transaction
from interlock.errors import MissingError
from interlock.model import Struct
from interlock.policy.tiers import plain
from interlock.store.clock import MICROSECONDS, now_in
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
    query = select(deliveries).where(deliveries.c.webhook_id == webhook_id, deliveries.c.record_seq < before)
    query = query.order_by(deliveries.c.record_seq.desc()).limit(limit)
    return [delivery_of(row) for row in connection.execute(query).mappings()]


def find(connection: Connection, webhook_id: str, delivery_id: str) -> dict[str, Any]:
    """Return the row of a delivery, or raise."""
    mine = deliveries.c.webhook_id == webhook_id, deliveries.c.delivery_id == delivery_id
    sane = delivery_id.isascii() and delivery_id.isalnum()
    found = connection.execute(select(deliveries).where(*mine)).mappings().first() if sane else None
    if found is None:
        raise MissingError(f"there is no delivery `{plain(delivery_id)[:80]}` of this webhook; its log lists them")
    return dict(found)


def write(connection: Connection, delivery_id: str, **changes: Any) -> None:
    """Change the row of a delivery."""
    connection.execute(update(deliveries).where(deliveries.c.delivery_id == delivery_id).values(**changes))


def give_up(connection: Connection, webhook_id: str, why: str) -> None:
    """Note that what is still open for a webhook is not sent, and why."""
    mine = deliveries.c.webhook_id == webhook_id, deliveries.c.state.in_(OPEN)
    ended = {"state": FAILED, "due_at": now_in(connection).wall, "error": why}
    connection.execute(update(deliveries).where(*mine).values(**ended))


def forget(transaction: Transaction) -> int:
    """Forget what ended long ago; return how many deliveries that were."""
    before = now_in(transaction.connection).wall - KEPT_SECONDS * MICROSECONDS
    query = delete(deliveries).where(deliveries.c.state.in_(ENDED), deliveries.c.due_at < before)
    return int(transaction.connection.execute(query).rowcount)


def delivery_of(row: Mapping[Any, Any]) -> Delivery:
    """Return the delivery of a row."""
    return Delivery(**{name: row[name] for name in Delivery.__struct_fields__})

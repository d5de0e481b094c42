"""The outbox: the queue of deliveries, filled from the chain and leased to one server at a time.

Everything here runs inside a transaction that holds the lock of the outbox, or has the store alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from interlock.audit.chain import Transaction
from interlock.errors import ConflictError
from interlock.ids import new_id
from interlock.server.webhooks.delivery import (
    DELIVERED,
    FAILED,
    OPEN,
    SENDING,
    WAITING,
    Delivery,
    delivery_of,
    find_delivery,
    update_delivery,
)
from interlock.server.webhooks.retry_schedule import RetrySchedule
from interlock.server.webhooks.sender import GONE, SendResult
from interlock.server.webhooks.webhook import MOVE_CURSOR, OFF, cursor_name, expand_kinds, find_existing, switch_off
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.connection import Connection, sql_list
from interlock.store.tables import cursors, deliveries

#: How long a server's lease on a delivery lasts; after that, another server may send it.
LEASE_SECONDS = 60
#: How many records are queued at once, and how many deliveries may be open for one webhook.
BATCH, MAX_OPEN = 500, 10_000
#: The name of the lock that keeps other servers out.
LOCK = "outbox of webhooks"


_DUE = f"state IN {sql_list(OPEN)} AND due_at <= :at"
#: An expression, so that the database does not use the index on `webhook_id`, which covers every delivery ever made,
#: but the one on `state`, which finds the open ones alone.
_OF_WEBHOOK = "webhook_id || '' = :webhook_id"


class ClaimedDelivery(NamedTuple):
    """A delivery that this server has leased and sends now."""

    delivery_id: str
    webhook_id: str
    record_seq: int
    tries: int
    url: str
    secret: str


def webhooks_with_due_deliveries(connection: Connection) -> set[str]:
    """Return the ids of webhooks with a delivery that is due."""
    query = f"SELECT DISTINCT webhook_id FROM interlock_deliveries WHERE {_DUE}"
    return set(connection.values(query, at=now_in(connection).wall))


def has_new_records(connection: Connection, row: dict[str, Any]) -> bool:
    """Whether there are records to queue for a webhook, and room for them."""
    return bool(_new_records(connection, row, 1)) and _room(connection, row) > 0


def enqueue_new_records(transaction: Transaction, row: dict[str, Any]) -> None:
    """Queue the new records that a webhook subscribes to, and move its cursor past them."""
    connection, room = transaction.connection, min(BATCH, _room(transaction.connection, row))
    found = _new_records(connection, row, room) if room > 0 else []
    if not found:
        return
    at = now_in(connection).wall
    shared = {"webhook_id": row["webhook_id"], "state": WAITING, "tries": 0, "due_at": at, "error": ""}
    rows = [{"delivery_id": new_id(), "record_seq": seq, **shared} for seq in found]
    connection.insert(deliveries, *rows, otherwise="ON CONFLICT DO NOTHING")  # a cursor may have been moved back
    connection.insert(cursors, {"name": cursor_name(row["webhook_id"]), "at": found[-1]}, otherwise=MOVE_CURSOR)


def claim(transaction: Transaction, row: dict[str, Any], limit: int) -> list[ClaimedDelivery]:
    """Lease the deliveries that are due for a webhook, so that no other server sends them; return them."""
    connection, at = transaction.connection, now_in(transaction.connection).wall
    query = f"SELECT * FROM interlock_deliveries WHERE {_OF_WEBHOOK} AND {_DUE} ORDER BY due_at, record_seq LIMIT :most"
    until = at + LEASE_SECONDS * MICROSECONDS
    leased = []
    for one in connection.rows(query, webhook_id=row["webhook_id"], at=at, most=limit):
        tries = one["tries"] + 1
        update_delivery(connection, one["delivery_id"], state=SENDING, tries=tries, due_at=until, tried_at=at)
        ids = one["delivery_id"], row["webhook_id"], one["record_seq"], tries
        leased.append(ClaimedDelivery(*ids, row["url"], row["secret"]))
    return leased


def record_result(
    transaction: Transaction, claimed: ClaimedDelivery, result: SendResult, schedule: RetrySchedule
) -> str | None:
    """Record the result of an attempt; return the new state, or None if this server's lease was taken over."""
    connection, at = transaction.connection, now_in(transaction.connection).wall
    state, wait = _after(claimed, result, schedule)
    leased = {"delivery_id": claimed.delivery_id, "tries": claimed.tries, "state": SENDING}
    changes = {"state": state, "due_at": at + int(wait * MICROSECONDS), "status": result.status, "error": result.error}
    written = connection.update(deliveries, leased, **changes)
    if result.status == GONE:
        switch_off(transaction, claimed.webhook_id, claimed.url, result.error)
    return state if written else None


def retry(transaction: Transaction, webhook_id: str, delivery_id: str) -> Delivery:
    """Queue a delivery again, whatever its state, with a fresh set of attempts; return it."""
    if find_existing(transaction, webhook_id)["state"] == OFF:
        raise ConflictError(f"webhook `{webhook_id}` is off; switch it on first")
    row = find_delivery(transaction.connection, webhook_id, delivery_id)
    at = now_in(transaction.connection).wall
    if row["state"] == SENDING and row["due_at"] > at:
        raise ConflictError("the delivery is being sent right now; try again in a minute")
    changes = {"state": WAITING, "tries": 0, "due_at": at, "status": None, "error": ""}
    update_delivery(transaction.connection, delivery_id, **changes)
    return delivery_of({**row, **changes})


def _after(claimed: ClaimedDelivery, result: SendResult, schedule: RetrySchedule) -> tuple[str, float]:
    """Return the state of a delivery after an attempt, and how many seconds until the next."""
    if not result.error:
        return DELIVERED, 0.0
    wait = None if result.final else schedule.delay_after(claimed.tries)
    return (FAILED, 0.0) if wait is None else (WAITING, wait)


def _new_records(connection: Connection, row: dict[str, Any], limit: int) -> list[int]:
    """Return the first records that a webhook subscribes to and that are not queued yet."""
    name = cursor_name(row["webhook_id"])
    after = connection.value("SELECT at FROM interlock_cursors WHERE name = :name", name=name)
    kinds = sql_list(expand_kinds(row["kinds"]))
    query = f"SELECT seq FROM interlock_records WHERE kind IN {kinds} AND seq > :after ORDER BY seq LIMIT :most"
    return connection.values(query, after=row["seq"] if after is None else after, most=limit)


def _room(connection: Connection, row: dict[str, Any]) -> int:
    """Return how many more deliveries may be open for a webhook."""
    count = f"SELECT count(*) FROM interlock_deliveries WHERE {_OF_WEBHOOK} AND state IN {sql_list(OPEN)}"
    return MAX_OPEN - int(connection.value(count, webhook_id=row["webhook_id"]))

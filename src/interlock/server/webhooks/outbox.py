"""The outbox: what has to be sent, noted from the chain, taken by one server at a time, and settled by what came of it.

Everything here happens inside a transaction, and those come one after the other, whichever server they are of.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from interlock.audit.chain import Transaction
from interlock.audit.record import new_id
from interlock.errors import ConflictError
from interlock.server.webhooks.delivery import (
    DELIVERED,
    FAILED,
    OPEN,
    SENDING,
    WAITING,
    Delivery,
    delivery_of,
    find,
    write,
)
from interlock.server.webhooks.line import GONE, Reply
from interlock.server.webhooks.schedule import Schedule
from interlock.server.webhooks.webhook import MOVED, OFF, cursor_name, standing, switch_off, wanted
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.connection import Connection, sql_list
from interlock.store.tables import cursors, deliveries

#: So long nobody else sends what a server has taken; after that, the server is thought to be gone.
CLAIM_SECONDS = 60
#: So many records are noted at once, and so many at most are open for one webhook; the cursor waits for the others.
BATCH, MAX_OPEN = 500, 10_000


_DUE = f"state IN {sql_list(OPEN)} AND due_at <= :at"
#: The column is made an expression: the index that it begins leads through everything that a webhook was ever told,
#: and the one that begins with the state only through what is open.
_MINE = "webhook_id || '' = :webhook_id"


class Claimed(NamedTuple):
    """A delivery that this server sends now."""

    delivery_id: str
    webhook_id: str
    record_seq: int
    tries: int
    url: str
    secret: str


def due_now(connection: Connection) -> set[str]:
    """Return the webhooks for which there is something to send."""
    query = f"SELECT DISTINCT webhook_id FROM interlock_deliveries WHERE {_DUE}"
    return set(connection.values(query, at=now_in(connection).wall))


def has_new(connection: Connection, row: dict[str, Any]) -> bool:
    """Whether there is something to note for a webhook, and room for it."""
    return bool(_new(connection, row, 1)) and _room(connection, row) > 0


def note_new(transaction: Transaction, row: dict[str, Any]) -> None:
    """Note the records that a webhook has to be told of, and how far that has come."""
    connection, room = transaction.connection, min(BATCH, _room(transaction.connection, row))
    found = _new(connection, row, room) if room > 0 else []
    if not found:
        return
    at = now_in(connection).wall
    shared = {"webhook_id": row["webhook_id"], "state": WAITING, "tries": 0, "due_at": at, "error": ""}
    rows = [{"delivery_id": new_id(), "record_seq": seq, **shared} for seq in found]
    connection.insert(deliveries, *rows, otherwise="ON CONFLICT DO NOTHING")  # where a cursor was set back
    connection.insert(cursors, {"name": cursor_name(row["webhook_id"]), "at": found[-1]}, otherwise=MOVED)


def claim(transaction: Transaction, row: dict[str, Any], limit: int) -> list[Claimed]:
    """Take what is due for a webhook, so that no other server sends it too; return that."""
    connection, at = transaction.connection, now_in(transaction.connection).wall
    query = f"SELECT * FROM interlock_deliveries WHERE {_MINE} AND {_DUE} ORDER BY due_at, record_seq LIMIT :most"
    until = at + CLAIM_SECONDS * MICROSECONDS
    taken = []
    for one in connection.rows(query, webhook_id=row["webhook_id"], at=at, most=limit):
        tries = one["tries"] + 1
        write(connection, one["delivery_id"], state=SENDING, tries=tries, due_at=until, tried_at=at)
        named = one["delivery_id"], row["webhook_id"], one["record_seq"], tries
        taken.append(Claimed(*named, row["url"], row["secret"]))
    return taken


def settle(transaction: Transaction, claimed: Claimed, reply: Reply, schedule: Schedule) -> str | None:
    """Write what came of a try; return the delivery's state, or None where it was taken out of our hands."""
    connection, at = transaction.connection, now_in(transaction.connection).wall
    state, wait = _after(claimed, reply, schedule)
    mine = {"delivery_id": claimed.delivery_id, "tries": claimed.tries, "state": SENDING}
    result = {"state": state, "due_at": at + int(wait * MICROSECONDS), "status": reply.status, "error": reply.error}
    written = connection.update(deliveries, mine, **result)
    if reply.status == GONE:
        switch_off(transaction, claimed.webhook_id, claimed.url, reply.error)
    return state if written else None


def retry(transaction: Transaction, webhook_id: str, delivery_id: str) -> Delivery:
    """Have something sent once more, whatever became of it, with as many tries as a new one; return it."""
    if standing(transaction, webhook_id)["state"] == OFF:
        raise ConflictError(f"webhook `{webhook_id}` is off; switch it on first")
    row = find(transaction.connection, webhook_id, delivery_id)
    at = now_in(transaction.connection).wall
    if row["state"] == SENDING and row["due_at"] > at:
        raise ConflictError("it is being sent right now; look again in a minute")
    changes = {"state": WAITING, "tries": 0, "due_at": at, "status": None, "error": ""}
    write(transaction.connection, delivery_id, **changes)
    return delivery_of({**row, **changes})


def _after(claimed: Claimed, reply: Reply, schedule: Schedule) -> tuple[str, float]:
    """Return the state of a delivery after a try, and how many seconds it waits then."""
    if not reply.error:
        return DELIVERED, 0.0
    wait = None if reply.final else schedule.after(claimed.tries)
    return (FAILED, 0.0) if wait is None else (WAITING, wait)


def _new(connection: Connection, row: dict[str, Any], limit: int) -> list[int]:
    """Return the first records that a webhook has to be told of and that were not noted yet."""
    name = cursor_name(row["webhook_id"])
    after = connection.value("SELECT at FROM interlock_cursors WHERE name = :name", name=name)
    kinds = sql_list(wanted(row["kinds"]))
    query = f"SELECT seq FROM interlock_records WHERE kind IN {kinds} AND seq > :after ORDER BY seq LIMIT :most"
    return connection.values(query, after=row["seq"] if after is None else after, most=limit)


def _room(connection: Connection, row: dict[str, Any]) -> int:
    """Return how many more deliveries may be open for a webhook."""
    count = f"SELECT count(*) FROM interlock_deliveries WHERE {_MINE} AND state IN {sql_list(OPEN)}"
    return MAX_OPEN - int(connection.value(count, webhook_id=row["webhook_id"]))

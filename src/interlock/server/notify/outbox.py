"""The outbox of notifications: planned when a request is opened, and leased to one server at a time.

Everything here runs inside a transaction that holds the lock of the outbox, or has the store alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec

from interlock.approval.request import Approval, ApprovalState
from interlock.approval.rows import read_approval
from interlock.audit.chain import Transaction
from interlock.model import Struct
from interlock.server.notify.channel import ENDED, ESCALATED, REQUESTED, Receipt
from interlock.server.notify.preferences import Preferences
from interlock.server.notify.recipients import plan
from interlock.server.webhooks.webhook import MOVE_CURSOR
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.connection import Connection, Row, sql_list
from interlock.store.tables import cursors, notifications
from interlock.store.where import Where

WAITING, SENDING, SENT, SKIPPED, FAILED = "waiting", "sending", "sent", "skipped", "failed"
OPEN, DONE = (WAITING, SENDING), (SENT, SKIPPED, FAILED)
#: How long a server's lease lasts; after that, another server may send the message.
LEASE_SECONDS = 120
#: How long messages are kept once their request has ended.
KEPT_SECONDS = 30 * 86_400
BATCH = 100
CURSOR = "notifications"
#: The name of the lock that keeps other servers out.
LOCK = "outbox of notifications"
REQUEST = "approval.requested"
ENDS = tuple(f"approval.{state.value}" for state in ApprovalState if state is not ApprovalState.PENDING)
_KINDS = sql_list((REQUEST, *ENDS))


class QueuedMessage(Struct, frozen=True, kw_only=True):
    """A message in the outbox. `receipt` is what the channel returned when it was sent."""

    notification_id: str
    approval_id: str
    person: str
    channel: str
    recipient: str
    kind: str
    state: str
    tries: int
    due_at: int
    tried_at: int | None
    error: str
    receipt: Receipt | None


def has_work(connection: Connection, channels: Collection[str]) -> bool:
    """Whether there are records to plan for, or messages of these channels that are due."""
    return bool(_new_records(connection, 1) or _due(connection, channels, 1))


def begin(transaction: Transaction) -> None:
    """Start with the records from now on, unless there is a cursor."""
    first = "INSERT INTO interlock_cursors (name, at) VALUES (:name, :at) ON CONFLICT DO NOTHING"
    newest = transaction.connection.value("SELECT max(seq) FROM interlock_records") or 0
    transaction.connection.run(first, name=CURSOR, at=newest)


def next_records(transaction: Transaction) -> list[tuple[str, str]]:
    """Return the kind and the request of the next records, and move the cursor past them."""
    found = _new_records(transaction.connection, BATCH)
    if found:
        transaction.connection.insert(cursors, {"name": CURSOR, "at": found[-1][0]}, otherwise=MOVE_CURSOR)
    return [(kind, approval_id) for _, kind, approval_id in found]


def enqueue(transaction: Transaction, approval: Approval, people: Iterable[Preferences]) -> None:
    """Queue every message that a request will need unless it is answered."""
    everyone = {one.person: one for one in people}
    at = now_in(transaction.connection).wall
    rows = [
        _row(approval.approval_id, step.person, one.channel, one.address, step.kind, step.at)
        for step in plan(approval, everyone.values(), at)
        for one in everyone[step.person].destinations
    ]
    transaction.connection.insert(notifications, *rows, otherwise="ON CONFLICT DO NOTHING")


def enqueue_bulletin(transaction: Transaction, subject: str, person: Preferences, kind: str) -> None:
    """Queue a message without a request, to all addresses of a person."""
    at = now_in(transaction.connection).wall
    rows = [_row(subject, person.person, one.channel, one.address, kind, at) for one in person.destinations]
    if rows:
        transaction.connection.insert(notifications, *rows, otherwise="ON CONFLICT DO NOTHING")


def enqueue_updates(transaction: Transaction, approval_id: str, interactive: Collection[str]) -> None:
    """Drop what was not sent about a request that has ended, and queue an update of each message that was.

    Where messages cannot be changed, there is one update for each address, after the newest message.
    """
    connection = transaction.connection
    drop = "UPDATE interlock_notifications SET state = :state, error = :why WHERE approval_id = :id AND state = :open"
    connection.run(
        f"{drop} AND kind <> :kind", id=approval_id, state=SKIPPED, why="the request ended", open=WAITING, kind=ENDED
    )
    query = "SELECT * FROM interlock_notifications WHERE approval_id = :id AND state = :sent ORDER BY tried_at DESC"
    seen: set[tuple[str, ...]] = set()
    for row in connection.rows(query, id=approval_id, sent=SENT):
        address = (row["person"], row["channel"], row["recipient"])
        if row["kind"] != ENDED and (row["channel"] in interactive or address not in seen):
            enqueue_update(connection, row)
        seen.add(address)


def enqueue_update(connection: Connection, sent: Mapping[str, Any]) -> None:
    """Queue the update of a message that was sent."""
    at = now_in(connection).wall
    row = _row(sent["approval_id"], sent["person"], sent["channel"], sent["recipient"], ENDED, at)
    row |= {"receipt": sent["receipt"], "notification_id": _id(sent["notification_id"], ENDED)}
    connection.insert(notifications, row, otherwise="ON CONFLICT DO NOTHING")


def claim(transaction: Transaction, channels: Collection[str], limit: int) -> list[QueuedMessage]:
    """Lease the messages that are due, so that no other server sends them; return them."""
    connection, at = transaction.connection, now_in(transaction.connection).wall
    leased = []
    for row in _due(connection, channels, limit):
        changes = {"state": SENDING, "tries": row["tries"] + 1, "due_at": at + LEASE_SECONDS * MICROSECONDS}
        _update(connection, row["notification_id"], **changes, tried_at=at)
        leased.append(message_of({**row, **changes, "tried_at": at}))
    return leased


def finish(transaction: Transaction, message: QueuedMessage, state: str, **changes: Any) -> bool:
    """Record what became of a leased message; return whether this server still had the lease."""
    leased = {"notification_id": message.notification_id, "tries": message.tries, "state": SENDING}
    written = transaction.connection.update(notifications, leased, state=state, **changes)
    return bool(written)


def hasten_escalation(transaction: Transaction, approval_id: str) -> None:
    """Notify the next person now, if a message failed for good and no other has been sent or is in flight."""
    connection, which = transaction.connection, {"approval_id": approval_id, "kind": ESCALATED, "state": WAITING}
    told = "SELECT 1 FROM interlock_notifications WHERE approval_id = :approval_id AND (state = :sent OR kind = :kind "
    still = connection.value(
        f"{told} AND state IN {sql_list(OPEN)})", approval_id=approval_id, sent=SENT, kind=REQUESTED
    )
    if still is not None:
        return
    where = Where().equals(**which)
    first = connection.value(f"SELECT min(due_at) FROM interlock_notifications {where}", **where.given)
    if first is not None:
        connection.update(notifications, {**which, "due_at": first}, due_at=now_in(connection).wall)


def count_sent(connection: Connection, message: QueuedMessage, since: int) -> int:
    """Return how many messages went to the address of a message since a time."""
    query = (
        "SELECT count(*) FROM interlock_notifications WHERE person = :person AND due_at > :since AND state = :sent "
        "AND channel = :channel AND recipient = :recipient"
    )
    address = {"person": message.person, "channel": message.channel, "recipient": message.recipient}
    return int(connection.value(query, since=since, sent=SENT, **address))


def pending_request(connection: Connection, approval_id: str) -> Approval | None:
    """Return a request, or None if it was pruned."""
    row = connection.row("SELECT * FROM interlock_approvals WHERE approval_id = :id", id=approval_id)
    return None if row is None else read_approval(connection, row)


def list_newest(connection: Connection, person: str, limit: int) -> list[QueuedMessage]:
    """Return the newest messages to a person that were sent or failed."""
    query = (
        f"SELECT * FROM interlock_notifications WHERE person = :person AND state IN {sql_list((SENT, FAILED))} "
        "ORDER BY due_at DESC LIMIT :most"
    )
    return [message_of(row) for row in connection.rows(query, person=person, most=limit)]


def delete_old_messages(transaction: Transaction) -> int:
    """Delete messages that ended long ago; return how many."""
    before = now_in(transaction.connection).wall - KEPT_SECONDS * MICROSECONDS
    query = f"DELETE FROM interlock_notifications WHERE state IN {sql_list(DONE)} AND due_at < :before"
    return transaction.connection.run(query, before=before)


def message_of(row: Mapping[str, Any]) -> QueuedMessage:
    """Return the message of a row."""
    fields = {name: row[name] for name in QueuedMessage.__struct_fields__}
    receipt = None if row["receipt"] is None else msgspec.json.decode(row["receipt"], type=Receipt)
    return QueuedMessage(**{**fields, "receipt": receipt})


def _row(approval_id: str, person: str, channel: str, recipient: str, kind: str, due_at: int) -> dict[str, Any]:
    """Return the row of a new message. Its id follows from what it is, so that it exists once."""
    return {
        "notification_id": _id(approval_id, person, channel, recipient, kind),
        "approval_id": approval_id,
        "person": person,
        "channel": channel,
        "recipient": recipient,
        "kind": kind,
        "state": WAITING,
        "tries": 0,
        "due_at": due_at,
        "error": "",
    }


def _id(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _update(connection: Connection, notification_id: str, **changes: Any) -> None:
    connection.update(notifications, {"notification_id": notification_id}, **changes)


def _new_records(connection: Connection, limit: int) -> list[tuple[Any, ...]]:
    """Return the next records about requests: their numbers, kinds and requests."""
    after = connection.value("SELECT at FROM interlock_cursors WHERE name = :name", name=CURSOR)
    if after is None:
        return []
    query = f"SELECT seq, kind, approval_id FROM interlock_records WHERE kind IN {_KINDS} AND seq > :after"
    return connection.tuples(f"{query} ORDER BY seq LIMIT :most", after=after, most=limit)


def _due(connection: Connection, channels: Collection[str], limit: int) -> list[Row]:
    """Return the messages that are due, of the channels that this server has."""
    if not channels:
        return []
    names = {f"channel_{index}": name for index, name in enumerate(sorted(channels))}
    listed = ", ".join(f":{name}" for name in names)
    query = (
        f"SELECT * FROM interlock_notifications WHERE state IN {sql_list(OPEN)} AND due_at <= :at "
        f"AND channel IN ({listed}) ORDER BY due_at, notification_id LIMIT :most"
    )
    return connection.rows(query, at=now_in(connection).wall, most=limit, **names)

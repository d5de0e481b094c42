"""A webhook: where somebody wants to be told of which records. Each change of one is itself recorded."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.read import RecordFilter
from interlock.audit.record import KINDS, Entry, new_id
from interlock.audit.rows import check_row, write_row
from interlock.errors import ConflictError, InterlockError, MissingError, TamperedError
from interlock.model import Struct
from interlock.policy.tiers import plain
from interlock.server.webhooks.address import Reach, origin
from interlock.server.webhooks.delivery import give_up
from interlock.server.webhooks.signing import new_secret
from interlock.store.clock import now_in
from interlock.store.connection import Connection, Row
from interlock.store.tables import cursors, webhooks

ACTIVE, OFF, REMOVED = "active", "off", "removed"
DEFAULT_KINDS = ("approval", "risk")
MAX_WEBHOOKS = 100
#: What is done with a cursor that is there already.
MOVED = "ON CONFLICT (name) DO UPDATE SET at = excluded.at"
_LOG = logging.getLogger("interlock.server")


class Webhook(Struct, frozen=True, kw_only=True):
    """Where somebody is told, and of which kinds of records. While it is off, nothing is noted for it."""

    webhook_id: str
    url: str
    kinds: tuple[str, ...]
    state: str
    created_at: int
    created_by: str


class Webhooks:
    """The webhooks of a store."""

    def __init__(self, journal: Journal, reach: Reach) -> None:
        self._journal, self._reach = journal, reach

    def list(self) -> list[Webhook]:
        """Return every webhook that was not removed, the newest first."""
        query = "SELECT * FROM interlock_webhooks WHERE state <> 'removed' ORDER BY created_at DESC"
        with self._journal.database.read() as connection:
            return [_webhook(row) for row in connection.rows(query)]

    def get(self, webhook_id: str) -> Webhook:
        """Return a webhook, or raise."""
        with self._journal.database.read() as connection:
            return _webhook(_find(connection, webhook_id))

    def proved(self, webhook_id: str) -> Mapping[str, Any]:
        """Return the row of a webhook that was not removed, secret and all, once it is proved to be as written."""
        return self._journal.commit(lambda transaction: standing(transaction, webhook_id))

    def make(self, url: str, kinds: Sequence[str], actor: str) -> tuple[Webhook, str]:
        """Set up a webhook for records from now on; return it, and its secret, which nobody is shown again."""
        told, secret = checked_kinds(kinds), new_secret()
        self._reach.target(url)

        def operation(transaction: Transaction) -> Webhook:
            connection, at = transaction.connection, now_in(transaction.connection).wall
            count = connection.value("SELECT count(*) FROM interlock_webhooks WHERE state <> 'removed'")
            if count >= MAX_WEBHOOKS:
                raise ConflictError(f"there are {count} webhooks already, and no more than that; remove one")
            row: dict[str, Any] = {
                "webhook_id": new_id()[:12],
                "url": url,
                "secret": secret,
                "kinds": " ".join(told),
                "state": ACTIVE,
                "created_at": at,
                "created_by": actor,
            }
            seq = write_row(transaction, webhooks, row, _entry("webhook.made", row, actor, at), new=True)
            begin_after(connection, row["webhook_id"], seq)
            return _webhook(row)

        return self._journal.commit(operation), secret

    def change(self, webhook_id: str, actor: str, **changes: Any) -> Webhook:
        """Change the URL, the kinds, the state or the secret of a webhook. Switched on, it goes on from now."""
        if "url" in changes:
            self._reach.target(changes["url"])
        if "kinds" in changes:
            changes["kinds"] = " ".join(checked_kinds(changes["kinds"]))

        def operation(transaction: Transaction) -> Webhook:
            return _webhook(_change(transaction, standing(transaction, webhook_id), actor, changes))

        return self._journal.commit(operation)

    def remove(self, webhook_id: str, actor: str) -> Webhook:
        """Remove a webhook; nothing is sent to it any more."""

        def operation(transaction: Transaction) -> Webhook:
            found = standing(transaction, webhook_id)
            give_up(transaction.connection, webhook_id, "the webhook was removed")
            return _webhook(_change(transaction, found, actor, {"state": REMOVED}, kind="webhook.removed"))

        return self._journal.commit(operation)


def active(connection: Connection) -> list[Row]:
    """Return the rows of the webhooks that are told."""
    return connection.rows("SELECT * FROM interlock_webhooks WHERE state = 'active'")


def is_proved(transaction: Transaction, row: Mapping[str, Any]) -> bool:
    """Whether a webhook is as it was written: nobody else says where records are sent."""
    try:
        check_row(transaction, webhooks, row)
    except TamperedError as error:
        _LOG.error("nothing is sent to webhook %s: %s", row["webhook_id"], error)
        return False
    return True


def switch_off(transaction: Transaction, webhook_id: str, url: str, why: str) -> None:
    """Switch a webhook off whose receiver wants no more, unless it was given another one meanwhile."""
    row = _find(transaction.connection, webhook_id)
    if row["state"] == ACTIVE and row["url"] == url and is_proved(transaction, row):
        _change(transaction, row, "interlock", {"state": OFF}, why=why)


def begin_after(connection: Connection, webhook_id: str, seq: int) -> None:
    """Note from where on the records are told."""
    connection.insert(cursors, {"name": cursor_name(webhook_id), "at": seq}, otherwise=MOVED)


def cursor_name(webhook_id: str) -> str:
    """Return under which name a webhook's progress stands."""
    return f"webhook {webhook_id}"


def wanted(kinds: str) -> list[str]:
    """Return every kind of record that a webhook's kinds and families name.

    >>> wanted("grant start")
    ['start', 'grant.made', 'grant.used', 'grant.revoked']
    """
    named = set(kinds.split())
    return [kind for kind in KINDS if kind in named or kind.partition(".")[0] in named]


def checked_kinds(kinds: Sequence[str]) -> list[str]:
    """Return kinds and families of records, each once, or raise with the nearest right word."""
    for kind in kinds:
        RecordFilter(kind=kind)
    if not kinds:
        raise InterlockError("name at least one kind of record, as `approval`; or remove the webhook")
    return list(dict.fromkeys(kinds))


def _change(
    transaction: Transaction,
    found: Mapping[str, Any],
    actor: str,
    changes: Mapping[str, Any],
    kind: str = "webhook.changed",
    why: str = "",
) -> dict[str, Any]:
    row = {**{name: value for name, value in found.items() if name != "seq"}, **changes}
    at = now_in(transaction.connection).wall
    entry = _entry(kind, row, actor, at, changed=sorted(changes), **({"why": why} if why else {}))
    seq = write_row(transaction, webhooks, row, entry, new=False)
    if found["state"] == OFF and row["state"] == ACTIVE:
        begin_after(transaction.connection, row["webhook_id"], seq)
    return row


def standing(transaction: Transaction, webhook_id: str) -> dict[str, Any]:
    """Return the row of a webhook that was not removed, once it is proved."""
    row = _find(transaction.connection, webhook_id)
    check_row(transaction, webhooks, row)
    if row["state"] == REMOVED:
        raise ConflictError(f"webhook `{row['webhook_id']}` was removed; make another one")
    return row


def _find(connection: Connection, webhook_id: str) -> dict[str, Any]:
    query = "SELECT * FROM interlock_webhooks WHERE webhook_id = :webhook_id"
    sane = webhook_id.isascii() and webhook_id.isalnum()
    found = connection.row(query, webhook_id=webhook_id) if sane else None
    if found is None:
        raise MissingError(f"there is no webhook `{plain(webhook_id)[:80]}`; `GET /v1/webhooks` lists them")
    return found


def _entry(kind: str, row: Mapping[str, Any], actor: str, at: int, **more: Any) -> Entry:
    """Return what is recorded of a webhook: neither its secret nor the path of its URL, which may hold another."""
    data = {"to": origin(row["url"]), "kinds": row["kinds"].split(), "state": row["state"], **more}
    return Entry(kind=kind, at=at, actor=actor, name=row["webhook_id"], outcome=row["state"], data=data)


def _webhook(row: Mapping[Any, Any]) -> Webhook:
    shape = {name: row[name] for name in Webhook.__struct_fields__}
    return Webhook(**{**shape, "kinds": tuple(row["kinds"].split())})

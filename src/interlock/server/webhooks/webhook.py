"""Webhooks in the store: created, changed, switched off and removed. Every change is recorded."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.read import RecordFilter
from interlock.audit.record import KINDS, Entry
from interlock.audit.rows import check_row, write_row
from interlock.audit.undo_checks import require_exact_restoration, require_newest
from interlock.errors import ConflictError, InterlockError, MissingError, TamperedError
from interlock.ids import new_id
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.server.webhooks.address_policy import AddressPolicy, origin
from interlock.server.webhooks.delivery import fail_open_deliveries
from interlock.server.webhooks.signing import new_secret
from interlock.store.clock import now_in
from interlock.store.connection import Connection, Row
from interlock.store.tables import cursors, webhooks

ACTIVE, OFF, REMOVED = "active", "off", "removed"
DEFAULT_KINDS = ("approval", "risk")
MAX_WEBHOOKS = 100
#: Moves a cursor that already exists.
MOVE_CURSOR = "ON CONFLICT (name) DO UPDATE SET at = excluded.at"
_LOG = logging.getLogger("interlock.server")


class Webhook(Struct, frozen=True, kw_only=True):
    """A subscription: a URL, and the kinds of records that are sent to it. While it is off, nothing is queued."""

    webhook_id: str
    url: str
    kinds: tuple[str, ...]
    state: str
    created_at: int
    created_by: str


class Webhooks:
    """The webhooks of a store."""

    def __init__(self, journal: Journal, policy: AddressPolicy) -> None:
        self._journal, self._policy = journal, policy

    def list(self) -> list[Webhook]:
        """Return every webhook that was not removed, newest first."""
        query = "SELECT * FROM interlock_webhooks WHERE state <> 'removed' ORDER BY created_at DESC"
        with self._journal.database.read() as connection:
            return [_webhook(row) for row in connection.rows(query)]

    def get(self, webhook_id: str) -> Webhook:
        """Return a webhook, or raise."""
        with self._journal.database.read() as connection:
            return _webhook(_find(connection, webhook_id))

    def get_verified(self, webhook_id: str) -> Mapping[str, Any]:
        """Return the row of an existing webhook, including its secret, after checking it against its record."""
        return self._journal.commit(lambda transaction: find_existing(transaction, webhook_id))

    def create(self, url: str, kinds: Sequence[str], actor: str) -> tuple[Webhook, str]:
        """Create a webhook for records from now on; return it, and its secret, which is not shown again."""
        checked, secret = check_kinds(kinds), new_secret()
        self._policy.check(url)

        def operation(transaction: Transaction) -> Webhook:
            connection, at = transaction.connection, now_in(transaction.connection).wall
            count = connection.value("SELECT count(*) FROM interlock_webhooks WHERE state <> 'removed'")
            if count >= MAX_WEBHOOKS:
                raise ConflictError(f"there are {count} webhooks already, which is the limit; remove one first")
            row: dict[str, Any] = {
                "webhook_id": new_id()[:12],
                "url": url,
                "secret": secret,
                "kinds": " ".join(checked),
                "state": ACTIVE,
                "created_at": at,
                "created_by": actor,
            }
            seq = write_row(transaction, webhooks, row, _entry("webhook.made", row, actor, at), new=True)
            move_cursor(connection, row["webhook_id"], seq)
            return _webhook(row)

        return self._journal.commit(operation), secret

    def change(self, webhook_id: str, actor: str, **changes: Any) -> Webhook:
        """Change the URL, kinds, state or secret of a webhook. Switched on again, it gets records from then on."""
        if "url" in changes:
            self._policy.check(changes["url"])
        if "kinds" in changes:
            changes["kinds"] = " ".join(check_kinds(changes["kinds"]))

        def operation(transaction: Transaction) -> Webhook:
            return _webhook(_change(transaction, find_existing(transaction, webhook_id), actor, changes))

        return self._journal.commit(operation)

    def remove(self, webhook_id: str, actor: str, *, undoes: int | None = None) -> Webhook:
        """Remove a webhook and fail its open deliveries. `undoes` is the record of its creation."""

        def operation(transaction: Transaction) -> Webhook:
            found = find_existing(transaction, webhook_id)
            if undoes is not None:
                require_newest(found, undoes)
            fail_open_deliveries(transaction.connection, webhook_id, "the webhook was removed")
            changes = {"state": REMOVED}
            return _webhook(_change(transaction, found, actor, changes, kind="webhook.removed", undoes=undoes))

        return self._journal.commit(operation)

    def restore(
        self, webhook_id: str, actor: str, settings: Mapping[str, Any], *, undoes: int, url: str | None = None
    ) -> Webhook:
        """Give a webhook, which may have been removed, the kinds and the state that it had before record `undoes`.

        A previous URL is not on record, because its path may hold a secret; the person who undoes the change enters it.
        """
        if url is not None:
            self._policy.check(url)

        def operation(transaction: Transaction) -> Webhook:
            row = _find(transaction.connection, webhook_id)
            check_row(transaction, webhooks, row)
            changes = {name: settings[name] for name in ("kinds", "state") if name in settings}
            changes["kinds"] = " ".join(check_kinds(changes.get("kinds", row["kinds"].split())))
            require_newest(row, undoes)
            if url is None:
                require_exact_restoration(transaction, webhooks, {**row, **changes}, undoes)
            else:
                changes["url"] = url
            return _webhook(_change(transaction, row, actor, changes, undoes=undoes))

        return self._journal.commit(operation)


def active_rows(connection: Connection) -> list[Row]:
    """Return the rows of the webhooks that are switched on."""
    return connection.rows("SELECT * FROM interlock_webhooks WHERE state = 'active'")


def is_unaltered(transaction: Transaction, row: Mapping[str, Any]) -> bool:
    """Whether a webhook's row matches its record. Nothing is sent to a URL that was changed in the database."""
    try:
        check_row(transaction, webhooks, row)
    except TamperedError as error:
        _LOG.error("webhook %s is not sent anything: %s", row["webhook_id"], error)
        return False
    return True


def switch_off(transaction: Transaction, webhook_id: str, url: str, why: str) -> None:
    """Switch off a webhook whose receiver answered 410, unless its URL has changed since."""
    row = _find(transaction.connection, webhook_id)
    if row["state"] == ACTIVE and row["url"] == url and is_unaltered(transaction, row):
        _change(transaction, row, "interlock", {"state": OFF}, why=why)


def move_cursor(connection: Connection, webhook_id: str, seq: int) -> None:
    """Set the record after which records are sent."""
    connection.insert(cursors, {"name": cursor_name(webhook_id), "at": seq}, otherwise=MOVE_CURSOR)


def cursor_name(webhook_id: str) -> str:
    """Return the name of a webhook's cursor."""
    return f"webhook {webhook_id}"


def expand_kinds(kinds: str) -> list[str]:
    """Return every kind of record that a list of kinds and families covers.

    >>> expand_kinds("grant start")
    ['start', 'grant.made', 'grant.used', 'grant.revoked', 'grant.restored']
    """
    names = set(kinds.split())
    return [kind for kind in KINDS if kind in names or kind.partition(".")[0] in names]


def check_kinds(kinds: Sequence[str]) -> list[str]:
    """Return the kinds and families without duplicates, or raise for an unknown one."""
    for kind in kinds:
        RecordFilter(kind=kind)
    if not kinds:
        raise InterlockError("name at least one kind of record, such as `approval`, or remove the webhook")
    return list(dict.fromkeys(kinds))


def _change(
    transaction: Transaction,
    found: Mapping[str, Any],
    actor: str,
    changes: Mapping[str, Any],
    kind: str = "webhook.changed",
    **more: Any,
) -> dict[str, Any]:
    row = {**{name: value for name, value in found.items() if name != "seq"}, **changes}
    at = now_in(transaction.connection).wall
    before = {"kinds": found["kinds"].split(), "state": found["state"]}
    said = {name: value for name, value in more.items() if value is not None}
    entry = _entry(kind, row, actor, at, changed=sorted(changes), before=before, **said)
    seq = write_row(transaction, webhooks, row, entry, new=False)
    if found["state"] != ACTIVE and row["state"] == ACTIVE:
        move_cursor(transaction.connection, row["webhook_id"], seq)
    return row


def find_existing(transaction: Transaction, webhook_id: str) -> dict[str, Any]:
    """Return the row of a webhook that was not removed, after checking it against its record."""
    row = _find(transaction.connection, webhook_id)
    check_row(transaction, webhooks, row)
    if row["state"] == REMOVED:
        raise ConflictError(f"webhook `{row['webhook_id']}` was removed; create a new one")
    return row


def _find(connection: Connection, webhook_id: str) -> dict[str, Any]:
    query = "SELECT * FROM interlock_webhooks WHERE webhook_id = :webhook_id"
    valid = webhook_id.isascii() and webhook_id.isalnum()
    found = connection.row(query, webhook_id=webhook_id) if valid else None
    if found is None:
        raise MissingError(f"there is no webhook `{plain(webhook_id)[:80]}`; `GET /v1/webhooks` lists them")
    return found


def _entry(kind: str, row: Mapping[str, Any], actor: str, at: int, **more: Any) -> Entry:
    """Return what is recorded about a webhook: not its secret, nor its URL's path, which may hold another one."""
    data = {"to": origin(row["url"]), "kinds": row["kinds"].split(), "state": row["state"], **more}
    return Entry(kind=kind, at=at, actor=actor, name=row["webhook_id"], outcome=row["state"], data=data)


def _webhook(row: Mapping[Any, Any]) -> Webhook:
    fields = {name: row[name] for name in Webhook.__struct_fields__}
    return Webhook(**{**fields, "kinds": tuple(row["kinds"].split())})

"""The browsers in which people are notified: each has a subscription at the push service of its vendor."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import check_row, write_row
from interlock.config.channels import BROWSER
from interlock.errors import ConflictError, InterlockError, MissingError
from interlock.ids import new_id
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.server.notify.preferences import Destination, Preferences, read_preferences, write_preferences
from interlock.server.webhooks.address_policy import AddressPolicy, origin
from interlock.store.clock import now_in
from interlock.store.tables import browsers

MAX_BROWSERS, MAX_NAME = 10, 80
_KEY_BYTES, _AUTH_BYTES = 65, 16
_IN_USE = "SELECT * FROM interlock_browsers WHERE person = :person AND removed_at IS NULL"
_BY_ENDPOINT = "SELECT * FROM interlock_browsers WHERE endpoint = :endpoint AND removed_at IS NULL"
_BY_ID = "SELECT * FROM interlock_browsers WHERE browser_id = :browser_id AND removed_at IS NULL"


class Subscription(msgspec.Struct, frozen=True):
    """What a browser hands out so that it can be sent messages: where to, and the keys to encrypt them with."""

    endpoint: str
    public_key: str
    auth: str


class Browser(Struct, frozen=True, kw_only=True):
    """A browser of a person."""

    browser_id: str
    person: str
    endpoint: str
    public_key: str
    auth: str
    name: str
    created_at: int

    @property
    def service(self) -> str:
        """The push service, without the part of its URL that is secret."""
        return origin(self.endpoint)


class Browsers:
    """The browsers of a store. A browser that is added becomes a destination of its person."""

    def __init__(self, journal: Journal, policy: AddressPolicy) -> None:
        self._journal, self._policy = journal, policy

    def list(self, person: str) -> list[Browser]:
        """Return the browsers of a person, newest first."""
        with self._journal.database.read() as connection:
            rows = connection.rows(f"{_IN_USE} ORDER BY created_at DESC", person=person)
        return [_browser(row) for row in rows]

    def get_verified(self, browser_id: str) -> Browser | None:
        """Return a browser after checking it against its record; None if it was removed."""

        def operation(transaction: Transaction) -> Browser | None:
            row = transaction.connection.row(_BY_ID, browser_id=browser_id)
            if row is None:
                return None
            check_row(transaction, browsers, row)
            return _browser(row)

        return self._journal.commit(operation)

    def add(self, person: str, given: Subscription, name: str) -> Browser:
        """Add a browser of a person; one with the same subscription is replaced."""
        self._policy.check(given.endpoint)
        _check_bytes("public key", given.public_key, _KEY_BYTES)
        _check_bytes("auth secret", given.auth, _AUTH_BYTES)

        def operation(transaction: Transaction) -> Browser:
            connection, at = transaction.connection, now_in(transaction.connection).wall
            for old in connection.rows(_BY_ENDPOINT, endpoint=given.endpoint):
                _remove(transaction, old, person)
            if len(connection.rows(_IN_USE, person=person)) >= MAX_BROWSERS:
                raise ConflictError(f"you have {MAX_BROWSERS} browsers already, which is the limit; remove one first")
            row = {**msgspec.structs.asdict(given), "browser_id": new_id()[:16], "person": person, "created_at": at}
            row |= {"name": plain(name)[:MAX_NAME] or "Browser", "removed_at": None}
            write_row(transaction, browsers, row, _entry("browser.added", row, person, at), new=True)
            _change_destinations(transaction, person, person, str(row["browser_id"]), added=True)
            return _browser(row)

        return self._journal.commit(operation)

    def remove(self, browser_id: str, person: str, actor: str) -> None:
        """Remove a browser of a person."""

        def operation(transaction: Transaction) -> None:
            row = transaction.connection.row(_BY_ID, browser_id=browser_id)
            if row is None or row["person"] != person:
                raise MissingError("this browser is not registered; reload the page")
            _remove(transaction, row, actor)

        self._journal.commit(operation)


def _remove(transaction: Transaction, row: Mapping[str, Any], actor: str) -> None:
    check_row(transaction, browsers, row)
    at = now_in(transaction.connection).wall
    gone = {**{name: value for name, value in row.items() if name != "seq"}, "removed_at": at}
    write_row(transaction, browsers, gone, _entry("browser.removed", row, actor, at), new=False)
    _change_destinations(transaction, row["person"], actor, row["browser_id"], added=False)


def _change_destinations(transaction: Transaction, person: str, actor: str, browser_id: str, *, added: bool) -> None:
    found: Preferences = read_preferences(transaction, person)
    this = Destination(channel=BROWSER, address=browser_id)
    others = tuple(one for one in found.destinations if one != this)
    changed = msgspec.structs.replace(found, destinations=(*others, this) if added else others)
    write_preferences(transaction, changed, actor)


def _check_bytes(what: str, text: str, length: int) -> None:
    """Raise unless a text is this many bytes in base64, as browsers write it."""
    try:
        found = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)) if text.isascii() else b""
    except (binascii.Error, ValueError):
        found = b""
    if len(found) != length:
        raise InterlockError(f"the {what} of the browser's subscription is not valid; reload the page and try again")


def _entry(kind: str, row: Mapping[str, Any], actor: str, at: int) -> Entry:
    data = {"person": row["person"], "service": origin(row["endpoint"])}
    return Entry(kind=kind, at=at, actor=actor, name=row["browser_id"], data=data)


def _browser(row: Mapping[str, Any]) -> Browser:
    return Browser(**{name: row[name] for name in Browser.__struct_fields__})

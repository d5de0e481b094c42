"""Channels in the store: added, changed, paused and removed. Every change is recorded, without the secrets."""

from __future__ import annotations

import secrets as random
from collections.abc import Callable, Collection, Mapping
from typing import Any

import msgspec

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import check_row, write_row
from interlock.audit.undo_checks import require_exact_restoration, require_newest
from interlock.errors import ConflictError, MissingError
from interlock.ids import new_id
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.server.notify.chat_accounts import unlink_everyone
from interlock.store.clock import now_in
from interlock.store.connection import Connection
from interlock.store.tables import channels

ACTIVE, PAUSED, REMOVED = "active", "paused", "removed"
MAX_CHANNELS = 50
_BY_NAME = "SELECT * FROM interlock_channels WHERE name = :name AND state <> 'removed'"
_OF_NAME = "SELECT channel_id FROM interlock_channels WHERE name = :name"
_BY_ID = "SELECT * FROM interlock_channels WHERE channel_id = :channel_id"


class StoredChannel(Struct, frozen=True, kw_only=True):
    """A channel in the store. Of its secrets, only the names are shown; `version` is the record of its last change."""

    channel_id: str
    name: str
    kind: str
    settings: dict[str, str]
    secrets: tuple[str, ...]
    state: str
    created_at: int
    created_by: str
    version: int


class StoredChannels:
    """The channels of a store. `taken` returns the names of the channels in configuration files."""

    def __init__(self, journal: Journal, taken: Callable[[], Collection[str]]) -> None:
        self._journal, self._taken = journal, taken

    def list(self) -> list[StoredChannel]:
        """Return every channel that was not removed, by name."""
        query = "SELECT * FROM interlock_channels WHERE state <> 'removed' ORDER BY name"
        with self._journal.database.read() as connection:
            return [_channel_of(row) for row in connection.rows(query)]

    def get(self, name: str) -> StoredChannel:
        """Return a channel, or raise."""
        with self._journal.database.read() as connection:
            return _channel_of(_find(connection, name))

    def get_with_secrets(self, name: str) -> tuple[StoredChannel, dict[str, str]]:
        """Return a channel and its secrets, after checking it against its record; or raise."""

        def operation(transaction: Transaction) -> tuple[StoredChannel, dict[str, str]]:
            row = _find_checked(transaction, name)
            return _channel_of(row), read_secrets(row)

        return self._journal.commit(operation)

    def create(
        self, name: str, kind: str, settings: Mapping[str, str], secrets: Mapping[str, str], actor: str
    ) -> StoredChannel:
        """Add a channel whose settings were checked; raise if its name is taken."""

        def operation(transaction: Transaction) -> StoredChannel:
            connection, at = transaction.connection, now_in(transaction.connection).wall
            self._require_free(connection, name)
            count = connection.value("SELECT count(*) FROM interlock_channels WHERE state <> 'removed'")
            if count >= MAX_CHANNELS:
                raise ConflictError(f"there are {count} channels already, which is the limit; remove one first")
            row: dict[str, Any] = {"channel_id": new_id()[:12], "name": name, "kind": kind, "state": ACTIVE}
            row |= {"settings": _encode(settings), "secrets": encode_secrets(secrets)}
            row |= {"created_at": at, "created_by": actor}
            unlink_everyone(transaction, name, actor)
            seq = write_row(transaction, channels, row, _entry("channel.made", row, actor, at), new=True)
            return _channel_of({**row, "seq": seq})

        return self._journal.commit(operation)

    def change(
        self,
        name: str,
        actor: str,
        *,
        settings: Mapping[str, str] | None = None,
        secrets: Mapping[str, str] | None = None,
        state: str | None = None,
        known: int | None = None,
    ) -> StoredChannel:
        """Change the settings, the secrets or the state of a channel. `known` is the version that the change is to."""
        changes = {} if settings is None else {"settings": _encode(settings)}
        changes |= {} if secrets is None else {"secrets": encode_secrets(secrets)}
        changes |= {} if state is None else {"state": state}

        def operation(transaction: Transaction) -> StoredChannel:
            found = _find_checked(transaction, name)
            if known is not None and found["seq"] != known:
                raise ConflictError(f"channel `{name}` was changed in the meantime; reload the page and try again")
            return _change(transaction, found, actor, changes)

        return self._journal.commit(operation)

    def remove(self, name: str, actor: str) -> StoredChannel:
        """Remove a channel."""

        def operation(transaction: Transaction) -> StoredChannel:
            found = _find_checked(transaction, name)
            return _change(transaction, found, actor, {"state": REMOVED}, kind="channel.removed")

        return self._journal.commit(operation)

    def restore(
        self,
        channel_id: str,
        actor: str,
        before: Mapping[str, Any],
        *,
        undoes: int,
        entered: Mapping[str, str] | None = None,
    ) -> StoredChannel:
        """Give a channel, which may have been removed, the settings and the state that it had before `undoes`.

        One whose creation is undone has none, and is removed. If secrets were replaced, the previous ones are `entered`
        again, because they are not stored.
        """

        def operation(transaction: Transaction) -> StoredChannel:
            found = transaction.connection.row(_BY_ID, channel_id=channel_id)
            if found is None:
                raise MissingError("the channel was removed with its records; add it again")
            check_row(transaction, channels, found)
            require_newest(found, undoes)
            if not before:
                removed = {"state": REMOVED}
                return _change(transaction, found, actor, removed, kind="channel.removed", undoes=undoes)
            changes = {"settings": _encode(before["settings"]), "state": before["state"]}
            if found["state"] == REMOVED:
                self._require_free(transaction.connection, found["name"])
                if len(transaction.connection.rows(_OF_NAME, name=found["name"])) > 1:
                    unlink_everyone(transaction, found["name"], actor)  # they may be linked to the other one
            if entered is None:
                require_exact_restoration(transaction, channels, {**found, **changes}, undoes)
            else:
                changes["secrets"] = encode_secrets({**_secrets_before(found, before), **entered})
            return _change(transaction, found, actor, changes, undoes=undoes)

        return self._journal.commit(operation)

    def _require_free(self, connection: Connection, name: str) -> None:
        if name in self._taken():
            raise ConflictError(f"a configuration file has a channel `{name}` already; use another name")
        if connection.row(_BY_NAME, name=name) is not None:
            raise ConflictError(f"there is a channel `{name}` already; use another name")


def read_secrets(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the secrets in a row."""
    found: dict[str, str] = msgspec.json.decode(row["secrets"])["values"]
    return found


def _secrets_before(found: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, str]:
    """Return the secrets in a row that its channel had before as well."""
    now_kept = read_secrets(found)
    return {name: now_kept[name] for name in before.get("secrets", now_kept) if name in now_kept}


def encode_secrets(secrets: Mapping[str, str]) -> str:
    """Return secrets in their stored form, with a salt: records hold a digest of the row, and a secret may be short."""
    return msgspec.json.encode({"values": dict(secrets), "salt": random.token_hex(16)}, order="sorted").decode()


def _encode(settings: Mapping[str, str]) -> str:
    return msgspec.json.encode(dict(settings), order="sorted").decode()


def _change(
    transaction: Transaction,
    found: Mapping[str, Any],
    actor: str,
    changes: Mapping[str, str],
    kind: str = "channel.changed",
    **more: Any,
) -> StoredChannel:
    row = {**{name: value for name, value in found.items() if name != "seq"}, **changes}
    at = now_in(transaction.connection).wall
    old, new = read_secrets(found), read_secrets(row)
    before = {"settings": msgspec.json.decode(found["settings"]), "state": found["state"], "secrets": sorted(old)}
    replaced = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    changed = sorted(name for name in changes if row[name] != found[name])
    more |= {"replaced": replaced} if replaced else {}
    if _account_behind(row) != _account_behind(found):
        unlink_everyone(transaction, row["name"], actor)
    entry = _entry(kind, row, actor, at, changed=changed, before=before, **more)
    return _channel_of({**row, "seq": write_row(transaction, channels, row, entry, new=False)})


def _account_behind(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return what makes the answers in a chat credible: where they come from, and by which account.

    If that changes, people link their accounts again. Otherwise, an admin could answer for the others in a chat of
    their own.
    """
    settings, secrets = msgspec.json.decode(row["settings"]), read_secrets(row)
    account = secrets.get("signing_secret", "") or secrets.get("token", "").partition(":")[0]
    return settings.get("api_url", ""), account


def _find_checked(transaction: Transaction, name: str) -> dict[str, Any]:
    row = _find(transaction.connection, name)
    check_row(transaction, channels, row)
    return row


def _find(connection: Connection, name: str) -> dict[str, Any]:
    found = connection.row(_BY_NAME, name=name)
    if found is None:
        raise MissingError(f"there is no stored channel `{plain(name)[:80]}`; `GET /v1/channels` lists them")
    return found


def _entry(kind: str, row: Mapping[str, Any], actor: str, at: int, **more: Any) -> Entry:
    """Return what is recorded about a channel: which secrets it has, never the secrets."""
    data = {"channel": row["name"], "channelKind": row["kind"], "secrets": sorted(read_secrets(row))}
    data |= {"settings": msgspec.json.decode(row["settings"]), "state": row["state"], **more}
    return Entry(kind=kind, at=at, actor=actor, name=row["channel_id"], outcome=row["state"], data=data)


def _channel_of(row: Mapping[str, Any]) -> StoredChannel:
    fields = {name: row[name] for name in ("channel_id", "name", "kind", "state", "created_at", "created_by")}
    settings, secrets = msgspec.json.decode(row["settings"]), tuple(sorted(read_secrets(row)))
    return StoredChannel(**fields, settings=settings, secrets=secrets, version=row["seq"])

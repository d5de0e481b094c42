"""API keys for programs: created, listed, revoked and restored. A key is shown once, and only its hash is stored."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from interlock.access.roles import Caller, Role
from interlock.access.secrets import KEY_PREFIX, equal_in_constant_time, new_secret, secret_hash
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import check_row, newest_record, write_row
from interlock.audit.run_details import check_details
from interlock.audit.undo_checks import require_exact_restoration, require_newest
from interlock.errors import ConflictError, InterlockError, MissingError
from interlock.ids import new_id
from interlock.model import RunDetails, Struct
from interlock.policy.observe import Observation
from interlock.policy.pins import NO_PINS, Pins
from interlock.sanitise import plain
from interlock.scoring.command import environment_name
from interlock.store.clock import MICROSECONDS, format_time, now_in
from interlock.store.connection import Connection, Query, Row
from interlock.store.tables import access

_DAY = 86_400 * MICROSECONDS
MAX_NAME = 100


class AccessKey(Struct, frozen=True, kw_only=True):
    """An API key. It acts for `owner`; the actions of an agent's key are recorded under its `name`."""

    key_id: str
    name: str
    role: Role
    owner: str
    created_at: int
    created_by: str
    expires_at: int | None = None
    revoked_at: int | None = None
    pins: Pins = NO_PINS
    observe: Observation | None = None

    @property
    def caller(self) -> Caller:
        """The caller that a request with this key comes from."""
        agent = self.name if self.role is Role.AGENT else None
        return Caller(
            name=self.owner,
            role=self.role,
            key_id=self.key_id,
            agent=agent,
            pins=self.pins,
            observation=self.observe,
        )


#: Raises unless the owner of a key may have a valid key.
OwnerCheck = Callable[[Transaction, AccessKey], None]
_BY_HASH = "SELECT * FROM interlock_access WHERE hash = :hash"


class AccessKeys:
    """The keys of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def create(
        self, name: str, role: Role, *, owner: str, actor: str, days: int | None = None, pins: Pins = NO_PINS
    ) -> tuple[AccessKey, str]:
        """Create a key; return it, and its secret, which is not shown again."""
        check_pins(pins)
        check_name(name, "a key")
        check_name(owner, "the owner of a key")
        if days is not None and not 0 < days <= 36_500:
            raise InterlockError(f"a key is valid for 1 to 36500 days, found {days}")
        secret = new_secret(KEY_PREFIX)

        def operation(transaction: Transaction) -> AccessKey:
            at = now_in(transaction.connection).wall
            taken = "SELECT 1 FROM interlock_access WHERE name = :name AND revoked_at IS NULL"
            if transaction.connection.values(taken, name=name):
                raise ConflictError(f"key `{plain(name)}` already exists; revoke it, or use another name")
            row: dict[str, Any] = {
                "key_id": new_id()[:12],
                "name": name,
                "role": role.value,
                "owner": owner,
                "hash": secret_hash(secret),
                "created_at": at,
                "created_by": actor,
                "expires_at": None if days is None else at + days * _DAY,
                "revoked_at": None,
                "pins": encode_pins(pins),
                "observe": None,
            }
            write_row(transaction, access, row, _entry("access.made", row, actor, at), new=True)
            return _key_from_row(row)

        return self._journal.commit(operation), secret

    def list(self) -> list[AccessKey]:
        """Return every key, newest first."""
        with self._journal.database.read() as connection:
            return [
                _key_from_row(row) for row in connection.rows("SELECT * FROM interlock_access ORDER BY created_at DESC")
            ]

    def revoke(self, key_id: str, actor: str, *, undoes: int | None = None) -> AccessKey:
        """Revoke a key, by its id, a unique prefix of it, or its name. `undoes` is the record of its creation."""

        def operation(transaction: Transaction) -> AccessKey:
            found = _find(transaction.connection, key_id)
            if found["revoked_at"] is not None:
                raise ConflictError(f"key `{plain(found['name'])}` is revoked already")
            row = {name: value for name, value in found.items() if name != "seq"}
            if undoes is not None:
                require_newest(found, undoes)
            at = now_in(transaction.connection).wall
            row["revoked_at"] = at
            entry = _entry("access.revoked", row, actor, at, undoes=undoes)
            write_row(transaction, access, row, entry, new=False)
            return _key_from_row(row)

        return self._journal.commit(operation)

    def pin(self, key_id: str, pins: Pins, actor: str) -> AccessKey:
        """Replace the pins of a key, by its id, a unique prefix of it, or its name."""
        check_pins(pins)
        return self._change(key_id, actor, lambda _: {"pins": encode_pins(pins)})

    def observe(self, key_id: str, actor: str, until: int | None = None) -> AccessKey:
        """Only observe the actions of a key from now on: only floors, self-protection and stops refuse them."""

        def change(at: int) -> dict[str, Any]:
            if until is not None and until <= at:
                raise InterlockError(f"the end of observation is in the past: {format_time(until)} UTC")
            observation = Observation(since=at, by=actor, until=until)
            return {"observe": msgspec.json.encode(observation).decode()}

        return self._change(key_id, actor, change)

    def enforce(self, key_id: str, actor: str) -> AccessKey:
        """Enforce the verdicts on the actions of a key again."""
        return self._change(key_id, actor, lambda _: {"observe": None})

    def restore(self, key_id: str, actor: str, settings: Mapping[str, Any], *, undoes: int) -> AccessKey:
        """Give a key the pins and the observation that it had before a change, which is record `undoes`."""
        pins, observe = settings.get("pins"), settings.get("observe")
        stored = {
            "pins": encode_pins(msgspec.convert(pins, Pins)) if pins else None,
            "observe": msgspec.json.encode(msgspec.convert(observe, Observation)).decode() if observe else None,
        }
        return self._change(key_id, actor, lambda _: stored, undoes)

    def check_revoked(self, key_id: str, revocation: int, check: OwnerCheck) -> AccessKey:
        """Return a revoked key as it would be restored, or raise if it cannot be."""

        def operation(transaction: Transaction) -> AccessKey:
            return _key_from_row(_find_restorable(transaction, key_id, revocation, check))

        return self._journal.commit(operation)

    def restore_revoked(self, key_id: str, actor: str, check: OwnerCheck, *, undoes: int) -> AccessKey:
        """Make a revoked key valid again, with the same secret. `undoes` is the record of its revocation."""

        def operation(transaction: Transaction) -> AccessKey:
            row = _find_restorable(transaction, key_id, undoes, check)
            at = now_in(transaction.connection).wall
            write_row(transaction, access, row, _entry("access.restored", row, actor, at, undoes=undoes), new=False)
            return _key_from_row(row)

        return self._journal.commit(operation)

    def _change(
        self, key_id: str, actor: str, change: Callable[[int], dict[str, Any]], undoes: int | None = None
    ) -> AccessKey:
        """Change a key that is not revoked; `change` returns its new columns, given the time."""

        def operation(transaction: Transaction) -> AccessKey:
            found = _find(transaction.connection, key_id)
            check_row(transaction, access, found)
            if found["revoked_at"] is not None:
                raise ConflictError(f"key `{plain(found['name'])}` is revoked")
            row = {name: value for name, value in found.items() if name != "seq"}
            at = now_in(transaction.connection).wall
            row |= change(at)
            if undoes is not None:
                require_newest(found, undoes)
                require_exact_restoration(transaction, access, row, undoes)
            entry = _entry("access.changed", row, actor, at, before=_settings(found), undoes=undoes)
            write_row(transaction, access, row, entry, new=False)
            return _key_from_row(row)

        return self._journal.commit(operation)

    def find(self, text: str) -> AccessKey:
        """Return a key by its id, a unique prefix of it, or its name; raise if there is none."""
        with self._journal.database.read() as connection:
            return _key_from_row(_find(connection, text))

    @staticmethod
    def exists(transaction: Transaction, secret: str) -> bool:
        """Whether there is a key with this secret, valid or not."""
        return transaction.connection.row(_BY_HASH, hash=secret_hash(secret)) is not None

    @staticmethod
    def queries(secret: str) -> Sequence[Query]:
        """Return the queries with which the search for a key begins."""
        return [(_BY_HASH, {"hash": secret_hash(secret)})]

    @staticmethod
    def find_valid(
        transaction: Transaction, secret: str, owner_queries: Callable[[str], Sequence[Query]] = lambda _owner: []
    ) -> AccessKey | None:
        """Return the key with this secret, unless it is revoked or expired; raise if its row was altered.

        `owner_queries` are for its owner, and take the same round trip.
        """
        hashed = secret_hash(secret)
        found = transaction.connection.row(_BY_HASH, hash=hashed)
        if found is None or not equal_in_constant_time(found["hash"], hashed):
            return None
        transaction.connection.expect([], [newest_record(access, found), *owner_queries(str(found["owner"]))])
        check_row(transaction, access, found)
        key, at = _key_from_row(found), now_in(transaction.connection).wall
        is_over = key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= at)
        return None if is_over else key


def _find(connection: Connection, text: str) -> Row:
    query = (
        "SELECT * FROM interlock_access "
        "WHERE substr(key_id, 1, :length) = :text OR (name = :text AND revoked_at IS NULL)"
    )
    found = connection.rows(query, text=text, length=len(text)) if text else []
    if len(found) != 1:
        what = "there is no key" if not found else "there are several keys"
        raise MissingError(f"{what} `{plain(text)[:80]}`; `interlock keys` lists them")
    return found[0]


def _find_restorable(transaction: Transaction, key_id: str, revocation: int, check: OwnerCheck) -> dict[str, Any]:
    """Return the row of a revoked key as it was before its revocation, or raise if it cannot be restored."""
    found = _find(transaction.connection, key_id)
    check_row(transaction, access, found)
    require_newest(found, revocation)
    row = {**{name: value for name, value in found.items() if name != "seq"}, "revoked_at": None}
    require_exact_restoration(transaction, access, row, revocation)
    key, shown = _key_from_row(row), f"key `{plain(str(found['name']))}`"
    if key.expires_at is not None and key.expires_at <= now_in(transaction.connection).wall:
        raise ConflictError(f"{shown} has expired since; create a similar key")
    taken = "SELECT 1 FROM interlock_access WHERE name = :name AND revoked_at IS NULL"
    if transaction.connection.values(taken, name=key.name):
        raise ConflictError(f"there is another {shown} now; revoke that one first")
    check(transaction, key)
    return row


def _settings(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a key that can be changed."""
    return {name: msgspec.json.decode(row[name]) for name in ("pins", "observe") if row[name]}


def _entry(kind: str, row: Mapping[str, Any], actor: str, at: int, **more: Any) -> Entry:
    data = {"name": row["name"], "role": row["role"], "owner": row["owner"], "expiresAt": row["expires_at"]}
    data |= _settings(row) | {name: value for name, value in more.items() if value is not None}
    return Entry(kind=kind, at=at, actor=actor, name=row["key_id"], outcome=row["role"], data=data)


def _key_from_row(row: Mapping[Any, Any]) -> AccessKey:
    fields = {name: row[name] for name in AccessKey.__struct_fields__}
    pins = msgspec.json.decode(row["pins"], type=Pins) if row["pins"] else NO_PINS
    observe = msgspec.json.decode(row["observe"], type=Observation) if row["observe"] else None
    return AccessKey(**{**fields, "role": Role(row["role"]), "pins": pins, "observe": observe})


def encode_pins(pins: Pins) -> str | None:
    """Return pins in their stored form."""
    return None if pins == NO_PINS else msgspec.json.encode(pins).decode()


def check_pins(pins: Pins) -> None:
    """Raise unless pins have a known environment, absolute folders, and a valid user and tenant."""
    if pins.environment is not None:
        environment_name(pins.environment)
    for folder in (*pins.workspaces, *([pins.home] if pins.home else [])):
        if not folder.startswith("/") or posixpath.normpath(folder) == "/":
            raise InterlockError(f"a pinned folder must be an absolute path below `/`, found `{plain(folder)[:80]}`")
    check_details(RunDetails(user=pins.user, tenant=pins.tenant))


def is_name(name: str) -> bool:
    """Whether a text can be the name of a person or a key."""
    is_plain = 0 < len(name) <= MAX_NAME and name.isprintable() and plain(name) == name == name.strip()
    return is_plain and "/" not in name and name not in (".", "..")


def check_name(name: str, what: str) -> None:
    """Raise unless a name is valid.

    A `/` is not allowed because an agent may add its own name after one to the name of its key.
    """
    if not is_name(name):
        raise InterlockError(
            f"the name of {what} must have 1 to {MAX_NAME} printable characters and no `/`, found `{plain(name)[:40]}`"
        )

"""Keys for programs: made, listed and taken back. What a key is shows once, and only its hash is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.access.roles import Caller, Role
from interlock.access.secrets import KEY_PREFIX, new_secret, same, secret_hash
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry, new_id
from interlock.audit.rows import check_row, write_row
from interlock.errors import ConflictError, InterlockError, MissingError
from interlock.model import Struct
from interlock.policy.tiers import plain
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.tables import access

_DAY = 86_400 * MICROSECONDS
MAX_NAME = 100


class AccessKey(Struct, frozen=True, kw_only=True):
    """A key that a program presents. It acts for `owner`, and an agent's actions stand under its `name`."""

    key_id: str
    name: str
    role: Role
    owner: str
    created_at: int
    created_by: str
    expires_at: int | None = None
    revoked_at: int | None = None

    @property
    def caller(self) -> Caller:
        """Who comes in with it."""
        agent = self.name if self.role is Role.AGENT else None
        return Caller(name=self.owner, role=self.role, key_id=self.key_id, agent=agent)


_OF_HASH = "SELECT * FROM interlock_access WHERE hash = :hash"


class AccessKeys:
    """The keys of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def make(self, name: str, role: Role, *, owner: str, actor: str, days: int | None = None) -> tuple[AccessKey, str]:
        """Make a key; return it, and the secret, which nobody sees again."""
        check_name(name, "a key")
        check_name(owner, "the owner of a key")
        if days is not None and not 0 < days <= 36_500:
            raise InterlockError(f"a key counts for 1 to 36500 days, found {days}")
        secret = new_secret(KEY_PREFIX)

        def operation(transaction: Transaction) -> AccessKey:
            at = now_in(transaction.connection).wall
            taken = "SELECT 1 FROM interlock_access WHERE name = :name AND revoked_at IS NULL"
            if transaction.connection.values(taken, name=name):
                raise ConflictError(f"there is a key `{plain(name)}` already; revoke it, or use another name")
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
            }
            write_row(transaction, access, row, _entry("access.made", row, actor, at), new=True)
            return _key(row)

        return self._journal.commit(operation), secret

    def list(self) -> list[AccessKey]:
        """Return every key, the newest first."""
        with self._journal.database.read() as connection:
            return [_key(row) for row in connection.rows("SELECT * FROM interlock_access ORDER BY created_at DESC")]

    def revoke(self, key_id: str, actor: str) -> AccessKey:
        """Take a key back, by its id, how that begins, or its name."""

        def operation(transaction: Transaction) -> AccessKey:
            row = _find(transaction, key_id)
            if row["revoked_at"] is not None:
                raise ConflictError(f"key `{plain(row['name'])}` was taken back already")
            at = now_in(transaction.connection).wall
            row["revoked_at"] = at
            write_row(transaction, access, row, _entry("access.revoked", row, actor, at), new=False)
            return _key(row)

        return self._journal.commit(operation)

    def is_there(self, secret: str) -> bool:
        """Whether there is a key of that secret at all; whether it counts is another question."""
        with self._journal.database.read() as connection:
            return connection.row(_OF_HASH, hash=secret_hash(secret)) is not None

    def of_secret(self, transaction: Transaction, secret: str) -> AccessKey | None:
        """Return the key of a secret, if it still counts and is what was written."""
        hashed = secret_hash(secret)
        found = transaction.connection.row(_OF_HASH, hash=hashed)
        if found is None or not same(found["hash"], hashed):
            return None
        check_row(transaction, access, found)
        key, at = _key(found), now_in(transaction.connection).wall
        over = key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= at)
        return None if over else key


def _find(transaction: Transaction, text: str) -> dict[str, Any]:
    query = (
        "SELECT * FROM interlock_access "
        "WHERE substr(key_id, 1, :length) = :text OR (name = :text AND revoked_at IS NULL)"
    )
    found = transaction.connection.rows(query, text=text, length=len(text)) if text else []
    if len(found) != 1:
        what = "there is no key" if not found else "there are several keys"
        raise MissingError(f"{what} `{plain(text)[:80]}`; `interlock keys` lists them")
    return {name: value for name, value in found[0].items() if name != "seq"}


def _entry(kind: str, row: Mapping[str, Any], actor: str, at: int) -> Entry:
    data = {"name": row["name"], "role": row["role"], "owner": row["owner"], "expiresAt": row["expires_at"]}
    return Entry(kind=kind, at=at, actor=actor, name=row["key_id"], outcome=row["role"], data=data)


def _key(row: Mapping[Any, Any]) -> AccessKey:
    shape = {name: row[name] for name in AccessKey.__struct_fields__}
    return AccessKey(**{**shape, "role": Role(row["role"])})


def is_name(name: str) -> bool:
    """Whether anybody can be called that."""
    good = 0 < len(name) <= MAX_NAME and name.isprintable() and plain(name) == name == name.strip()
    return good and "/" not in name and name not in (".", "..")


def check_name(name: str, what: str) -> None:
    """Raise unless a name is one that can stand in a list, a record, a sentence and an address.

    What follows a `/` in an agent's name is the agent's own to say, so no key has one.
    """
    if not is_name(name):
        raise InterlockError(
            f"{what} has a name of 1 to {MAX_NAME} printable characters without a `/`, found `{plain(name)[:40]}`"
        )

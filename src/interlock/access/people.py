"""People who may sign in: added, given a role and a password, and suspended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from interlock.access.keys import check_name, is_name
from interlock.access.roles import Role
from interlock.approval.one_person import count_approvers
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import check_row, newest_record, write_row
from interlock.audit.undo_checks import require_newest
from interlock.errors import ConflictError, InterlockError, MissingError
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.store.clock import now_in
from interlock.store.connection import Query
from interlock.store.tables import people

#: The last one is a person whose sign-in provider says that they are in no group with a role.
ACTIVE, SHUT_OUT, WITHOUT_GROUP = "active", "shut out", "in no group with a role"
#: The displayed name of the stored state `shut out`.
SUSPENDED = "suspended"
MIN_PASSWORD, MAX_PASSWORD = 10, 1_000
_HASHER = PasswordHasher()
#: Verified when a name is unknown, so that response times do not reveal which names exist. No password is known for it.
_DUMMY_HASH = (
    f"$argon2id$v=19$m={_HASHER.memory_cost},t={_HASHER.time_cost},p={_HASHER.parallelism}${'A' * 22}${'A' * 43}"
)


class Person(Struct, frozen=True, kw_only=True):
    """A person who may sign in, unless suspended."""

    name: str
    role: Role
    state: str
    has_password: bool
    created_at: int
    created_by: str


_BY_NAME = "SELECT * FROM interlock_people WHERE name = :name"


class People:
    """The people of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def list(self) -> list[Person]:
        """Return all people, sorted by name."""
        with self._journal.database.read() as connection:
            return [_person_from_row(row) for row in connection.rows("SELECT * FROM interlock_people ORDER BY name")]

    def get(self, name: str) -> Person:
        """Return a person, or raise."""
        with self._journal.database.read() as connection:
            row = connection.row(_BY_NAME, name=name)
        if row is None:
            raise MissingError(f"there is no person `{plain(name)[:80]}`; `interlock people` lists them")
        return _person_from_row(row)

    def count(self) -> int:
        """Return how many people may approve."""
        with self._journal.database.read() as connection:
            return count_approvers(connection)

    def add(self, name: str, role: Role, actor: str) -> Person:
        """Add a person, or raise if the name is taken."""
        check_name(name, "a person")
        if role not in (Role.REVIEWER, Role.ADMIN):
            raise InterlockError("a person is a reviewer or an admin; programs use keys: `interlock keys create`")

        return self._journal.commit(lambda transaction: add_in(transaction, name, role, actor))

    def change(
        self, name: str, actor: str, *, keep_admin: bool = False, undoes: int | None = None, **changes: str | None
    ) -> Person:
        """Change the role, state or password of a person. With `keep_admin`, raise if no admin would be left.

        `undoes` is the record of an earlier change, which this one takes back.
        """

        return self._journal.commit(
            lambda transaction: change_in(transaction, name, actor, "", changes, keep_admin=keep_admin, undoes=undoes)
        )

    def set_password(self, name: str, password: str, actor: str) -> Person:
        """Set a person's password."""
        if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
            raise InterlockError(
                f"a password must have {MIN_PASSWORD} to {MAX_PASSWORD:,} characters; a few random words work well"
            )
        return self.change(name, actor, password=_HASHER.hash(password))

    def get_active(self, transaction: Transaction, name: str) -> Person | None:
        """Return a person unless they are unknown or suspended; raise if their row was altered."""
        found = _row(transaction, name)
        if found is None or found["state"] != ACTIVE:
            return None
        check_row(transaction, people, found)
        return _person_from_row(found)

    @staticmethod
    def queries(name: str) -> Sequence[Query]:
        """Return the queries for a person and the record that vouches for them."""
        row = {"name": name}
        return [(_BY_NAME, row), newest_record(people, row)]

    def effective_role(self, transaction: Transaction, name: str, role: Role) -> Role | None:
        """Return the role of a person's key: None if they are suspended, and never more than they have themselves.

        Owners of keys need not be people who sign in: if the name is unknown, the key's own role counts.
        """
        found = _row(transaction, name)
        if found is None:
            return role
        check_row(transaction, people, found)
        if str(found["state"]) != ACTIVE:
            return None
        return Role.REVIEWER if role is Role.ADMIN and Role(found["role"]) is not Role.ADMIN else role

    def password_hash(self, name: str) -> str | None:
        """Return the hash of a person's password, if they are active and have one."""
        if not is_name(name):
            return None  # the name comes from the sign-in form and may hold anything

        def operation(transaction: Transaction) -> str | None:
            found = _row(transaction, name)
            if found is None or found["state"] != ACTIVE:
                return None
            check_row(transaction, people, found)
            return found["password"]  # type: ignore[no-any-return]

        return self._journal.commit(operation)


def add_in(transaction: Transaction, name: str, role: Role, actor: str, why: str = "") -> Person:
    """Add a person in a transaction, or raise if the name is taken."""
    if _row(transaction, name) is not None:
        raise ConflictError(f"`{plain(name)}` already exists")
    at = now_in(transaction.connection).wall
    row = {
        "name": name,
        "role": role.value,
        "password": None,
        "state": ACTIVE,
        "created_at": at,
        "created_by": actor,
    }
    write_row(transaction, people, row, _entry("person.added", row, actor, at, why=why), new=True)
    return _person_from_row(row)


def change_in(
    transaction: Transaction,
    name: str,
    actor: str,
    why: str,
    changes: Mapping[str, str | None],
    *,
    keep_admin: bool = False,
    undoes: int | None = None,
) -> Person:
    """Change the role, state or password of a person in a transaction; `why` goes on record."""
    found = find_in(transaction, name)
    if found is None:
        raise MissingError(f"there is no person `{plain(name)[:80]}`; `interlock people` lists them")
    row = {**{column: value for column, value in found.items() if column != "seq"}, **changes}
    if keep_admin and _is_admin(found) and not _is_admin(row):
        _require_other_admin(transaction, name)
    if undoes is not None:
        require_newest(found, undoes)
    at = now_in(transaction.connection).wall
    entry = _entry("person.changed", row, actor, at, *changes, why=why)
    before = {column: found[column] for column in ("role", "state") if column in changes}
    more = {"before": before, **({} if undoes is None else {"undoes": undoes})}
    entry = msgspec.structs.replace(entry, data={**entry.data, **more})
    write_row(transaction, people, row, entry, new=False)
    if row["state"] != ACTIVE:
        _sign_out(transaction, name, actor, at)
    return _person_from_row(row)


_OPEN_SESSIONS = "SELECT session_id FROM interlock_sessions WHERE person = :name AND ended_at IS NULL"
_END_SESSIONS = "UPDATE interlock_sessions SET ended_at = :at WHERE person = :name AND ended_at IS NULL"
_USE_UP_LINKS = "UPDATE interlock_links SET used_at = :at WHERE person = :name AND used_at IS NULL"


def _sign_out(transaction: Transaction, name: str, actor: str, at: int) -> None:
    """End the sessions of a person, and void their links: neither is restored with the person."""
    for session_id in transaction.connection.values(_OPEN_SESSIONS, name=name):
        transaction.append(Entry(kind="session.ended", at=at, actor=actor, name=str(session_id)))
    transaction.connection.run(_END_SESSIONS, name=name, at=at)
    transaction.connection.run(_USE_UP_LINKS, name=name, at=at)


def find_in(transaction: Transaction, name: str) -> dict[str, Any] | None:
    """Return the row of a person, or None; raise if it was altered."""
    found = _row(transaction, name)
    if found is not None:
        check_row(transaction, people, found)
    return found


def verify_password(hashed: str | None, password: str) -> bool:
    """Whether a password matches a hash; takes equally long if there is no hash."""
    try:
        matches = _HASHER.verify(hashed or _DUMMY_HASH, password[:MAX_PASSWORD])
    except (VerificationError, InvalidHashError):
        return False
    return matches and hashed is not None


def _row(transaction: Transaction, name: str) -> dict[str, Any] | None:
    return transaction.connection.row(_BY_NAME, name=name)


def _is_admin(row: Mapping[Any, Any]) -> bool:
    return (row["state"], row["role"]) == (ACTIVE, Role.ADMIN.value)


def _require_other_admin(transaction: Transaction, name: str) -> None:
    query = "SELECT 1 FROM interlock_people WHERE state = :state AND role = :role AND name <> :name LIMIT 1"
    if not transaction.connection.values(query, state=ACTIVE, role=Role.ADMIN.value, name=name):
        raise ConflictError(f"`{plain(name)}` is the only admin; make somebody else an admin first")


def _entry(kind: str, row: Mapping[str, Any], actor: str, at: int, *changed: str, why: str = "") -> Entry:
    data = {"role": row["role"], "state": row["state"], "changed": list(changed), **({"why": why} if why else {})}
    return Entry(kind=kind, at=at, actor=actor, name=row["name"], outcome=row["role"], data=data)


def _person_from_row(row: Mapping[Any, Any]) -> Person:
    return Person(
        name=row["name"],
        role=Role(row["role"]),
        state=SUSPENDED if row["state"] == SHUT_OUT else row["state"],
        has_password=row["password"] is not None,
        created_at=row["created_at"],
        created_by=row["created_by"],
    )

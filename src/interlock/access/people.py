"""People who may sign in: added, given a role and a password, and shut out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from interlock.access.keys import check_name, is_name
from interlock.access.roles import Role
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry
from interlock.audit.rows import check_row, write_row
from interlock.errors import ConflictError, InterlockError, MissingError
from interlock.model import Struct
from interlock.policy.tiers import plain
from interlock.store.clock import now_in
from interlock.store.connection import sql_list
from interlock.store.tables import people

ACTIVE, SHUT_OUT = "active", "shut out"
MIN_PASSWORD, MAX_PASSWORD = 10, 1_000
_HASHER = PasswordHasher()
#: Verified where there is no such person, so that the time taken tells nobody who there is.
_NOBODY = _HASHER.hash("nobody has this password")


class Person(Struct, frozen=True, kw_only=True):
    """Somebody who may sign in."""

    name: str
    role: Role
    state: str
    has_password: bool
    created_at: int
    created_by: str


_ONE = "SELECT * FROM interlock_people WHERE name = :name"


class People:
    """The people of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def list(self) -> list[Person]:
        """Return everybody, by name."""
        with self._journal.database.read() as connection:
            return [_person(row) for row in connection.rows("SELECT * FROM interlock_people ORDER BY name")]

    def get(self, name: str) -> Person:
        """Return somebody, or raise."""
        with self._journal.database.read() as connection:
            row = connection.row(_ONE, name=name)
        if row is None:
            raise MissingError(f"there is nobody called `{plain(name)[:80]}`; `interlock people` lists them")
        return _person(row)

    def count(self) -> int:
        """Return how many people may approve."""
        may = sql_list(role.value for role in (Role.REVIEWER, Role.ADMIN))
        query = f"SELECT count(*) FROM interlock_people WHERE state = :state AND role IN {may}"
        with self._journal.database.read() as connection:
            return int(connection.value(query, state=ACTIVE))

    def add(self, name: str, role: Role, actor: str) -> Person:
        """Let somebody sign in, or raise where they may already."""
        check_name(name, "a person")
        if role is Role.AGENT:
            raise InterlockError(
                "a person is a reviewer or an admin; an agent gets a key, with `interlock keys create`"
            )

        def operation(transaction: Transaction) -> Person:
            if _row(transaction, name) is not None:
                raise ConflictError(f"`{plain(name)}` is there already")
            at = now_in(transaction.connection).wall
            row = {
                "name": name,
                "role": role.value,
                "password": None,
                "state": ACTIVE,
                "created_at": at,
                "created_by": actor,
            }
            write_row(transaction, people, row, _entry("person.added", row, actor, at), new=True)
            return _person(row)

        return self._journal.commit(operation)

    def change(self, name: str, actor: str, **changes: str | None) -> Person:
        """Change the role, the state or the password of somebody."""

        def operation(transaction: Transaction) -> Person:
            found = _row(transaction, name)
            if found is None:
                raise MissingError(f"there is nobody called `{plain(name)[:80]}`; `interlock people` lists them")
            check_row(transaction, people, found)
            row = {**{column: value for column, value in found.items() if column != "seq"}, **changes}
            at = now_in(transaction.connection).wall
            entry = _entry("person.changed", row, actor, at, *changes)
            write_row(transaction, people, row, entry, new=False)
            return _person(row)

        return self._journal.commit(operation)

    def set_password(self, name: str, password: str, actor: str) -> Person:
        """Give somebody a password, in place of the one they had."""
        if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
            raise InterlockError(f"a password has at least {MIN_PASSWORD} characters; a few words are a good one")
        return self.change(name, actor, password=_HASHER.hash(password))

    def active(self, transaction: Transaction, name: str) -> Person | None:
        """Return somebody who may come in now, once it is proved that somebody who may has let them."""
        found = _row(transaction, name)
        if found is None or found["state"] != ACTIVE:
            return None
        check_row(transaction, people, found)
        return _person(found)

    def lends(self, transaction: Transaction, name: str, role: Role) -> Role | None:
        """Return what a key of somebody may be: nothing where they are shut out, and no more than they are themselves.

        Not everybody with a key signs in: of somebody whom nobody has added, the key says it all.
        """
        found = _row(transaction, name)
        if found is None:
            return role
        check_row(transaction, people, found)
        if str(found["state"]) != ACTIVE:
            return None
        return Role.REVIEWER if role is Role.ADMIN and Role(found["role"]) is not Role.ADMIN else role

    def hash_of(self, name: str) -> str | None:
        """Return the hash of somebody's password, if they may sign in with one."""
        if not is_name(name):
            return None  # whoever tries to sign in may write anything

        def operation(transaction: Transaction) -> str | None:
            found = _row(transaction, name)
            if found is None or found["state"] != ACTIVE:
                return None
            check_row(transaction, people, found)
            return found["password"]  # type: ignore[no-any-return]

        return self._journal.commit(operation)


def is_password(hashed: str | None, password: str) -> bool:
    """Whether a password is the one of a hash; it takes as long where there is none."""
    try:
        right = _HASHER.verify(hashed or _NOBODY, password[:MAX_PASSWORD])
    except (VerificationError, InvalidHashError):
        return False
    return right and hashed is not None


def _row(transaction: Transaction, name: str) -> dict[str, Any] | None:
    return transaction.connection.row(_ONE, name=name)


def _entry(kind: str, row: Mapping[str, Any], actor: str, at: int, *changed: str) -> Entry:
    data = {"role": row["role"], "state": row["state"], "changed": list(changed)}
    return Entry(kind=kind, at=at, actor=actor, name=row["name"], outcome=row["role"], data=data)


def _person(row: Mapping[Any, Any]) -> Person:
    return Person(
        name=row["name"],
        role=Role(row["role"]),
        state=row["state"],
        has_password=row["password"] is not None,
        created_at=row["created_at"],
        created_by=row["created_by"],
    )

"""Accounts at sign-in providers, each linked to one person by its issuer and subject.

Names and e-mail addresses can be reassigned to another person; the pair of issuer and subject cannot.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from interlock.access.people import find_in
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry, canonical
from interlock.audit.rows import check_row, write_row
from interlock.errors import ConflictError, InterlockError, MissingError
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.store.clock import now_in
from interlock.store.tables import identities

LINKED, UNLINKED = "linked", "unlinked"
MAX_SUBJECT = 255
_BY_ID = "SELECT * FROM interlock_identities WHERE identity_id = :identity_id"


class Identity(Struct, frozen=True, kw_only=True):
    """An account at a provider, and the person who signs in with it."""

    identity_id: str
    issuer: str
    subject: str
    provider: str
    person: str
    linked_at: int
    linked_by: str


class Account(Struct, frozen=True, kw_only=True):
    """An account at a provider: `provider` is its name in the configuration."""

    issuer: str
    subject: str
    provider: str

    @property
    def identity_id(self) -> str:
        """The id of the identity, which follows from issuer and subject."""
        return hashlib.sha256(canonical([self.issuer, self.subject])).hexdigest()[:32]


class Identities:
    """The identities of a store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def list(self) -> list[Identity]:
        """Return the linked identities, sorted by person."""
        query = "SELECT * FROM interlock_identities WHERE state = :state ORDER BY person, issuer"
        with self._journal.database.read() as connection:
            return [_identity_from_row(row) for row in connection.rows(query, state=LINKED)]

    def link(self, account: Account, person: str, actor: str) -> Identity:
        """Link an account to a person, or raise if it is linked already."""
        if not 0 < len(account.subject) <= MAX_SUBJECT or not account.subject.isprintable():
            raise InterlockError(f"a subject has 1 to {MAX_SUBJECT} printable characters")

        def operation(transaction: Transaction) -> Identity:
            if find_in(transaction, person) is None:
                raise MissingError(f"there is no person `{plain(person)[:80]}`; `interlock people` lists them")
            found = find_identity(transaction, account)
            if found is not None:
                raise ConflictError(f"this account is linked to `{plain(found.person)}` already; unlink it first")
            return link_in(transaction, account, person, actor, "linked by an admin")

        return self._journal.commit(operation)

    def unlink(self, identity_id: str, actor: str) -> Identity:
        """Unlink an identity: its account can no longer sign in."""

        def operation(transaction: Transaction) -> Identity:
            found = transaction.connection.row(_BY_ID, identity_id=identity_id)
            if found is None or found["state"] != LINKED:
                message = f"there is no linked identity `{plain(identity_id)[:40]}`; `interlock identities` lists them"
                raise MissingError(message)
            check_row(transaction, identities, found)
            row = {column: value for column, value in found.items() if column != "seq"} | {"state": UNLINKED}
            _write(transaction, "identity.unlinked", row, actor, "unlinked", new=False)
            return _identity_from_row(row)

        return self._journal.commit(operation)


def find_identity(transaction: Transaction, account: Account) -> Identity | None:
    """Return the linked identity of an account, or None; raise if its row was altered."""
    found = transaction.connection.row(_BY_ID, identity_id=account.identity_id)
    if found is None:
        return None
    check_row(transaction, identities, found)
    return _identity_from_row(found) if found["state"] == LINKED else None


def has_identity(transaction: Transaction, person: str) -> bool:
    """Whether a person signs in with any provider."""
    query = "SELECT 1 FROM interlock_identities WHERE person = :person AND state = :state"
    return bool(transaction.connection.values(query, person=person, state=LINKED))


def link_in(transaction: Transaction, account: Account, person: str, actor: str, how: str) -> Identity:
    """Link an account to a person in a transaction."""
    known = transaction.connection.row(_BY_ID, identity_id=account.identity_id)
    row = {
        "identity_id": account.identity_id,
        "issuer": account.issuer,
        "subject": account.subject,
        "provider": account.provider,
        "person": person,
        "state": LINKED,
        "linked_at": now_in(transaction.connection).wall,
        "linked_by": actor,
    }
    _write(transaction, "identity.linked", row, actor, how, new=known is None)
    return _identity_from_row(row)


def _write(transaction: Transaction, kind: str, row: Mapping[str, Any], actor: str, how: str, *, new: bool) -> None:
    at = now_in(transaction.connection).wall
    data = {name: row[name] for name in ("issuer", "subject", "provider", "person")}
    data["what"] = f"`{row['person']}`: {row['subject']} at {row['issuer']}"
    entry = Entry(kind=kind, at=at, actor=actor, name=row["identity_id"], outcome=how, data=data)
    write_row(transaction, identities, row, entry, new=new)


def _identity_from_row(row: Mapping[str, Any]) -> Identity:
    return Identity(**{name: row[name] for name in Identity.__struct_fields__})

"""One-time sign-in links, and the sessions of people. Every row is signed by the server that wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from interlock.access.keys import MAX_NAME
from interlock.access.last_used import PERSON, note_use
from interlock.access.people import People
from interlock.access.roles import Caller
from interlock.access.secrets import equal_in_constant_time, new_secret, secret_hash
from interlock.access.signed_rows import has_valid_signature, signature
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry, Record
from interlock.errors import ForbiddenError
from interlock.ids import new_id
from interlock.sanitise import plain
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.tables import links, sessions

LINK_SECONDS = 15 * 60
#: A session ends after this long without use, and in any case after this long.
IDLE_SECONDS, LONGEST_SECONDS = 12 * 3_600, 7 * 86_400
#: How old a session's secret gets before it is rotated, and how long the previous one stays valid.
ROTATE_SECONDS, GRACE_SECONDS = 15 * 60, 60


class ActiveSession(NamedTuple):
    """A valid session: its caller, and a new secret if the old one was rotated."""

    caller: Caller
    session_id: str
    new_secret: str | None = None


class _FoundSession(NamedTuple):
    """A valid session, the columns that its signature covers, the time, and whether its secret is to be replaced."""

    session: ActiveSession
    signed: dict[str, Any]
    at: int
    is_old: bool


class LoginSessions:
    """The sign-in links and sessions of a store."""

    def __init__(self, journal: Journal, people: People) -> None:
        self._journal, self._people = journal, people

    def create_link(self, person: str, seconds: int = LINK_SECONDS) -> str:
        """Create a link with which a person can sign in once; return its secret."""
        secret = new_secret()

        def operation(transaction: Transaction) -> None:
            at = now_in(transaction.connection).wall
            transaction.connection.run("DELETE FROM interlock_links WHERE expires_at < :at", at=at)
            row = {"hash": secret_hash(secret), "person": person, "expires_at": at + seconds * MICROSECONDS}
            transaction.connection.insert(links, {**row, **signature(transaction, "link", row)})

        self._journal.commit(operation)
        return secret

    def start_with_link(self, secret: str) -> tuple[str, str]:
        """Start a session with a link, which is used up; return the person, and the secret of the session."""

        def operation(transaction: Transaction) -> tuple[str, str]:
            connection, hashed = transaction.connection, secret_hash(secret)
            row = connection.row("SELECT * FROM interlock_links WHERE hash = :hash", hash=hashed)
            at = now_in(connection).wall
            if row is None or not _is_valid_link(transaction, row, at):
                raise ForbiddenError("this link is invalid, expired or already used; ask for a new one")
            connection.update(links, {"hash": hashed}, used_at=at)
            return row["person"], self.start_in(transaction, row["person"], "link")

        return self._journal.commit(operation)

    def accepts_link(self, secret: str) -> bool:
        """Whether a link can still be used, without using it up."""

        def operation(transaction: Transaction) -> bool:
            query, at = "SELECT * FROM interlock_links WHERE hash = :hash", now_in(transaction.connection).wall
            row = transaction.connection.row(query, hash=secret_hash(secret))
            if row is None or not _is_valid_link(transaction, row, at):
                return False
            return self._people.get_active(transaction, row["person"]) is not None

        with self._journal.database.read() as connection:  # guesses must not cost write transactions
            known = connection.row("SELECT 1 FROM interlock_links WHERE hash = :hash", hash=secret_hash(secret))
        return known is not None and self._journal.commit(operation)

    def start(self, person: str, how: str) -> str:
        """Start a session for a person; return its secret."""
        return self._journal.commit(lambda transaction: self.start_in(transaction, person, how))

    def start_in(self, transaction: Transaction, person: str, how: str, seconds: int | None = None) -> str:
        """Start a session in a transaction, which ends after so many seconds at the latest; return its secret."""
        if self._people.get_active(transaction, person) is None:
            raise ForbiddenError("this person may not sign in")
        secret, at = new_secret(), now_in(transaction.connection).wall
        oldest = at - LONGEST_SECONDS * MICROSECONDS
        transaction.connection.run("DELETE FROM interlock_sessions WHERE created_at < :oldest", oldest=oldest)
        row: dict[str, Any] = {"session_id": new_id(), "hash": secret_hash(secret), "before": None, "person": person}
        row |= {"created_at": at, "renewed_at": at}
        row |= {} if seconds is None else {"expires_at": at + seconds * MICROSECONDS}
        transaction.connection.insert(sessions, {**row, **signature(transaction, "session", row)})
        entry = Entry(kind="session.began", at=at, actor=person, name=str(row["session_id"]), outcome=how)
        transaction.append(entry)
        note_use(transaction.connection, PERSON, person, at)
        return secret

    def authenticate(self, secret: str, *, rotate: bool = True) -> ActiveSession | None:
        """Return the valid session of a secret, or None; with `rotate`, replace the secret if it is old."""
        reads = [(_BY_HASH, {"hash": secret_hash(secret)})]  # guesses must not cost write transactions
        found = self._journal.read_verified(lambda transaction: self._find(transaction, secret), reads)
        if found is None or not (rotate and found.is_old):
            return None if found is None else found.session
        return self._journal.commit(lambda transaction: self._rotate(transaction, secret))

    def _find(self, transaction: Transaction, secret: str) -> _FoundSession | None:
        """Return the valid session of a secret, or None."""
        connection, hashed = transaction.connection, secret_hash(secret)
        row, at = connection.row(_BY_HASH, hash=hashed), now_in(connection).wall
        if row is None:
            return None
        connection.expect([], self._people.queries(str(row["person"])))
        signed = {name: row[name] for name in _SIGNED_COLUMNS if name != "expires_at" or row[name] is not None}
        if not has_valid_signature(transaction, "session", signed, row) or not _is_current(row, hashed, at):
            return None
        person = self._people.get_active(transaction, row["person"])
        if person is None:
            return None
        is_old = at - row["renewed_at"] > ROTATE_SECONDS * MICROSECONDS and equal_in_constant_time(row["hash"], hashed)
        caller = Caller(name=person.name, role=person.role, session_id=row["session_id"])
        return _FoundSession(ActiveSession(caller, row["session_id"]), signed, at, is_old)

    def _rotate(self, transaction: Transaction, secret: str) -> ActiveSession | None:
        """Return the valid session of a secret, or None; replace the secret unless another call has done so."""
        found = self._find(transaction, secret)
        if found is None or not found.is_old:
            return None if found is None else found.session
        new = new_secret()
        signed = {**found.signed, "hash": secret_hash(new), "before": secret_hash(secret), "renewed_at": found.at}
        which = {"session_id": found.session.session_id}
        transaction.connection.update(sessions, which, **signed, **signature(transaction, "session", signed))
        return found.session._replace(new_secret=new)

    def find_sign_in_method(self, session_id: str) -> str | None:
        """Return how a person signed in: `link`, `password`, or `oidc:` and the provider; None if that is not known."""
        query = "SELECT body FROM interlock_records WHERE kind = :kind AND run_id IS NULL AND name = :name"
        with self._journal.database.read() as connection:
            body = connection.value(query, kind="session.began", name=session_id)
        return None if body is None else msgspec.json.decode(body, type=Record).outcome

    def end(self, session_id: str, actor: str) -> None:
        """End a session, so that its secret is no longer valid."""

        def operation(transaction: Transaction) -> None:
            at = now_in(transaction.connection).wall
            if transaction.connection.run(_END, at=at, session_id=session_id):
                transaction.append(Entry(kind="session.ended", at=at, actor=actor, name=session_id))

        self._journal.commit(operation)

    def record_failed_sign_in(self, name: str, why: str) -> None:
        """Record that a sign-in failed. The name is as typed, and need not exist."""
        name = plain(name)[:MAX_NAME]

        def operation(transaction: Transaction) -> None:
            at = now_in(transaction.connection).wall
            transaction.append(Entry(kind="session.refused", at=at, actor=name or "nobody", name=name, outcome=why))

        self._journal.commit(operation)


def _is_valid_link(transaction: Transaction, row: Mapping[str, Any], at: int) -> bool:
    signed = {name: row[name] for name in ("hash", "person", "expires_at")}
    if row["used_at"] is not None or row["expires_at"] <= at:
        return False
    return has_valid_signature(transaction, "link", signed, row)


_BY_HASH = "SELECT * FROM interlock_sessions WHERE hash = :hash OR before = :hash"
_END = "UPDATE interlock_sessions SET ended_at = :at WHERE session_id = :session_id AND ended_at IS NULL"
#: Sessions of the usual length have no `expires_at`, and signatures without it.
_SIGNED_COLUMNS = ("session_id", "hash", "before", "person", "created_at", "renewed_at", "expires_at")


def _is_current(row: Mapping[str, Any], hashed: str, at: int) -> bool:
    """Whether a session has neither ended nor expired, and the secret is its current one, or was a moment ago."""
    if row["ended_at"] is not None or at - row["created_at"] > LONGEST_SECONDS * MICROSECONDS:
        return False
    if at - row["renewed_at"] > IDLE_SECONDS * MICROSECONDS or at >= (row["expires_at"] or at + 1):
        return False
    if equal_in_constant_time(row["hash"], hashed):
        return True
    return equal_in_constant_time(row["before"] or "", hashed) and at - row["renewed_at"] < GRACE_SECONDS * MICROSECONDS

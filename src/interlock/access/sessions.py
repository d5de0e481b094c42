"""One-time links and the sessions of people who have signed in. Every row is signed by the server that made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from interlock.access.keys import MAX_NAME
from interlock.access.people import People
from interlock.access.roles import Caller
from interlock.access.secrets import new_secret, same, secret_hash
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.record import Entry, new_id
from interlock.errors import ForbiddenError
from interlock.policy.tiers import plain
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.tables import links, sessions

LINK_SECONDS = 15 * 60
#: A session ends when nobody has used it for so long, and in any case after so long.
IDLE_SECONDS, LONGEST_SECONDS = 12 * 3_600, 7 * 86_400
#: How old a session's secret gets before it is replaced, and how long the one before still counts.
ROTATE_SECONDS, GRACE_SECONDS = 15 * 60, 60


class Entered(NamedTuple):
    """A session that counts: who it is, and a new secret where the old one is to be replaced."""

    caller: Caller
    session_id: str
    secret: str | None = None


class Sessions:
    """The links and sessions of a store."""

    def __init__(self, journal: Journal, people: People) -> None:
        self._journal, self._people = journal, people

    def link(self, person: str, seconds: int = LINK_SECONDS) -> str:
        """Return the secret of a link by which somebody can sign in once."""
        secret = new_secret()

        def operation(transaction: Transaction) -> None:
            at = now_in(transaction.connection).wall
            transaction.connection.run("DELETE FROM interlock_links WHERE expires_at < :at", at=at)
            row = {"hash": secret_hash(secret), "person": person, "expires_at": at + seconds * MICROSECONDS}
            transaction.connection.insert(links, {**row, **_signed(transaction, "link", row)})

        self._journal.commit(operation)
        return secret

    def by_link(self, secret: str) -> tuple[str, str]:
        """Return whom a link is for, and the secret of the session that it begins; it counts once."""

        def operation(transaction: Transaction) -> tuple[str, str]:
            connection, hashed = transaction.connection, secret_hash(secret)
            row = connection.row("SELECT * FROM interlock_links WHERE hash = :hash", hash=hashed)
            at = now_in(connection).wall
            if (
                row is None
                or row["used_at"] is not None
                or row["expires_at"] <= at
                or not _is_signed(
                    transaction, "link", {name: row[name] for name in ("hash", "person", "expires_at")}, row
                )
            ):
                raise ForbiddenError("this link was used, has run out, or was never one; ask for another")
            connection.update(links, {"hash": hashed}, used_at=at)
            return row["person"], self._begin(transaction, row["person"], "link")

        return self._journal.commit(operation)

    def begin(self, person: str, how: str) -> str:
        """Begin a session for somebody; return its secret."""
        return self._journal.commit(lambda transaction: self._begin(transaction, person, how))

    def _begin(self, transaction: Transaction, person: str, how: str) -> str:
        if self._people.active(transaction, person) is None:
            raise ForbiddenError("nobody by that name may sign in")
        secret, at = new_secret(), now_in(transaction.connection).wall
        oldest = at - LONGEST_SECONDS * MICROSECONDS
        transaction.connection.run("DELETE FROM interlock_sessions WHERE created_at < :oldest", oldest=oldest)
        row: dict[str, Any] = {"session_id": new_id(), "hash": secret_hash(secret), "before": None, "person": person}
        row |= {"created_at": at, "renewed_at": at}
        transaction.connection.insert(sessions, {**row, **_signed(transaction, "session", row)})
        entry = Entry(kind="session.began", at=at, actor=person, name=str(row["session_id"]), outcome=how)
        transaction.append(entry)
        return secret

    def enter(self, secret: str, *, rotate: bool = True) -> Entered | None:
        """Return whose session a secret is, if it counts; and a new secret where it is time for one."""
        with self._journal.database.read() as connection:  # a guess takes nobody's turn to write
            if connection.row(_OF, hash=secret_hash(secret)) is None:
                return None
        return self._journal.commit(lambda transaction: self._enter(transaction, secret, rotate=rotate))

    def _enter(self, transaction: Transaction, secret: str, *, rotate: bool) -> Entered | None:
        connection, hashed = transaction.connection, secret_hash(secret)
        row, at = connection.row(_OF, hash=hashed), now_in(connection).wall
        if row is None:
            return None
        told = {name: row[name] for name in _TOLD}
        if not _is_signed(transaction, "session", told, row) or not _counts(row, hashed, at):
            return None
        person = self._people.active(transaction, row["person"])
        if person is None:
            return None
        caller = Caller(name=person.name, role=person.role, session_id=row["session_id"])
        new = None
        if rotate and same(row["hash"], hashed) and at - row["renewed_at"] > ROTATE_SECONDS * MICROSECONDS:
            new = new_secret()
            told |= {"hash": secret_hash(new), "before": hashed, "renewed_at": at}
            connection.update(
                sessions, {"session_id": row["session_id"]}, **told, **_signed(transaction, "session", told)
            )
        return Entered(caller, row["session_id"], new)

    def end(self, session_id: str, actor: str) -> None:
        """End a session, so that its secret counts no longer."""

        def operation(transaction: Transaction) -> None:
            at = now_in(transaction.connection).wall
            if transaction.connection.run(_END, at=at, session_id=session_id):
                transaction.append(Entry(kind="session.ended", at=at, actor=actor, name=session_id))

        self._journal.commit(operation)

    def refused(self, name: str, why: str) -> None:
        """Note that somebody could not sign in; what they called themselves is nobody's name yet."""
        name = plain(name)[:MAX_NAME]

        def operation(transaction: Transaction) -> None:
            at = now_in(transaction.connection).wall
            transaction.append(Entry(kind="session.refused", at=at, actor=name or "nobody", name=name, outcome=why))

        self._journal.commit(operation)


_OF = "SELECT * FROM interlock_sessions WHERE hash = :hash OR before = :hash"
_END = "UPDATE interlock_sessions SET ended_at = :at WHERE session_id = :session_id AND ended_at IS NULL"
_TOLD = ("session_id", "hash", "before", "person", "created_at", "renewed_at")


def _counts(row: Mapping[str, Any], hashed: str, at: int) -> bool:
    """Whether a session has neither ended nor run out, and the secret is its own, or was until a moment ago."""
    if row["ended_at"] is not None or at - row["created_at"] > LONGEST_SECONDS * MICROSECONDS:
        return False
    if at - row["renewed_at"] > IDLE_SECONDS * MICROSECONDS:
        return False
    if same(row["hash"], hashed):
        return True
    return same(row["before"] or "", hashed) and at - row["renewed_at"] < GRACE_SECONDS * MICROSECONDS


def _text(store_id: str, what: str, row: Mapping[str, Any]) -> bytes:
    told = " ".join(f"{name}={row[name]}" for name in sorted(row))
    return f"interlock {what} {store_id} {told}".encode()


def _signed(transaction: Transaction, what: str, row: Mapping[str, Any]) -> dict[str, str]:
    text = _text(transaction.before.store_id, what, row)
    return {"key_id": transaction.key.key_id, "signature": transaction.key.sign(text)}


def _is_signed(transaction: Transaction, what: str, told: Mapping[str, Any], row: Mapping[Any, Any]) -> bool:
    text = _text(transaction.before.store_id, what, told)
    return transaction.signers.accepts(transaction.connection, str(row["key_id"]), str(row["signature"]), text)

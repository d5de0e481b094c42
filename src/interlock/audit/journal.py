"""The journal: operations that wait at the same time share one transaction, and so one flush of the disk."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from interlock.audit.anchor import Anchor
from interlock.audit.chain import Head, Transaction, read_head
from interlock.audit.checkpoint import checkpoint_if_due
from interlock.audit.keys import Key
from interlock.audit.rows import introduce
from interlock.errors import StoreError, TamperedError
from interlock.store.database import Database

Given = TypeVar("Given")
Operation = Callable[[Transaction], Given]

#: How long a transaction is tried again while a server restarts or somebody else holds the pen.
PATIENCE_SECONDS = 30.0
MAX_TOGETHER = 256
#: How often, and how long, whoever writes waits for those who wrote along the last time.
MOMENTS, MOMENT_SECONDS = 8, 0.000_1


class _Ticket(Generic[Given]):
    """An operation that waits for its turn, and what became of it."""

    __slots__ = ("done", "error", "given", "operation", "turn")

    def __init__(self, operation: Operation[Given]) -> None:
        self.operation = operation
        self.turn = threading.Lock()  # given back when it is done, or when it is this one's turn to write
        self.turn.acquire()
        self.done = False
        self.given: Given | None = None
        self.error: BaseException | None = None

    def result(self) -> Given:
        if self.error is not None:
            raise self.error
        return self.given  # type: ignore[return-value]


class Journal:
    """Writes to a store. What an operation returned is durable when `commit` returns."""

    def __init__(self, database: Database, key: Key, folder: Path) -> None:
        self.database, self.key = database, key
        self.patience = PATIENCE_SECONDS
        self.foreign = 0  # how often somebody else had written since we did
        with database.read() as connection:
            self._head: Head | None = None
            self.store_id = read_head(connection).store_id
        self._anchor = Anchor(folder, self.store_id, database.shown)
        self._renew()
        _JOURNALS.add(self)

    def _renew(self) -> None:
        self._queue = threading.Lock()
        self._waiting: list[_Ticket[Any]] = []
        self._writing = False
        self._together = 1
        self._behind = False
        self._head = None

    @property
    def seen(self) -> int:
        """The newest record that this journal knows of."""
        return self._head.seq if self._head else 0

    def commit(self, operation: Operation[Given]) -> Given:
        """Carry an operation out, together with whatever else is waiting; return what it gives, once that is durable.

        Whoever comes first writes for everybody who waits, then hands the pen to the next; the others find theirs done.
        """
        ticket = _Ticket(operation)
        with self._queue:
            self._waiting.append(ticket)
            first, self._writing = not self._writing, True
        if not first:
            self._wait_for_turn(ticket)
        if not ticket.done:
            try:
                self._commit_waiting()
            finally:
                self._hand_over()
        return ticket.result()

    def _wait_for_turn(self, ticket: _Ticket[Any]) -> None:
        """Wait until an operation is done, or its turn to write has come; whoever is interrupted leaves the queue."""
        try:
            ticket.turn.acquire()
        except BaseException:
            with self._queue:
                if ticket in self._waiting:
                    self._waiting.remove(ticket)
            if ticket.turn.acquire(blocking=False) and not ticket.done:
                self._hand_over()  # the pen had been given to us already
            raise

    def _hand_over(self) -> None:
        """Give the pen to whoever has waited longest, or put it down."""
        with self._queue:
            self._writing = bool(self._waiting)
            if self._waiting:
                self._waiting[0].turn.release()

    def _gather(self) -> list[_Ticket[Any]]:
        """Return who waits; where several did before, give the others a moment to come along."""
        for _ in range(MOMENTS):
            if len(self._waiting) >= self._together:
                break
            time.sleep(MOMENT_SECONDS)
        with self._queue:
            tickets, self._waiting = self._waiting[:MAX_TOGETHER], self._waiting[MAX_TOGETHER:]
        self._together = len(tickets)
        return tickets

    def _commit_waiting(self) -> None:
        left = tickets = self._gather()
        try:
            while left:
                left = self._attempt_until(left)
        except Exception as error:
            for ticket in left:
                ticket.error = error
        except BaseException:
            for ticket in left:  # it was somebody else who was interrupted, and nobody knows how far they got
                ticket.error = StoreError("whoever wrote for this one was interrupted; it may not have been written")
            raise
        finally:
            for ticket in tickets:
                ticket.done = True
            for ticket in tickets[1:]:  # the first is ours
                ticket.turn.release()

    def _attempt_until(self, tickets: list[_Ticket[Any]]) -> list[_Ticket[Any]]:
        """Try a transaction until it is carried out or patience ends; return whom one that failed was for."""
        deadline = time.monotonic() + self.patience
        pause, doubtful = 0.01, None
        while True:
            known = self._anchor.read() if self._head is None else (self._head.seq, self._head.hash)
            attempt = _Attempt(self.database, self.key, self._head, tickets, doubtful, known)
            try:
                self._catch_up()
                head = attempt.run()
                self.foreign += attempt.before != self._head
                self._head = head
                self._behind = True
                with contextlib.suppress(StoreError):  # what is committed is committed; the next one waits for it
                    self._catch_up()
                return []
            except _Refused as refused:
                refused.ticket.error = refused.error
                return [ticket for ticket in tickets if ticket is not refused.ticket]
            except StoreError as error:
                if not error.again or time.monotonic() > deadline:
                    raise
            doubtful = attempt.last_id or doubtful
            self._head = None
            time.sleep(pause)
            pause = min(pause * 2, 0.5)

    def _catch_up(self) -> None:
        """Move the anchor to where the chain ends; nothing more is written while that fails."""
        if self._behind and self._head is not None:
            self._anchor.move(self._head)
        self._behind = False

    def close(self) -> None:
        """Let the database go."""
        self.database.close()


class _Refused(Exception):  # noqa: N818 - a signal between two functions, never shown
    """An operation that raised, so that the others are carried out without it."""

    def __init__(self, ticket: _Ticket[Any], error: Exception) -> None:
        self.ticket, self.error = ticket, error


class _Attempt:
    """One transaction for several operations."""

    def __init__(
        self,
        database: Database,
        key: Key,
        trusted: Head | None,
        tickets: list[_Ticket[Any]],
        doubtful: str | None,
        known: tuple[int, str],
    ) -> None:
        self._database, self._key, self._trusted, self._tickets = database, key, trusted, tickets
        self._doubtful, self._known = doubtful, known
        self.last_id: str | None = None
        self.before: Head | None = None

    def run(self) -> Head:
        """Carry the operations out; return where the chain ends afterwards.

        When the connection was lost while it was being committed, nobody told whether it was. The last record of
        that attempt does.
        """
        with self._database.write() as connection:
            transaction = Transaction(connection, self._key, self._trusted, self._known)
            self.before = transaction.before
            if self._doubtful and transaction.has(self._doubtful):
                return transaction.before
            if self._trusted is None:
                introduce(transaction, self._key)
            for ticket in self._tickets:
                try:
                    ticket.given = ticket.operation(transaction)
                except Exception as error:
                    if _is_of_database(error):
                        raise
                    raise _Refused(ticket, error) from error
            checkpoint_if_due(transaction)
            head = transaction.finish()
            self.last_id = transaction.last_id
        return head


def _is_of_database(error: Exception) -> bool:
    """Whether an error is the database's own, so that it is everybody's who waits."""
    if isinstance(error, StoreError):
        return not isinstance(error, TamperedError)
    return isinstance(error, SQLAlchemyError) and not isinstance(error, IntegrityError)


_JOURNALS: weakref.WeakSet[Journal] = weakref.WeakSet()


def _renew_all() -> None:
    for journal in list(_JOURNALS):
        journal._renew()  # a forked child has nobody who would give the locks back


os.register_at_fork(after_in_child=_renew_all)

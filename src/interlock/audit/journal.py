"""The journal: operations that wait at the same time share one transaction, and so one flush of the disk."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import threading
import time
import weakref
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Generic, TypeVar

from sqlalchemy import select
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError

from interlock.audit.anchor import Anchor
from interlock.audit.chain import Head, Signers, Transaction
from interlock.audit.checkpoint import checkpoint_if_due
from interlock.audit.keys import Key
from interlock.audit.record import Entry
from interlock.audit.rows import introduce
from interlock.errors import StoreError, TamperedError
from interlock.store.clock import now
from interlock.store.database import Database
from interlock.store.tables import head

Given = TypeVar("Given")
Operation = Callable[[Transaction], Given]

#: How long a transaction is tried again while a server restarts or somebody else holds the pen.
PATIENCE_SECONDS = 30.0
MAX_TOGETHER = 256
#: How often, and how long, whoever writes waits for those who wrote along the last time.
MOMENTS, MOMENT_SECONDS = 8, 0.000_1


class _Ticket(Generic[Given]):
    """An operation that waits for its turn, and what became of it."""

    __slots__ = ("abandoned", "error", "given", "operation")

    def __init__(self, operation: Operation[Given]) -> None:
        self.operation = operation
        self.abandoned = False
        self.given: Given | None = None
        self.error: BaseException | None = None

    def result(self) -> Given:
        if self.error is not None:
            raise self.error
        return self.given  # type: ignore[return-value]


class _ThreadTicket(_Ticket[Given]):
    """The ticket of a thread that stands still until it is done."""

    __slots__ = ("done",)

    def __init__(self, operation: Operation[Given]) -> None:
        super().__init__(operation)
        self.done = threading.Lock()  # given back when it is done
        self.done.acquire()


class _LoopTicket(_Ticket[Given]):
    """The ticket of a task in a loop, in which others go on."""

    __slots__ = ("future", "loop")

    def __init__(self, operation: Operation[Given]) -> None:
        super().__init__(operation)
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[None] = self.loop.create_future()


class Place(_LoopTicket[Given]):
    """A place that a task has taken in the queue, before it is known what for."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(_nothing)

    def give_up(self, error: Exception) -> None:
        """Tell the task that there is nothing to wait for."""
        self.error = error
        _settle([self.future])


def _nothing(_transaction: Transaction) -> Any:
    raise AssertionError("nobody said what is to be done")


def _tell(tickets: list[_Ticket[Any]]) -> None:
    """Tell everybody that their operation is done; a loop is woken once for all of its tasks."""
    loops: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    for ticket in tickets:
        if isinstance(ticket, _ThreadTicket):
            ticket.done.release()
        elif isinstance(ticket, _LoopTicket):
            loops.setdefault(ticket.loop, []).append(ticket.future)
    for loop, futures in loops.items():
        with contextlib.suppress(RuntimeError):  # nobody waits any more: the loop is closed
            loop.call_soon_threadsafe(_settle, futures)


def _settle(futures: list[asyncio.Future[None]]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)


class Journal:
    """Writes to a store. What an operation returned is durable when `commit` returns.

    One thread writes for all, so that an interrupt, which only ever hits the main thread, cannot hit a transaction.
    """

    def __init__(self, database: Database, key: Key, folder: Path, keys: Iterable[str] = ()) -> None:
        self.database, self.key = database, key
        self.patience = PATIENCE_SECONDS
        self.foreign = 0  # how often somebody else had written since we did
        self.on_write: Callable[[int], None] | None = None  # told where the chain ends, from the thread that writes
        self._signers = Signers(key, tuple(keys), shared=not database.is_sqlite)
        with database.read() as connection:
            self.store_id = str(connection.execute(select(head.c.store_id)).scalar())
        self._anchor = Anchor(folder, self.store_id, database.shown)
        self._renew()
        _JOURNALS.add(self)

    def _renew(self) -> None:
        self._queue: queue.SimpleQueue[_Ticket[Any] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._start = threading.Lock()
        self._together = 1
        self._behind = False
        self._head: Head | None = None

    @property
    def seen(self) -> int:
        """The newest record that this journal knows of."""
        return self._head.seq if self._head else 0

    def commit(self, operation: Operation[Given]) -> Given:
        """Carry an operation out, together with whatever else waits; return what it gives, once that is durable."""
        ticket = _ThreadTicket(operation)
        self._put(ticket)
        try:
            ticket.done.acquire()
        except BaseException:
            ticket.abandoned = True  # it is not begun for somebody who has left
            raise
        return ticket.result()

    async def acommit(self, operation: Operation[Given]) -> Given:
        """Do as `commit` does, while other tasks go on."""
        ticket = _LoopTicket(operation)
        self._put(ticket)
        return await self.waited(ticket)

    def take(self, place: Place[Given], operation: Operation[Given]) -> None:
        """Put an operation where a task has taken a place."""
        place.operation = operation
        self._put(place)

    async def waited(self, ticket: _LoopTicket[Given]) -> Given:
        """Return what an operation gives, once that is durable."""
        try:
            await ticket.future
        except BaseException:
            ticket.abandoned = True  # it is not begun for somebody who has left
            raise
        return ticket.result()

    def _put(self, ticket: _Ticket[Any]) -> None:
        if self._thread is None:
            self._begin()
        self._queue.put(ticket)

    def _begin(self) -> None:
        with self._start:
            if self._thread is None:
                thread = threading.Thread(target=_write_all, args=(weakref.ref(self), self._queue), daemon=True)
                thread.start()
                self._thread = thread
                weakref.finalize(self, self._queue.put, None)

    def _gather(self, first: _Ticket[Any]) -> list[_Ticket[Any]]:
        """Return who waits; where several did before, give the others a moment to come along."""
        tickets = [first]
        before = -1
        for _ in range(MOMENTS):
            there = self._queue.qsize()
            if there + 1 >= self._together or there == before:
                break
            before = there
            time.sleep(MOMENT_SECONDS)
        with contextlib.suppress(queue.Empty):
            while len(tickets) < MAX_TOGETHER:
                ticket = self._queue.get_nowait()
                if ticket is None:
                    self._queue.put(None)
                    break
                tickets.append(ticket)
        self._together = len(tickets)
        return [ticket for ticket in tickets if not ticket.abandoned]

    def write(self, first: _Ticket[Any]) -> None:
        """Carry out what waits; whoever waited is told in any case."""
        left = tickets = self._gather(first)
        try:
            while left:
                left = self._attempt_until(left)
        except BaseException as error:
            for ticket in left:
                ticket.error = error
        finally:
            _tell(tickets)

    def _attempt_until(self, tickets: list[_Ticket[Any]]) -> list[_Ticket[Any]]:
        """Try a transaction until it is carried out or patience ends; return whom one that failed was for."""
        deadline = time.monotonic() + self.patience
        pause, doubtful = 0.01, None
        while True:
            known = self._anchor.read() if self._head is None else (self._head.seq, self._head.hash)
            attempt = _Attempt(self.database, self._signers, self._head, tickets, doubtful, known)
            try:
                self._catch_up()
                end = attempt.run()
                self.foreign += attempt.before != self._head
                self._head = end
                self._behind = True
                if self.on_write is not None:
                    self.on_write(end.seq)
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

    def accept(self, actor: str) -> int:
        """Go on with the chain as it is, although this machine knows of another end; return where that was."""
        known, _ = self._anchor.read()
        self._anchor.forget()
        self._head = None
        entry = Entry(kind="accepted", at=now().wall, actor=actor, data={"knownTo": known})
        self.commit(lambda transaction: transaction.append(entry))
        return known

    def _catch_up(self) -> None:
        """Move the anchor to where the chain ends; nothing more is written while that fails."""
        if self._behind and self._head is not None:
            self._anchor.move(self._head)
        self._behind = False

    def close(self) -> None:
        """Let the thread and the database go."""
        self._queue.put(None)
        self._thread = None
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
        signers: Signers,
        trusted: Head | None,
        tickets: list[_Ticket[Any]],
        doubtful: str | None,
        known: tuple[int, str],
    ) -> None:
        self._database, self._signers, self._trusted, self._tickets = database, signers, trusted, tickets
        self._doubtful, self._known = doubtful, known
        self.last_id: str | None = None
        self.before: Head | None = None

    def run(self) -> Head:
        """Carry the operations out; return where the chain ends afterwards.

        When the connection was lost while it was being committed, nobody told whether it was. The last record of
        that attempt does.
        """
        with self._database.write() as connection:
            transaction = Transaction(connection, self._signers, self._trusted, self._known)
            self.before = transaction.before
            if self._doubtful and transaction.has(self._doubtful):
                return transaction.before
            if self._trusted is None:
                introduce(transaction, self._signers.key)
            for ticket in self._tickets:
                try:
                    ticket.given = ticket.operation(transaction)
                except Exception as error:
                    if _is_of_database(error):
                        raise
                    raise _Refused(ticket, error) from error
            checkpoint_if_due(transaction)
            end = transaction.finish()
            self.last_id = transaction.last_id
        return end


def _is_of_database(error: Exception) -> bool:
    """Whether an error is the database's own, so that it is everybody's who waits."""
    if isinstance(error, StoreError):
        return not isinstance(error, TamperedError)
    return isinstance(error, SQLAlchemyError) and not isinstance(error, (DataError, IntegrityError))


def _write_all(journal: weakref.ref[Journal], waiting: queue.SimpleQueue[_Ticket[Any] | None]) -> None:
    """Write for a journal until it is closed, or nobody has it any more."""
    while (ticket := waiting.get()) is not None:
        found = journal()
        if found is None:
            return
        if not ticket.abandoned:
            found.write(ticket)
        del found, ticket


_JOURNALS: weakref.WeakSet[Journal] = weakref.WeakSet()


def _renew_all() -> None:
    for journal in list(_JOURNALS):
        journal._renew()  # a forked child has nobody who would give the locks back


os.register_at_fork(after_in_child=_renew_all)

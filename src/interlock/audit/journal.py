"""The journal: operations that wait at the same time share one transaction, and so one flush of the disk."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from interlock.audit.anchor import Anchor
from interlock.audit.attempt import Attempt, Refused
from interlock.audit.chain import Head, Signers
from interlock.audit.keys import Key
from interlock.audit.record import Entry
from interlock.audit.shelf import Shelf
from interlock.audit.ticket import Given, LoopTicket, Operation, Place, ThreadTicket, Ticket, settle, tell
from interlock.errors import StoreError
from interlock.store.clock import now
from interlock.store.database import Database

#: How long a transaction is tried again while a server restarts or somebody else holds the pen.
PATIENCE_SECONDS = 30.0
MAX_TOGETHER = 256
#: How often, and how long, whoever writes waits for those who wrote along the last time.
MOMENTS, MOMENT_SECONDS = 8, 0.000_1
#: A store that takes longer than this, or a pen that is not to be had for so long, is left to the thread for a while:
#: a hundred times that where the store is slow, ten times where somebody else is writing.
SLOW_SECONDS = 0.02


class Journal:
    """Writes to a store. What an operation returned is durable when `commit` returns.

    One thread writes for all, so that an interrupt, which only ever hits the main thread, cannot hit a transaction.
    A loop that catches interrupts itself may write with its own hands while the store is quick: handing over takes
    longer than a small transaction does.
    """

    def __init__(self, database: Database, key: Key, folder: Path, keys: Iterable[str] = ()) -> None:
        self.database, self.key = database, key
        self.patience = PATIENCE_SECONDS
        self.foreign = 0  # how often somebody else had written since we did
        self.on_write: Callable[[int], None] | None = None  # told where the chain ends, from the thread that writes
        self._signers = Signers(key, tuple(keys), shared=not database.is_sqlite)
        with database.read() as connection:
            self.store_id = str(connection.value("SELECT store_id FROM interlock_head"))
        self._anchor = Anchor(folder, self.store_id, database.shown)
        self.shelf = Shelf(folder)
        self._renew()
        _JOURNALS.add(self)

    def _renew(self) -> None:
        self._queue: queue.SimpleQueue[Ticket[Any] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._start = threading.Lock()
        self._closed = False
        self._pen = threading.Lock()  # whoever has it writes
        self._rests = 0.0  # until when loops leave it to the thread
        self._together = 1
        self._behind = False
        self._head: Head | None = None

    @property
    def seen(self) -> int:
        """The newest record that this journal knows of."""
        return self._head.seq if self._head else 0

    def commit(self, operation: Operation[Given]) -> Given:
        """Carry an operation out, together with whatever else waits; return what it gives, once that is durable."""
        ticket = ThreadTicket(operation)
        self._put(ticket)
        try:
            ticket.done.acquire()
        except BaseException:
            ticket.abandoned = True  # it is not begun for somebody who has left
            raise
        return ticket.result()

    async def acommit(self, operation: Operation[Given]) -> Given:
        """Do as `commit` does, while other tasks go on."""
        ticket = LoopTicket(operation)
        self._put(ticket)
        return await self.waited(ticket)

    def write_now(self, places: Sequence[Place[Any]]) -> None:
        """Carry out what tasks of the running loop wait for: right here, or by the thread where that could take long.

        Only an embedded store can be quick; a server may be busy with others at any moment.
        """
        left: Sequence[Ticket[Any]] = places
        if self.database.is_sqlite and self._rests < time.monotonic():
            left = self._written_here(places)
        waiting = set(left)
        settle(place for place in places if place not in waiting)
        for place in places:
            if place in waiting:
                self._hand_over(place)

    def _written_here(self, places: Sequence[Place[Any]]) -> Sequence[Ticket[Any]]:
        """Carry out what can be at once; return the rest."""
        if not self._pen.acquire(timeout=SLOW_SECONDS):
            self._rests = time.monotonic() + 10 * SLOW_SECONDS
            return places
        began = time.monotonic()
        try:
            return self._carry_out(places, patient=False)
        finally:
            self._pen.release()
            if time.monotonic() - began > SLOW_SECONDS:
                self._rests = began + 100 * SLOW_SECONDS

    async def waited(self, ticket: LoopTicket[Given]) -> Given:
        """Return what an operation gives, once that is durable."""
        try:
            await ticket.future
        except BaseException:
            ticket.abandoned = True  # it is not begun for somebody who has left
            raise
        return ticket.result()

    def _hand_over(self, place: Place[Any]) -> None:
        try:
            self._put(place)
        except StoreError as error:
            place.give_up(error)

    def _put(self, ticket: Ticket[Any]) -> None:
        if self._closed:
            raise StoreError("the store was closed")
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

    def _gather(self, first: Ticket[Any]) -> list[Ticket[Any]]:
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

    def write(self, first: Ticket[Any]) -> None:
        """Carry out what waits; whoever waited is told in any case."""
        tickets = self._gather(first)
        try:
            with self._pen:
                self._carry_out(tickets, patient=True)
        finally:
            tell(tickets)

    def _carry_out(self, tickets: Sequence[Ticket[Any]], *, patient: bool) -> Sequence[Ticket[Any]]:
        """Carry out what was asked, and note what became of it; return what has to be tried again by who is patient."""
        left = tickets
        try:
            while left:
                left = self._attempt_until(left, patient=patient)
        except BaseException as error:
            if not patient and isinstance(error, StoreError) and error.again:
                return left
            for ticket in left:
                ticket.error = error
        return ()

    def _attempt_until(self, tickets: Sequence[Ticket[Any]], *, patient: bool) -> Sequence[Ticket[Any]]:
        """Try a transaction until it is carried out or patience ends; return whom one that failed was for."""
        deadline = time.monotonic() + (self.patience if patient else 0)
        pause, doubtful = 0.01, None
        while True:
            known = self._anchor.read() if self._head is None else (self._head.seq, self._head.hash)
            attempt = Attempt(self.database, self._signers, self._head, known)
            try:
                self._catch_up()
                self._moved(attempt.run(tickets, doubtful, patient=patient), attempt.before)
                return ()
            except Refused as refused:
                refused.ticket.error = refused.error
                return [ticket for ticket in tickets if ticket is not refused.ticket]
            except StoreError as error:
                if not error.again or not patient or time.monotonic() > deadline:
                    raise
            doubtful = attempt.last_id or doubtful
            self._head = None
            time.sleep(pause)
            pause = min(pause * 2, 0.5)

    def _moved(self, end: Head, before: Head | None) -> None:
        """Take in where the chain ends now."""
        self.foreign += before != self._head
        self._head = end
        self._behind = True
        if self.on_write is not None:
            self.on_write(end.seq)
        with contextlib.suppress(StoreError):  # what is committed is committed; the next one waits for it
            self._catch_up()

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
        """Let the thread and the database go. What waits already is written; nothing more is taken."""
        self._closed = True
        self._queue.put(None)
        self.database.close()


def _write_all(journal: weakref.ref[Journal], waiting: queue.SimpleQueue[Ticket[Any] | None]) -> None:
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

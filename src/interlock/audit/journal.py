"""The journal: all writes to a store go through it. Operations that wait at the same time share one transaction."""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from interlock.audit.anchor import Anchor
from interlock.audit.chain import Head, KnownChain, Signers, Transaction
from interlock.audit.content_store import ContentStore
from interlock.audit.keys import SigningKey
from interlock.audit.pending_write import (
    Concurrent,
    DetachedWrite,
    Operation,
    PendingWrite,
    ReservedWrite,
    Result,
    TaskWrite,
    ThreadWrite,
    notify_all,
    resolve_all,
)
from interlock.audit.record import Entry
from interlock.audit.write_attempt import OperationError, WriteAttempt
from interlock.audit.write_queue import WriteQueue
from interlock.errors import StoreError
from interlock.store.clock import now
from interlock.store.connection import Connection, Query
from interlock.store.database import Database

#: How long a transaction is retried while the store is locked or a server restarts.
RETRY_SECONDS = 30.0
#: An event loop that waits this long for the lock, or whose transaction takes this long, leaves writing to the thread
#: for a while: ten times as long if the lock was busy, a hundred times if the store was slow.
SLOW_SECONDS = 0.02


class Journal:
    """Writes to a store. When `commit` returns, the result is durable.

    A background thread runs the transactions, because Python raises `KeyboardInterrupt` only in the main thread: it
    cannot hit a transaction. An event loop that handles interrupts itself may call `write_now`, which writes in the
    loop's thread while the store is fast: handing over takes longer than a small transaction.
    """

    def __init__(self, database: Database, key: SigningKey, folder: Path, keys: Iterable[str] = ()) -> None:
        self.database, self.key = database, key
        self.retry_seconds = RETRY_SECONDS
        self.foreign = _foreign_writes(database)
        self.on_write: Callable[[int], None] | None = None  # called with the end of the chain, in the writing thread
        self._signers = Signers(key, tuple(keys), shared=not database.is_sqlite)
        with database.read() as connection:
            self.store_id = str(connection.value("SELECT store_id FROM interlock_head"))
        self._anchor = Anchor(folder, self.store_id, database.shown)
        self.content = ContentStore(folder)
        self._reset()
        _JOURNALS.add(self)

    def _reset(self) -> None:
        self._queue = WriteQueue(self._write_batch)
        weakref.finalize(self, self._queue.close)
        self._lock = threading.Lock()  # held by the thread that writes
        self._noting = threading.Lock()  # held while the end of the chain is noted
        self._slow_until = 0.0  # until then, event loops leave writing to the thread
        self._head: Head | None = None
        self._room: int | None = None  # as in `KnownChain`
        self._anchor_behind = False

    def accepts(self, key_id: str, signature: str, text: bytes) -> bool:
        """Whether a signature is valid, and by a machine that writes to this store."""
        with self.database.read() as connection:
            return self._signers.accepts(connection, key_id, signature, text)

    @property
    def queue_length(self) -> int:
        """The number of queued writes."""
        return len(self._queue)

    @property
    def last_seq(self) -> int:
        """The sequence number of the newest record that this journal knows of."""
        return self._head.seq if self._head else 0

    def commit(self, operation: Operation[Result]) -> Result:
        """Run an operation in a transaction, perhaps together with others; return its result once it is durable."""
        write = ThreadWrite(operation)
        self._queue.put(write)
        try:
            write.done.acquire()
        except BaseException:
            write.abandoned = True
            raise
        return write.result()

    def commit_beside(self, operation: Concurrent[Result]) -> Result:
        """Like `commit`, but in a separate transaction in this thread, if several servers may write to the store.

        It is for operations that read step by step, so that callers that wait for a decision do not wait for them.
        """
        if self.database.is_sqlite:
            return self.commit(operation)
        write = PendingWrite(operation)
        self._run_batch([write], wait=True)
        return write.result()

    def derive(self, what: str, operation: Callable[[Connection], Result]) -> Result:
        """Run an operation that writes only data derived from the chain, such as counters; return its result.

        In PostgreSQL it has a transaction of its own, in which no other process derives anything or resets what was
        derived. However long it takes, it blocks neither decisions nor operations that need the exclusive lock.
        """
        if self.database.is_sqlite:
            return self.commit(lambda transaction: operation(transaction.connection))
        from interlock.audit.concurrent_transaction import lock_derived

        with self.database.write() as connection:
            lock_derived(connection, self.store_id, what)
            return operation(connection)

    def reset_derived(self, operation: Operation[Result]) -> Result:
        """Run an operation that changes or removes derived data, under its exclusive lock; return its result."""

        def write(transaction: Transaction) -> Result:
            if not self.database.is_sqlite:
                from interlock.audit.concurrent_transaction import lock_all_derived

                lock_all_derived(transaction.connection, self.store_id)
            return operation(transaction)

        return self.commit(write)

    def read_verified(self, operation: Operation[Result], reads: Sequence[Query] = ()) -> Result:
        """Run an operation that only reads, and return its result. It sees everything that was committed before.

        It waits for no writer. `reads` are queries that it probably makes first.
        """
        from interlock.audit.read_transaction import ReadTransaction

        def read(connection: Connection) -> Result:
            return operation(ReadTransaction(connection, self._signers, self._last_seen(), reads))

        return self.database.read_with_retry(read)

    def commit_later(self, operation: Operation[None], failed: Callable[[BaseException], None]) -> None:
        """Run an operation in a transaction soon, without waiting for it; `failed` is called if it raises.

        It is written at the latest when the journal is closed or the process ends.
        """
        self._queue.put(DetachedWrite(operation, failed, self))

    def flush(self) -> bool:
        """Wait for the detached writes; return whether all are done."""
        return self._queue.flush(self.retry_seconds)

    async def acommit(self, operation: Operation[Result]) -> Result:
        """Like `commit`, without blocking the event loop."""
        write = TaskWrite(operation)
        self._queue.put(write)
        return await self.wait_for(write)

    async def wait_for(self, write: TaskWrite[Result]) -> Result:
        """Return the result of a pending write, once it is durable."""
        try:
            await write.future
        except BaseException:
            write.abandoned = True
            raise
        return write.result()

    def write_now(self, writes: Sequence[ReservedWrite[Any]]) -> None:
        """Run the writes of tasks of the running loop: in this thread if that is fast, else in the background.

        Only a SQLite store can be fast enough; a server may be busy with others at any time.
        """
        rest: Sequence[PendingWrite[Any]] = writes
        if self.database.is_sqlite and self._slow_until < time.monotonic():
            rest = self._write_here(writes)
        waiting = set(rest)
        resolve_all(write for write in writes if write not in waiting)
        for write in writes:
            if write in waiting:
                self._hand_over(write)

    def _write_here(self, writes: Sequence[ReservedWrite[Any]]) -> Sequence[PendingWrite[Any]]:
        """Run writes in this thread; return those that another process blocks."""
        if not self._lock.acquire(timeout=SLOW_SECONDS):
            self._slow_until = time.monotonic() + 10 * SLOW_SECONDS
            return writes
        began = time.monotonic()
        try:
            return self._run_batch(writes, wait=False)
        finally:
            self._lock.release()
            if time.monotonic() - began > SLOW_SECONDS:
                self._slow_until = began + 100 * SLOW_SECONDS

    def _hand_over(self, write: ReservedWrite[Any]) -> None:
        try:
            self._queue.put(write)
        except StoreError as error:
            write.fail(error)

    def _write_batch(self, batch: Sequence[PendingWrite[Any]]) -> None:
        """Run a batch of the queue, and wake its callers in any case."""
        try:
            with self._lock:
                self._run_batch(batch, wait=True)
        finally:
            notify_all(batch)

    def _run_batch(self, batch: Sequence[PendingWrite[Any]], *, wait: bool) -> Sequence[PendingWrite[Any]]:
        """Run writes and set their results. With `wait=False`, return those that have to be retried with waiting."""
        left = batch
        try:
            while left:
                left = self._run_transaction(left, wait=wait)
        except BaseException as error:
            if not wait and isinstance(error, StoreError) and error.again:
                return left
            if len(left) > 1 and self.database.is_value_error(error.__cause__):
                for write in left:  # rows are sent late, so it is not known whose value it was
                    self._run_batch([write], wait=wait)
                return ()
            for write in left:
                write.error = error
        return ()

    def _run_transaction(self, batch: Sequence[PendingWrite[Any]], *, wait: bool) -> Sequence[PendingWrite[Any]]:
        """Retry a transaction until it succeeds or the time is up; if one operation failed, return the others."""
        deadline = time.monotonic() + (self.retry_seconds if wait else 0)
        pause, doubtful = 0.01, None
        while True:
            attempt = WriteAttempt(self.database, self._signers, self.store_id, self._last_seen())
            try:
                self._move_anchor()
                self._advance(attempt.run(batch, doubtful, wait=wait), attempt.transaction)
                return ()
            except OperationError as failed:
                if len(batch) > 1 and not self.database.is_sqlite and self.database.is_value_error(failed.error):
                    raise StoreError("a value was rejected") from failed.error
                failed.write.error = failed.error
                return [write for write in batch if write is not failed.write]
            except StoreError as error:
                if not error.again or not wait or time.monotonic() > deadline:
                    raise
            doubtful = attempt.last_id or doubtful
            self._head = self._room = None
            time.sleep(pause)
            pause = min(pause * 2, 0.5)

    def _last_seen(self) -> KnownChain:
        head = self._head
        known = self._anchor.read() if head is None else (head.seq, head.hash)
        return KnownChain(head, *known, self._room)

    def _advance(self, end: Head, transaction: Transaction | None) -> None:
        """Set the known end of the chain, unless another thread has set a later one."""
        with self._noting:
            if transaction is not None:
                self.foreign.note(transaction, self._head)
            if self._head is None or end.seq >= self._head.seq:
                self._head, self._room = end, self._room if transaction is None else transaction.room
            self._anchor_behind = True
        if self.on_write is not None:
            self.on_write(end.seq)
        with contextlib.suppress(StoreError):  # the commit stands; the next transaction waits for the anchor
            self._move_anchor()

    def _move_anchor(self) -> None:
        """Move the anchor to the end of the chain; while that fails, nothing more is written."""
        with self._noting:
            if self._anchor_behind and self._head is not None:
                self._anchor.move(self._head)
            self._anchor_behind = False

    def accept(self, actor: str) -> int:
        """Accept the chain as it is, although this machine has seen another end; return the number of that end."""
        known, _ = self._anchor.read()
        self._anchor.forget()
        self._head = None
        entry = Entry(kind="accepted", at=now().wall, actor=actor, data={"knownTo": known})
        self.commit(lambda transaction: transaction.append(entry))
        return known

    def close(self) -> None:
        """Close the queue and the database. Queued writes are still written."""
        self.flush()
        self._queue.close()
        self.database.close()


class ForeignWrites:
    """Counts the writes of other processes that this one has noticed, so that stale data is reloaded.

    Every transaction looks. In a file, any write of another process counts for everything.
    """

    def __init__(self) -> None:
        self.count = 0  # of writes that may have changed the policies

    def revision(self, run_id: str) -> tuple[int, int]:
        """Return numbers that change when another process may have changed the policies or written to a run."""
        del run_id
        return self.count, 0

    def note_policy(self, newest: int) -> None:
        """Set the newest known record of the policies."""

    def note_run(self, run_id: str, newest: int | None) -> None:
        """Set the newest known record of a run."""

    def note(self, transaction: Transaction, trusted: Head | None) -> None:
        """Update the counts after a transaction. `trusted` is the end as this process left it."""
        self.count += transaction.before != trusted


def _foreign_writes(database: Database) -> ForeignWrites:
    if database.is_sqlite:
        return ForeignWrites()
    from interlock.audit.server_writes import ServerWrites

    return ServerWrites()


_JOURNALS: weakref.WeakSet[Journal] = weakref.WeakSet()


def _reset_all() -> None:
    for journal in list(_JOURNALS):
        journal._reset()  # its thread exists only in the parent process, and its lock may be held forever


def flush_all() -> None:
    """Write the queued records of all journals in this process."""
    for journal in list(_JOURNALS):
        journal.flush()


os.register_at_fork(after_in_child=_reset_all)
atexit.register(flush_all)  # the writer thread ends with the process

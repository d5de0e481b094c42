"""Pending writes: operations that wait in the journal's queue, and their results."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from interlock.audit.chain import Transaction
from interlock.event_loops import running_loop
from interlock.store.connection import Query

if TYPE_CHECKING:
    import asyncio

Result = TypeVar("Result")
Operation = Callable[[Transaction], Result]


class Concurrent(Generic[Result]):
    """An operation that may run concurrently with those of other processes, because it locks what others may change.

    It reads and writes the records and the row of one run, budgets, and requests and grants for actions, by their
    digests or frames; and it writes the record with `record_id` once, however often it is run. Besides that, it reads
    only rows that no concurrent operation changes. `reads` are queries that it will probably make first: all operations
    of a batch get those answered in one round trip, once everything is locked.
    """

    __slots__ = ("_operation", "actions", "budgets", "reads", "record_id", "run_id")

    def __init__(
        self,
        operation: Operation[Result],
        run_id: str | None = None,
        *,
        budgets: Iterable[str] = (),
        actions: Iterable[str] = (),
        record_id: str = "",
        reads: Iterable[Query] = (),
    ) -> None:
        self._operation, self.run_id, self.record_id = operation, run_id, record_id
        self.budgets, self.actions, self.reads = tuple(budgets), tuple(actions), tuple(reads)

    def __call__(self, transaction: Transaction) -> Result:
        """Run the operation in a transaction."""
        return self._operation(transaction)


class PendingWrite(Generic[Result]):
    """An operation to run in a transaction, and its value or its error afterwards."""

    __slots__ = ("abandoned", "error", "operation", "value")

    urgent = True  # a caller waits for it, so it is written at once

    def __init__(self, operation: Operation[Result]) -> None:
        self.operation = operation
        self.abandoned = False  # the caller has stopped waiting: do not start it
        self.value: Result | None = None
        self.error: BaseException | None = None

    def result(self) -> Result:
        """Return the result of the operation, or raise its exception."""
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]


class ThreadWrite(PendingWrite[Result]):
    """A pending write for which a thread waits."""

    __slots__ = ("done",)

    def __init__(self, operation: Operation[Result]) -> None:
        super().__init__(operation)
        self.done = threading.Lock()  # released when the write is done
        self.done.acquire()


class TaskWrite(PendingWrite[Result]):
    """A pending write for which a task of an event loop waits."""

    __slots__ = ("future", "loop")

    def __init__(self, operation: Operation[Result]) -> None:
        super().__init__(operation)
        self.loop = running_loop()
        self.future: asyncio.Future[None] = self.loop.create_future()

    def resolve(self) -> None:
        """Wake the task. Call it in the thread of its loop."""
        if not self.future.done():
            self.future.set_result(None)


class ReservedWrite(TaskWrite[Result]):
    """A write for which a task waits already, and whose operation is set later."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(_no_operation)

    def fail(self, error: Exception) -> None:
        """Wake the task with an error. Call it in the thread of its loop."""
        self.error = error
        self.resolve()


class DetachedWrite(PendingWrite[None]):
    """A write that no caller waits for: it may be batched with the next one. `failed` is called on an error.

    `owner` performs the write, and is kept alive until then.
    """

    __slots__ = ("_failed", "_owner")

    urgent = False

    def __init__(self, operation: Operation[None], failed: Callable[[BaseException], None], owner: object) -> None:
        super().__init__(operation)
        self._failed, self._owner = failed, owner

    def finish(self) -> None:
        """Report the error, if there is one. Call it in the writer thread."""
        if self.error is None:
            return
        try:
            self._failed(self.error)
        except Exception as error:  # the thread goes on with the writes of others
            import logging

            logging.getLogger("interlock.audit").error("a record was lost", exc_info=error)


class Wake(PendingWrite[None]):
    """An empty write that makes the queue flush detached writes."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(_no_operation)
        self.abandoned = True


def _no_operation(_transaction: Transaction) -> Any:
    raise AssertionError("the operation of a reserved write was never set")


def notify_all(writes: Iterable[PendingWrite[Any]]) -> None:
    """Wake the threads and tasks that wait for these writes; each event loop is woken once for all of its tasks."""
    loops: dict[asyncio.AbstractEventLoop, list[TaskWrite[Any]]] = {}
    for write in writes:
        if isinstance(write, ThreadWrite):
            write.done.release()
        elif isinstance(write, TaskWrite):
            loops.setdefault(write.loop, []).append(write)
        elif isinstance(write, DetachedWrite):
            write.finish()
    for loop, waiting in loops.items():
        with contextlib.suppress(RuntimeError):  # the loop is closed, and its tasks with it
            loop.call_soon_threadsafe(resolve_all, waiting)


def resolve_all(writes: Iterable[TaskWrite[Any]]) -> None:
    """Wake tasks. Call it in the thread of their loop."""
    for write in writes:
        write.resolve()

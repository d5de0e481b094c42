"""Tickets: operations that wait for their turn to be written, and what became of them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from interlock.audit.chain import Transaction
from interlock.loops import running_loop

if TYPE_CHECKING:
    import asyncio

Given = TypeVar("Given")
Operation = Callable[[Transaction], Given]


class Ticket(Generic[Given]):
    """An operation that waits for its turn, and what became of it."""

    __slots__ = ("abandoned", "error", "given", "operation")

    def __init__(self, operation: Operation[Given]) -> None:
        self.operation = operation
        self.abandoned = False
        self.given: Given | None = None
        self.error: BaseException | None = None

    def result(self) -> Given:
        """Return what the operation gave, or raise what it raised."""
        if self.error is not None:
            raise self.error
        return self.given  # type: ignore[return-value]


class ThreadTicket(Ticket[Given]):
    """The ticket of a thread that stands still until it is done."""

    __slots__ = ("done",)

    def __init__(self, operation: Operation[Given]) -> None:
        super().__init__(operation)
        self.done = threading.Lock()  # given back when it is done
        self.done.acquire()


class LoopTicket(Ticket[Given]):
    """The ticket of a task in a loop, in which others go on."""

    __slots__ = ("future", "loop")

    def __init__(self, operation: Operation[Given]) -> None:
        super().__init__(operation)
        self.loop = running_loop()
        self.future: asyncio.Future[None] = self.loop.create_future()

    def settle(self) -> None:
        """Let the task go on, from within its loop."""
        if not self.future.done():
            self.future.set_result(None)


class Place(LoopTicket[Given]):
    """A place that a task has taken in the queue, before it is known what for."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(_nothing)

    def give_up(self, error: Exception) -> None:
        """Tell the task that there is nothing to wait for."""
        self.error = error
        self.settle()


def _nothing(_transaction: Transaction) -> Any:
    raise AssertionError("nobody said what is to be done")


def tell(tickets: Iterable[Ticket[Any]]) -> None:
    """Tell everybody that their operation is done; a loop is woken once for all of its tasks."""
    loops: dict[asyncio.AbstractEventLoop, list[LoopTicket[Any]]] = {}
    for ticket in tickets:
        if isinstance(ticket, ThreadTicket):
            ticket.done.release()
        elif isinstance(ticket, LoopTicket):
            loops.setdefault(ticket.loop, []).append(ticket)
    for loop, waiting in loops.items():
        with contextlib.suppress(RuntimeError):  # nobody waits any more: the loop is closed
            loop.call_soon_threadsafe(settle, waiting)


def settle(waiting: Iterable[LoopTicket[Any]]) -> None:
    """Let tasks go on, from within their loop."""
    for ticket in waiting:
        ticket.settle()

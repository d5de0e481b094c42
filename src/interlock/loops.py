"""Event loops. Whoever has none, as a hook, does not wait until they are loaded."""

from __future__ import annotations

import contextlib
import contextvars
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import asyncio

Given = TypeVar("Given")


def running_loop() -> asyncio.AbstractEventLoop:
    """Return the loop that this runs in."""
    import asyncio

    return asyncio.get_running_loop()


async def slept(seconds: float) -> None:
    """Wait, while others go on."""
    import asyncio

    await asyncio.sleep(seconds)


async def threaded(work: Callable[..., Given], *given: object) -> Given:
    """Do short work in a thread of the loop's, while others go on."""
    import asyncio

    return await asyncio.to_thread(work, *given)


async def in_own_thread(work: Callable[[], Given]) -> Given:
    """Do work in a thread of its own: whoever waits for a person must not hold up those who share the loop's."""
    loop = running_loop()
    future: asyncio.Future[Given] = loop.create_future()

    def settle(result: Given | None, error: BaseException | None) -> None:
        if future.cancelled():
            return
        if error is not None:
            future.set_exception(RuntimeError(str(error)) if isinstance(error, StopIteration) else error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as raised:  # it belongs to whoever waits
            error = raised
        with contextlib.suppress(RuntimeError):  # nobody waits any more: the loop is closed
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True).start()
    return await future

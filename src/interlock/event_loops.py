"""What code in an event loop needs. `asyncio` is imported on use: hooks have no loop, and importing it is slow."""

from __future__ import annotations

import contextlib
import contextvars
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import asyncio

Result = TypeVar("Result")


def running_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop that is running."""
    import asyncio

    return asyncio.get_running_loop()


def is_in_loop() -> bool:
    """Whether an event loop is running in this thread, which must not wait then."""
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None


async def sleep(seconds: float) -> None:
    """Wait, while other tasks go on."""
    import asyncio

    await asyncio.sleep(seconds)


async def run_in_thread(work: Callable[..., Result], *given: object) -> Result:
    """Run short work in the loop's thread pool, while other tasks go on."""
    import asyncio

    return await asyncio.to_thread(work, *given)


async def run_in_own_thread(work: Callable[[], Result]) -> Result:
    """Run work in a thread of its own: waiting for a person must not occupy the loop's thread pool."""
    loop = running_loop()
    future: asyncio.Future[Result] = loop.create_future()

    def resolve(result: Result | None, error: BaseException | None) -> None:
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
        except BaseException as raised:  # it is raised where the result is awaited
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed, so nothing awaits the result
            loop.call_soon_threadsafe(resolve, result, error)

    threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True).start()
    return await future

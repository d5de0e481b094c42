"""Background work of a server: tasks that run beside the requests until the server stops."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from interlock.errors import InterlockError

_LOG = logging.getLogger("interlock.server")


class BackgroundTasks:
    """The tasks of one server. They start with `start`, and all end with `stop`."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something beside the requests."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def repeat(self, seconds: float, name: str, work: Callable[[], None]) -> None:
        """Run something in a thread, again and again, with a pause of this many seconds before each time."""
        self.start(_repeat(seconds, name, work))

    async def stop(self) -> None:
        """Cancel every task, and wait until all have ended."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _repeat(seconds: float, name: str, work: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(seconds)
        try:
            await asyncio.to_thread(work)
        except Exception as error:  # one failure must not end the task for as long as the server runs
            expected = isinstance(error, InterlockError)
            _LOG.warning("%s failed: %s", name, error, exc_info=None if expected else error)

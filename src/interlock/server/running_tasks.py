"""Tasks that run beside the code that started them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


class RunningTasks:
    """The tasks that were started and have not ended yet."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a task."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def drain(self, seconds: float | None = None) -> None:
        """Wait for all tasks, at most this long, and cancel the rest."""
        if self._tasks:
            _, unfinished = await asyncio.wait(self._tasks, timeout=seconds)
            for task in unfinished:
                task.cancel()

    async def stop(self) -> None:
        """Cancel every task, and wait until all have ended."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

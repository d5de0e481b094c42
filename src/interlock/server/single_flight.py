"""Run a lookup once for all callers that ask for it at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class SingleFlight(Generic[Result]):
    """Shares lookups that are in progress. Results are not cached."""

    def __init__(self) -> None:
        self._running: dict[str, asyncio.Task[Result]] = {}

    async def run(self, key: str, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Join the lookup that is in progress under this key, or start one."""
        return await asyncio.shield(self.start(key, work))  # a caller that is cancelled does not cancel it for others

    def start(self, key: str, work: Callable[[], Coroutine[Any, Any, Result]]) -> asyncio.Task[Result]:
        """Start a lookup unless one is in progress under this key, and do not wait for it."""
        task = self._running.get(key)
        if task is None:
            task = self._running[key] = asyncio.get_running_loop().create_task(work())
            task.add_done_callback(lambda done: self._finish(key, done))
        return task

    def _finish(self, key: str, task: asyncio.Task[Result]) -> None:
        self._running.pop(key, None)
        if not task.cancelled():
            task.exception()  # mark it as retrieved: every caller may have been cancelled

"""Once: what several ask for at the same time is looked up once, for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

Given = TypeVar("Given")


class Once(Generic[Given]):
    """Shares what is being looked up; nothing is kept once it is known."""

    def __init__(self) -> None:
        self._running: dict[str, asyncio.Task[Given]] = {}

    async def of(self, name: str, look: Callable[[], Coroutine[Any, Any, Given]]) -> Given:
        """Return what somebody else is looking up already under this name, or look it up."""
        task = self._running.get(name)
        if task is None:
            task = self._running[name] = asyncio.get_running_loop().create_task(look())
            task.add_done_callback(lambda done: self._ended(name, done))
        return await asyncio.shield(task)  # who leaves takes it from nobody

    def _ended(self, name: str, task: asyncio.Task[Given]) -> None:
        self._running.pop(name, None)
        if not task.cancelled():
            task.exception()  # whoever waited was told; that all of them have left is no news

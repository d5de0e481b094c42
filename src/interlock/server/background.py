"""Background work of a server: tasks that run beside the requests until the server stops."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

import msgspec

from interlock.errors import InterlockError
from interlock.server.running_tasks import RunningTasks

_LOG = logging.getLogger("interlock.server")


class TaskState(msgspec.Struct):
    """The last run of a task that is repeated: when it ended, and why it failed if it did."""

    name: str
    seconds: float
    ran_at: float | None = None  # in seconds since 1970
    error: str = ""


class BackgroundTasks(RunningTasks):
    """The tasks of one server. They start with `start`, and all end with `stop`."""

    def __init__(self) -> None:
        super().__init__()
        self.states: list[TaskState] = []  # of the tasks that are repeated

    def repeat(self, seconds: float, name: str, work: Callable[[], None]) -> None:
        """Run something in a thread, again and again, with a pause of this many seconds before each time."""
        state = TaskState(name, seconds)
        self.states.append(state)
        self.start(_repeat(state, work))


async def _repeat(state: TaskState, work: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(state.seconds)
        try:
            await asyncio.to_thread(work)
            state.error = ""
        except Exception as error:  # one failure must not end the task for as long as the server runs
            expected = isinstance(error, InterlockError)
            state.error = str(error) if expected else "an internal error; see the server's log"
            _LOG.warning("%s failed: %s", state.name, error, exc_info=None if expected else error)
        state.ran_at = time.time()

"""Hold the action of a paused agent until the agent is resumed, for as long as its caller waits."""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from interlock.event_loops import sleep
from interlock.gate.approval_flow import ActionHeld

#: How long to wait before an action is tried again, and how long one request to a server may hold it: proxies close
#: connections that are idle for longer.
AGAIN_SECONDS, POLL_SECONDS = 0.5, 20.0
#: How long a call is held that sets no limit itself.
MAX_HOLD = 86_400.0
Result = TypeVar("Result")
#: Tries an action again, and raises `ActionHeld` while its agent is paused. The argument says how long a server may
#: hold the action; None is the last attempt, which records the refusal.
Attempt = Callable[[float | None], Result]


def hold(attempt: Attempt[Result], seconds: float, stop: threading.Event | None = None) -> Result:
    """Try a held action again until its agent is resumed, `stop` is set, or the seconds are over."""
    deadline, stop = time.monotonic() + seconds, stop or threading.Event()
    while (left := deadline - time.monotonic()) > 0 and not stop.is_set():
        stop.wait(min(left, AGAIN_SECONDS))
        with suppress(ActionHeld):
            return attempt(min(left, POLL_SECONDS))
    return attempt(None)


async def hold_async(
    attempt: Callable[[float | None], Awaitable[Result]],
    seconds: float,
    has_left: Callable[[], bool] = lambda: False,
) -> Result:
    """Do as `hold` does, without blocking the event loop. It stops when the caller `has_left`."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0 and not has_left():
        await sleep(min(left, AGAIN_SECONDS))
        with suppress(ActionHeld):
            return await attempt(min(left, POLL_SECONDS))
    return await attempt(None)

"""Wait for an event with a timeout."""

from __future__ import annotations

import asyncio


async def wait_for_event(event: asyncio.Event, seconds: float) -> bool:
    """Wait for an event at most this long; return whether it was set.

    `asyncio.wait_for` loses a cancellation that arrives together with the event (before Python 3.12), so that a task
    that waits in a loop could no longer be stopped.
    """
    try:
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return False

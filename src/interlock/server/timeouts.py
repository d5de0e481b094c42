"""Patience: waiting for an event, at most so long."""

from __future__ import annotations

import asyncio


async def heard(event: asyncio.Event, seconds: float) -> bool:
    """Wait for an event at most so long; return whether it came.

    `asyncio.wait_for` loses a cancellation that comes in the same moment as the event (until Python 3.12): whoever
    waits in a loop with it can then not be stopped any more.
    """
    try:
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return False

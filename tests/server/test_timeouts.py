"""Waiting with a timeout: a cancellation counts even if it arrives together with the event."""

from __future__ import annotations

import asyncio

import pytest

from interlock.server.timeouts import wait_for_event


def test_an_event_is_heard_or_not() -> None:
    async def both() -> tuple[bool, bool]:
        event = asyncio.Event()
        asyncio.get_running_loop().call_later(0.01, event.set)
        return await wait_for_event(event, 10), await wait_for_event(asyncio.Event(), 0.01)

    assert asyncio.run(both()) == (True, False)


@pytest.mark.parametrize("event_first", [True, False])
def test_a_cancellation_in_the_same_moment_as_the_event_counts(event_first: bool) -> None:
    async def stopped() -> bool:
        event = asyncio.Event()
        task = asyncio.create_task(wait_for_event(event, 10))
        await asyncio.sleep(0)
        for happens in (event.set, task.cancel) if event_first else (task.cancel, event.set):
            happens()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(stopped())

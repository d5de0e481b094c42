"""Callers that ask at the same time share one lookup, and a cancelled caller does not cancel it."""

from __future__ import annotations

import asyncio
import itertools

from interlock.server.single_flight import SingleFlight


def test_concurrent_callers_share_a_lookup_and_later_ones_repeat_it() -> None:
    async def counted() -> tuple[list[int], int]:
        once: SingleFlight[int] = SingleFlight()
        numbers = itertools.count(1)

        async def look() -> int:
            number = next(numbers)
            await asyncio.sleep(0.01)
            return number

        together = await asyncio.gather(*(once.run("key", look) for _ in range(5)), once.run("other", look))
        return together, await once.run("key", look)

    assert asyncio.run(counted()) == ([1, 1, 1, 1, 1, 2], 3)


def test_a_cancelled_caller_does_not_cancel_the_lookup_and_errors_reach_all() -> None:
    async def left() -> list[object]:
        once: SingleFlight[int] = SingleFlight()

        async def fail() -> int:
            await asyncio.sleep(0.01)
            raise LookupError("gone")

        first = asyncio.create_task(once.run("key", fail))
        second = asyncio.create_task(once.run("key", fail))
        await asyncio.sleep(0)
        first.cancel()
        return list(await asyncio.gather(first, second, return_exceptions=True))

    assert [type(one) for one in asyncio.run(left())] == [asyncio.CancelledError, LookupError]

"""What several look up at the same time is looked up once; who leaves takes it from nobody."""

from __future__ import annotations

import asyncio
import itertools

from interlock.server.single_flight import SingleFlight


def test_those_who_ask_together_share_and_those_who_come_later_look_again() -> None:
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


def test_who_leaves_takes_it_from_nobody_and_an_error_is_everybodys() -> None:
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

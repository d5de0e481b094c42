"""How late an event loop is while guarded functions run in it, and what recording their outcomes costs.

`python -m bench.loops` runs both.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable

from bench.recording import ROUNDS, WHERE, Row, gate
from interlock import Action, Gate
from interlock.agents.framework import Checker, ToolCall
from interlock.gate.guard import make_guard

#: How long a loop may be kept from its other tasks, in milliseconds.
GOAL = 50.0
TASKS, EACH = 16, 20
TICK_SECONDS = 0.001
Work = Callable[[], Awaitable[object]]


async def lateness(work: Work) -> list[float]:
    """Return by how much a task that wants to run every millisecond was late, while others work; in milliseconds."""
    late: list[float] = []

    async def tick() -> None:
        while True:
            due = time.perf_counter() + TICK_SECONDS
            await asyncio.sleep(TICK_SECONDS)
            late.append((time.perf_counter() - due) * 1_000)

    async def repeat() -> None:
        for _ in range(EACH):
            await work()

    ticking = asyncio.create_task(tick())
    await asyncio.gather(*(repeat() for _ in range(TASKS)))
    ticking.cancel()
    return sorted(late)


def kinds(opened: Gate) -> dict[str, Work]:
    """Return what is done in the loop."""

    @opened.guard(does="tool.read")
    async def look_up() -> str:
        return "x" * 1_000

    checker = Checker(opened, "bench", asks=False)

    async def framework() -> object:
        return await checker.acheck(ToolCall("talk", "c", "look_up", {"q": "x"}))

    async def nothing() -> None:
        await asyncio.sleep(0.005)

    return {"nothing": nothing, "a guarded coroutine": look_up, "a framework's guard": framework}


def late_loops(row: Row) -> None:
    print(f"\n  an event loop with {TASKS} tasks, by how much others are late")
    with gate() as (opened, _):
        for name, work in kinds(opened).items():
            asyncio.run(lateness(work))
            late = asyncio.run(lateness(work))
            share = late[int(len(late) * 0.99)]
            row(name, late[-1], "ms", f"99 of 100 below {share:.1f} ms", f"goal {GOAL:.0f} ms")


class Silent:
    """A gate that records no outcomes, to compare with."""

    def __init__(self, opened: Gate) -> None:
        self.check, self.acheck, self.confirm = opened.check, opened.acheck, opened.confirm

    def record_outcome(self, *_: object) -> None:
        """Record nothing."""


def outcomes(row: Row) -> None:
    print("\n  a guarded call, with its outcome on record")

    def look_up() -> str:
        return "x" * 1_000

    def each(function: Callable[[], str]) -> float:
        start = time.perf_counter()
        for _ in range(100):
            function()
        return (time.perf_counter() - start) * 10_000

    with gate() as (opened, _):
        opened.check(Action.shell("ls", **WHERE))
        without = make_guard(Silent(opened), {"does": "tool.read"})(look_up)
        recorded = opened.guard(does="tool.read")(look_up)
        found = [(each(without), each(recorded)) for _ in range(ROUNDS)]
    before, after = (statistics.median(column) for column in zip(*found, strict=True))
    row("decided and recorded", before, "µs")
    row("with its outcome", after, "µs", f"{statistics.median(b / a for a, b in found):.2f} × without", "goal 1.5 ×")


if __name__ == "__main__":
    from bench.bench import row as print_row

    late_loops(print_row)
    outcomes(print_row)

"""The faults of a soak, and when they happen: a schedule of cycles that scales with the length of the soak."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from tests.world.postgres import Server

from torture.soak.disk import Disk
from torture.soak.server import ServerProcess
from torture.soak.slow_proxy import SlowProxy

#: About how long a cycle of faults takes.
CYCLE_MINUTES = 10.0
#: How much later each piece of data arrives while the database is slow.
DELAY = 0.05
#: A disk is full for at least so long: SQLite has room in its own files for a while.
SHORTEST_SECONDS = 15.0


@dataclass
class Fault:
    """A fault: what happens, to which servers, from when to when, in parts of a cycle; and how it went."""

    name: str
    servers: list[ServerProcess]
    begin: float
    end: float
    start: Callable[[], None]
    finish: Callable[[], None] = lambda: None
    began_at: float | None = None
    ended_at: float | None = None
    recovered_after: float | None = None

    def note_recovery(self) -> None:
        """Note how long it took until every server has recorded a decision again."""
        if self.ended_at is None or self.recovered_after is not None:
            return
        if all(server.acknowledged_at > self.ended_at for server in self.servers):
            self.recovered_after = time.monotonic() - self.ended_at


@dataclass
class Plant:
    """Everything that can fail."""

    first: ServerProcess
    second: ServerProcess
    alone: ServerProcess  # the one on SQLite
    postgres: Server
    proxy: SlowProxy
    disk: Disk
    faults: list[Fault] = field(default_factory=list)


def plan_cycle(plant: Plant, *, is_first: bool) -> Iterator[Fault]:
    """Yield the faults of one cycle, in order. The second server is never stopped: it has to bear everything."""
    first, second, alone = plant.first, plant.second, plant.alone
    if is_first:  # later, the server on SQLite lives on, so that its growth can be judged
        yield Fault("server on SQLite killed", [alone], 0.10, 0.10, alone.kill, alone.start)
    yield Fault("server on PostgreSQL killed", [first], 0.18, 0.18, first.kill, first.start)
    yield Fault("PostgreSQL restarted", [first, second], 0.30, 0.30, plant.postgres.restart)
    slow, fast = partial(_delay, plant.proxy, DELAY), partial(_delay, plant.proxy, 0.0)
    yield Fault("PostgreSQL slow", [first, second], 0.42, 0.54, slow, fast)
    yield Fault("server on PostgreSQL restarted", [first], 0.62, 0.62, first.stop, first.start)
    fill, free = (lambda: plant.disk.fill(alone.pid)), (lambda: plant.disk.free(alone.pid))
    yield Fault("disk of SQLite full", [alone], 0.70, 0.78, fill, free)


def _delay(proxy: SlowProxy, seconds: float) -> None:
    proxy.delay = seconds


def plan(plant: Plant, minutes: float) -> list[tuple[float, Fault, bool]]:
    """Return what happens when: seconds since the beginning, the fault, and whether it ends then."""
    cycles = max(1, round(minutes / CYCLE_MINUTES))
    length = minutes * 60 / cycles
    steps = []
    for cycle in range(cycles):
        for fault in plan_cycle(plant, is_first=cycle == 0):
            plant.faults.append(fault)
            begin, end = (cycle + fault.begin) * length, (cycle + fault.end) * length
            if end > begin:
                end = max(end, begin + SHORTEST_SECONDS)
            steps += [(begin, fault, False), (end, fault, True)]
    return sorted(steps, key=lambda step: step[0])

"""How many decisions are recorded together at a PostgreSQL that is 5 ms away: by one and by four processes.

`python -m bench.growth` (or `make growth`) starts a PostgreSQL and a proxy that delays its answers. First gates write
to it, each in a process of its own, which takes little more than recording does; then real servers. Each has callers
that wait for an answer before they ask again.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import multiprocessing
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from bench.serving import BODY, Caller, serving

DELAY = 0.005
CALLERS = 8
SECONDS = 5.0
WARM_UP = 2.0
ROUNDS = 5
#: Where the database is, if there is such a folder: in memory, so that only round trips are measured.
MEMORY = Path("/dev/shm")


class Delayed(asyncio.Protocol):
    """One side of a connection: what it receives is written to the other side, after a delay, in order."""

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self.other: asyncio.Transport | None = None
        self._early: list[bytes] = []

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def join(self, other: Any) -> None:
        self.other = other
        for data in self._early:
            other.write(data)

    def data_received(self, data: bytes) -> None:
        if self.other is None:
            self._early.append(data)
        elif self._delay:
            asyncio.get_running_loop().call_later(self._delay, self.other.write, data)
        else:
            self.other.write(data)

    def connection_lost(self, _error: object) -> None:
        if self.other is not None:
            self.other.close()


async def _proxy(store: str, delay: float, ports: Any) -> None:
    loop, url = asyncio.get_running_loop(), urlsplit(store)
    folder = parse_qs(url.query).get("host", [""])[0]
    socket = f"{folder}/.s.PGSQL.{url.port or 5432}" if folder else ""

    def accept() -> Delayed:
        client = Delayed(0)

        async def connect() -> None:
            database = Delayed(delay)
            if socket:
                transport, _ = await loop.create_unix_connection(lambda: database, socket)
            else:
                transport, _ = await loop.create_connection(lambda: database, url.hostname, url.port)
            database.join(client.transport)
            client.join(transport)

        client.task = loop.create_task(connect())  # type: ignore[attr-defined]
        return client

    server = await loop.create_server(accept, "127.0.0.1", 0)
    ports.put(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def proxy(store: str, delay: float, ports: Any) -> None:
    """Pass connections on to a PostgreSQL, and delay each of its answers."""
    asyncio.run(_proxy(store, delay, ports))


@contextmanager
def delayed(store: str, delay: float = DELAY) -> Iterator[str]:
    """Give a URL by which a store can be reached, one delay later."""
    context = multiprocessing.get_context("spawn")
    ports = context.Queue()
    process = context.Process(target=proxy, args=(store, delay, ports), daemon=True)
    process.start()
    url = urlsplit(store)
    user = quote(url.username or "postgres") + (f":{quote(url.password)}" if url.password else "")
    try:
        yield f"postgresql://{user}@127.0.0.1:{ports.get(timeout=30)}{url.path}"
    finally:
        process.terminate()
        process.join(10)


def load(servers: list[tuple[int, str]], results: Any) -> None:
    """Call all servers for some seconds, each with callers in runs of their own; put the number of answers."""

    async def run() -> int:
        loop, began = asyncio.get_running_loop(), time.perf_counter()
        until = began + WARM_UP + SECONDS
        callers = []
        for at, (port, key) in enumerate(servers):
            for number in range(CALLERS):
                body = json.dumps({**BODY, "runId": f"{began:.0f}-{at}-{number}"}).encode()
                head = f"POST /v1/evaluate HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\n"
                head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                caller = Caller(itertools.repeat(head.encode() + body), until)
                callers.append(caller)
                await loop.create_connection(lambda caller=caller: caller, "127.0.0.1", port)  # type: ignore[misc]
        await asyncio.sleep(WARM_UP)
        before = sum(len(caller.took) for caller in callers)
        await asyncio.gather(*(caller.done for caller in callers))
        return sum(len(caller.took) for caller in callers) - before

    results.put(asyncio.run(run()))


def record(servers: list[tuple[int, str]]) -> float:
    """Return how many decisions servers record a second."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=load, args=(servers, results))
    process.start()
    count: int = results.get(timeout=WARM_UP + SECONDS + 60)
    process.join()
    return count / SECONDS


def decide(store: str, home: str, ready: Any, results: Any) -> None:
    """Open a gate, decide in several threads for some seconds, and put how many decisions there were."""
    os.environ["INTERLOCK_HOME"] = home
    from interlock import Action, Gate

    counts = [0] * CALLERS

    def call(gate: Gate, number: int) -> None:
        with gate.run(agent_id="bench", run_id=f"{os.getpid()}-{number}") as run:
            command, where = (
                BODY["inputPayload"]["command"],
                {name: BODY[name] for name in ("cwd", "workspace", "home")},
            )
            while time.perf_counter() < began + WARM_UP + SECONDS:
                run.decide(Action.shell(command, **where))
                counts[number] += time.perf_counter() > began + WARM_UP

    with Gate(store=store) as gate:
        gate.decide(Action.shell("ls"))
        ready.wait(60)
        began = time.perf_counter()
        threads = [threading.Thread(target=call, args=(gate, number)) for number in range(CALLERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    results.put(sum(counts))


def decide_together(store: str, folder: Path, count: int) -> float:
    """Return how many decisions so many gates record a second."""
    context = multiprocessing.get_context("spawn")
    ready, results = context.Barrier(count), context.Queue()
    homes = [str(folder / f"gate{number}") for number in range(count)]
    processes = [context.Process(target=decide, args=(store, home, ready, results)) for home in homes]
    for process in processes:
        process.start()
    found = sum(results.get(timeout=WARM_UP + SECONDS + 120) for _ in processes)
    for process in processes:
        process.join()
    return float(found) / SECONDS


def report(what: str, count: int, rounds: list[tuple[float, float]]) -> None:
    """Print what one and what several recorded, by the median of the rounds."""
    one, several = (statistics.median(found[at] for found in rounds) for at in (0, 1))
    ratio = statistics.median(found[1] / found[0] for found in rounds)
    print(f"  one {what} {one:6.0f} a second, {count} {what}s {several:6.0f} a second: {ratio:.2f} ×, goal 3 ×")


def growth(count: int = 4) -> None:
    """Print what one and what several gates and servers record."""
    from tests.world.postgres import Server

    print(f"\n  decisions recorded in a PostgreSQL that is {DELAY * 1_000:.0f} ms away, {CALLERS} callers each")
    with ExitStack() as stack:
        folder = Path(
            stack.enter_context(
                tempfile.TemporaryDirectory(prefix="interlock-growth-", dir=MEMORY if MEMORY.is_dir() else None)
            )
        )
        postgres = Server(folder / "postgres", own=True)
        stack.callback(postgres.stop)
        store = stack.enter_context(delayed(postgres.new()))
        report(
            "gate",
            count,
            [(decide_together(store, folder, 1), decide_together(store, folder, count)) for _ in range(ROUNDS)],
        )
        servers = []
        for number in range(count):
            port, key, _ = stack.enter_context(serving(store, folder / f"home{number}"))
            servers.append((port, key))
        report("server", count, [(record(servers[:1]), record(servers)) for _ in range(ROUNDS)])


if __name__ == "__main__":
    growth(int(sys.argv[1]) if sys.argv[1:] else 4)

"""How fast the server answers: a recorded decision beside an empty route, and every page with a million actions.

`python -m bench.serving` runs both. The server is a process of its own, and so is whoever calls it.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CONNECTIONS = 32
SECONDS = 3.0
ROUNDS = 5
DIFFERENT = 5_000  # more actions than a server keeps the analyses of
BODY = {
    "toolName": "Bash",
    "inputPayload": {"command": "git diff --stat HEAD~1"},
    "cwd": "/home/u/project",
    "workspace": "/home/u/project",
    "home": "/home/u",
}
Row = Callable[..., None]


def serve(port: int, store: str) -> None:
    """Serve a store, with an empty route besides: everything but deciding and recording is the same there."""
    from bench.nothing import nothing
    from interlock.access.roles import Role
    from interlock.config.settings import ServerSettings
    from interlock.gate import Gate
    from interlock.server import app, listener
    from interlock.server.listen_options import ListenOptions, bind_socket
    from interlock.server.service import Service

    settings = ServerSettings(port=port, rate=0)
    options = ListenOptions(settings=settings)
    with Gate(store=store) as gate:
        service = Service(gate, settings, url=options.url)
        _, secret = service.authenticator.keys.create(f"bench-{os.getpid()}", Role.ADMIN, owner="bench", actor="bench")
        with_nothing = app.create_app(service, [nothing])
        listener.serve(service, options, lambda: print(secret, flush=True), [bind_socket(options)], with_nothing)


@contextmanager
def serving(store: str, home: Path) -> Iterator[tuple[int, str, int]]:
    """Give a server's port, a key, and the id of its process."""
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    environment = {**os.environ, "INTERLOCK_HOME": str(home)}
    command = [sys.executable, "-m", "bench.serving", "serve", str(port), store]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield port, process.stdout.readline().strip(), process.pid
    finally:
        process.terminate()
        process.wait(30)


class Caller(asyncio.Protocol):
    """One connection that sends requests again and again, and notes how long each answer took."""

    def __init__(self, requests: Iterator[bytes], until: float) -> None:
        self._requests, self._until, self._got = requests, until, b""
        self.took: list[float] = []
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._send()

    def _send(self) -> None:
        self._began = time.perf_counter()
        self._transport.write(next(self._requests))

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, found, body = self._got.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        if len(body) < length:
            return
        assert head.startswith(b"HTTP/1.1 200"), head
        self._got = b""
        self.took.append(time.perf_counter() - self._began)
        if time.perf_counter() < self._until:
            self._send()
        elif not self.done.done():
            self.done.set_result(None)
            self._transport.close()


def make_request(port: int, key: str, path: str, command: str) -> bytes:
    """Return a request to a route, with an action of this command."""
    body = json.dumps({**BODY, "inputPayload": {"command": command}}).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def load(port: int, key: str, path: str, results: Any, different: int) -> None:
    """Call a route over so many connections for some seconds, with so many different actions."""
    commands = [f"git diff --stat HEAD~{number}" for number in range(1, different + 1)]
    requests = itertools.cycle([make_request(port, key, path, command) for command in commands])

    async def run() -> list[float]:
        loop, until = asyncio.get_running_loop(), time.perf_counter() + SECONDS
        callers = [Caller(requests, until) for _ in range(CONNECTIONS)]
        for caller in callers:
            await loop.create_connection(lambda caller=caller: caller, "127.0.0.1", port)  # type: ignore[misc]
        await asyncio.gather(*(caller.done for caller in callers))
        return [taken for caller in callers for taken in caller.took]

    results.put(asyncio.run(run()))


def called(port: int, key: str, path: str, different: int = 1) -> list[float]:
    """Return how long each answer took."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=load, args=(port, key, path, results, different))
    process.start()
    found: list[float] = results.get(timeout=60)
    process.join()
    return found


def evaluating(row: Row) -> None:
    print(f"\n  the server, {CONNECTIONS} connections, one worker, every decision flushed to the disk")
    with (
        tempfile.TemporaryDirectory(dir=Path(__file__).parent) as folder,
        serving(f"sqlite:///{folder}/store.db", Path(folder)) as (port, key, _),
    ):
        for path in ("/v1/nothing", "/v1/evaluate"):
            called(port, key, path)
        rounds = [
            (
                called(port, key, "/v1/nothing"),
                called(port, key, "/v1/evaluate"),
                called(port, key, "/v1/evaluate", DIFFERENT),
            )
            for _ in range(ROUNDS)
        ]
    same, other = ([len(found[at]) / len(found[0]) for found in rounds] for at in (1, 2))
    empty, decided, new = (statistics.median(len(found[at]) / SECONDS for found in rounds) for at in range(3))
    took = sorted(one for found in rounds for one in found[1])
    median, p99 = took[len(took) // 2], took[int(len(took) * 0.99)]
    row("an empty route", empty, "a second")
    row("POST /v1/evaluate", decided, "a second", f"{statistics.median(same):.2f} × an empty route", "goal 0.6 ×")
    row("  actions that all differ", new, "a second", f"{statistics.median(other):.2f} × an empty route")
    row("  median", median * 1_000, "ms")
    row("  p99", p99 * 1_000, "ms", f"{p99 / median:.1f} × the median", "goal 10 ×")


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(int(sys.argv[2]), sys.argv[3])
    else:
        from bench.bench import row
        from bench.million import million

        if sys.argv[1:2] != ["million"]:
            evaluating(row)
        million(row)

"""How many decisions one server records, by how far away its PostgreSQL is, alone and beside other work.

`python -m bench.distance` starts a PostgreSQL and a proxy that delays what is sent, in both directions together by
twice the milliseconds shown. Some callers have actions decided in runs of their own. In the second column others begin
and end runs, report events, open requests and reject them meanwhile. `python -m bench.distance 50` measures one.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.growth import MEMORY, delayed
from bench.serving import BODY, serving

CALLERS = 8
SECONDS, WARM_UP = 8.0, 4.0
#: Milliseconds that each direction takes.
DISTANCES = (0, 5, 50)


class Api:
    """One connection to a server."""

    def __init__(self, port: int, key: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}

    def post(self, path: str, body: object) -> Any:
        """Send a body; return the answer, or raise."""
        self._connection.request("POST", path, json.dumps(body), self._headers)
        response = self._connection.getresponse()
        content = response.read()
        if response.status >= 300:
            raise RuntimeError(f"{path}: {response.status} {content[:300]!r}")
        return json.loads(content)


def act(api: Api, name: str) -> Iterator[int]:
    """Decide one action after the other in one run; yield 1 for each."""
    while True:
        api.post("/v1/evaluate", {**BODY, "runId": name})
        yield 1


def work(api: Api, name: str) -> Iterator[int]:
    """Begin runs, act, report and end them, as an agent does; yield how many decisions there were."""
    number = 0
    while True:
        number += 1
        run = f"{name}-{number}"
        yield api.post("/v1/runs", {"runId": run}) and 0
        for step in range(3):
            yield api.post("/v1/evaluate", {**BODY, "runId": run}) and 1
            event = {"eventId": f"{step}", "type": "tool.completed", "runId": run, "summary": "done"}
            yield api.post("/v1/events", event) and 0
        yield api.post(f"/v1/runs/{run}/complete", {}) and 0


def ask(api: Api, name: str) -> Iterator[int]:
    """Open requests and reject them; yield 1 for each."""
    number = 0
    while True:
        number += 1
        action = {**BODY, "inputPayload": {"command": f"./deploy.sh {number}"}, "runId": name}
        opened = api.post("/v1/evaluate", action)["approval"]["approvalId"]
        yield 1
        yield api.post(f"/v1/approvals/{opened}/reject", {"reason": "no"}) and 0


def load(port: int, key: str, *, mixed: bool, results: Any) -> None:
    """Call a server for some seconds in several threads; put how many decisions there were."""
    began = time.perf_counter()
    kinds = [act] * CALLERS + ([work, work, ask] if mixed else [])
    counts = [0] * len(kinds)

    def call(at: int) -> None:
        for decided in kinds[at](Api(port, key), f"{began:.0f}-{at}"):
            passed = time.perf_counter() - began
            if passed > WARM_UP + SECONDS:
                return
            counts[at] += decided if passed > WARM_UP else 0

    threads = [threading.Thread(target=call, args=(at,)) for at in range(len(kinds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put((sum(counts[:CALLERS]), sum(counts[CALLERS:])))


def measure(port: int, key: str, *, mixed: bool) -> tuple[float, float]:
    """Return how many decisions the callers, and the others, get a second."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=load, args=(port, key), kwargs={"mixed": mixed, "results": results})
    process.start()
    mine, others = results.get(timeout=WARM_UP + SECONDS + 180)
    process.join()
    return mine / SECONDS, others / SECONDS


def run(distances: tuple[int, ...]) -> None:
    """Print the rates by distance."""
    from tests.world.postgres import Server

    print(f"\n  decisions recorded a second by one server, {CALLERS} callers")
    print("  each way      alone     beside other work   of the others")
    with ExitStack() as stack:
        prefix, place = "interlock-distance-", MEMORY if MEMORY.is_dir() else None
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=prefix, dir=place)))
        postgres = Server(folder / "postgres", own=True)
        stack.callback(postgres.stop)
        for distance in distances:
            home = folder / f"server{distance}"
            with delayed(postgres.new(), 2 * distance / 1_000) as store, serving(store, home) as (port, key, _):
                alone, _ = measure(port, key, mixed=False)
                beside, others = measure(port, key, mixed=True)
            print(f"  {distance:5} ms {alone:11.1f} {beside:21.1f} {others:15.1f}", flush=True)


if __name__ == "__main__":
    run(tuple(map(int, sys.argv[1:])) or DISTANCES)

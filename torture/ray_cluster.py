"""A replay on a real Ray cluster of two nodes, of which one is killed in the middle: the results are the same.

`make cluster` runs it, in an environment of its own, because Ray is large.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench.past import record_runs, write_history

from interlock.history.replay.job import ReplayJob
from interlock.history.replay.ray_engine import decide_with_ray, read_results
from interlock.history.replay.result import ReplayResult
from interlock.history.replay.setup import load_setup
from interlock.history.replay.worker import SetupMessage

ACTIONS = int(os.environ.get("ACTIONS", "6000"))
STORE_BYTES = 300_000_000
DEADLINE = 180.0


class Node:
    """One node of a cluster, in a process group of its own."""

    def __init__(self, log: Path, *more: str) -> None:
        ray = str(Path(sys.executable).parent / "ray")
        command = [ray, "start", "--block", "--num-cpus=1", f"--object-store-memory={STORE_BYTES}", *more]
        with log.open("ab") as file:
            self._process = subprocess.Popen(command, start_new_session=True, stdout=file, stderr=file)

    def kill(self) -> None:
        """Kill all processes of the node."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def main() -> int:
    """Replay a history locally, on two nodes, and on two nodes of which one is killed; compare the results."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["INTERLOCK_HOME"] = name
        actions = write_history(record_runs(load_setup().engine, folder), ACTIONS, folder / "export")
        job = ReplayJob(message=SetupMessage(mode="assist"), work=folder / "work", history=str(folder / "export"))
        expected, _ = job.run(_Silent())
        print(f"local: {expected.actions:,} actions, {expected.changed:,} changed")
        port = _free_port()
        nodes = [Node(folder / "head.log", "--head", f"--port={port}", "--include-dashboard=false")]
        try:
            _connect(port, nodes, folder)
            return _compare(folder, actions, expected.changed, nodes[-1])
        finally:
            for node in nodes:
                node.kill()


def _connect(port: int, nodes: list[Node], folder: Path) -> None:
    """Connect to the head, and start the second node."""
    import ray  # type: ignore[import-not-found, unused-ignore]

    end = time.monotonic() + DEADLINE
    while not ray.is_initialized():
        try:
            ray.init(address=f"127.0.0.1:{port}", log_to_driver=False, logging_level="ERROR")
        except ConnectionError:
            if time.monotonic() > end:
                raise
            time.sleep(1)
    ray.data.DataContext.get_current().enable_progress_bars = False
    nodes.append(Node(folder / "worker.log", f"--address=127.0.0.1:{port}"))
    while len(_alive(ray)) < 2:
        if time.monotonic() > end:
            raise SystemExit("the second node did not join")
        time.sleep(0.5)


def _alive(ray: Any) -> list[Any]:
    return [node for node in ray.nodes() if node["Alive"]]


def _compare(folder: Path, actions: int, changed: int, victim: Node) -> int:
    setup, found, passed = load_setup(mode="assist"), list[Counter[tuple[object, ...]]](), 0.0
    for nodes in ("two nodes", "two nodes, one of them killed", "one node"):
        began, results = time.monotonic(), list[ReplayResult]()
        if "killed" in nodes:
            threading.Timer(passed / 2, _kill, (victim, results)).start()
        results.extend(read_results(decide_with_ray(str(folder / "export"), setup)))
        passed = time.monotonic() - began
        found.append(Counter((one.seq, one.before, one.after, one.cause, one.basis) for one in results))
        different = sum(one.has_changed for one in results)
        print(f"{nodes}: {len(results):,} actions, {different:,} changed, {passed:.0f} s")
        if (len(results), different) != (actions, changed):
            print("the results differ from the local ones")
            return 1
    is_same = found[0] == found[1] == found[2]
    print("the same results" if is_same else "the results differ")
    return int(not is_same)


def _kill(victim: Node, results: list[ReplayResult]) -> None:
    """Kill a node in the middle of a replay."""
    print(f"killing one of two nodes; {len(results):,} results have arrived")
    victim.kill()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class _Silent:
    def note(self, text: str) -> None:
        print(text)

    def show(self, done: int, total: int, what: str) -> None: ...


if __name__ == "__main__":
    sys.exit(main())

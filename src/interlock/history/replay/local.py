"""Replay on all cores: processes take parts from one queue, the largest first, and finished parts are saved."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from interlock.errors import InterlockError
from interlock.history.replay.part import ReplayPart
from interlock.history.replay.summary import ReplaySummary
from interlock.history.replay.worker import Reply, SetupMessage

#: How often a part is tried if its process ends.
ATTEMPTS = 2
_MODULE = "interlock.history.replay.worker"


class WorkerProcess:
    """A process that replays parts, with this Python or another one."""

    def __init__(self, message: SetupMessage, python: str | None = None) -> None:
        self._python = python or sys.executable
        command = [self._python, "-P", "-m", _MODULE]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
        self._is_ready = False
        self.stamp = self._ask(msgspec.json.encode(message)).stamp
        self._is_ready = True

    def replay(self, part: ReplayPart) -> ReplaySummary:
        """Replay a part."""
        found = self._ask(msgspec.json.encode(part)).summary
        if found is None:
            raise InterlockError("a replay process sent an answer without a summary")
        return found

    def _ask(self, message: bytes) -> Reply:
        assert self._process.stdin is not None  # noqa: S101 - both are pipes
        assert self._process.stdout is not None  # noqa: S101
        try:
            self._process.stdin.write(message + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            line = b""
        if not line:
            why = "ended during a replay" if self._is_ready else "has no Interlock with `interlock replay`"
            raise WorkerEndedError(f"`{self._python}` {why}; see above")
        reply = msgspec.json.decode(line, type=Reply)
        if reply.error:
            raise InterlockError(reply.error)
        return reply

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


class WorkerEndedError(InterlockError):
    """A process ended before it answered."""


class LocalReplay:
    """Replays parts with several processes. The first is started at once, and reports the stamp of its set-up."""

    def __init__(self, message: SetupMessage, jobs: int, python: str | None = None) -> None:
        self._message, self._jobs, self._python = message, jobs, python
        self._parts: queue.SimpleQueue[ReplayPart] = queue.SimpleQueue()
        self._workers = [WorkerProcess(message, python)]
        self._idle = list(self._workers)
        self.stamp = self._workers[0].stamp
        self._error: BaseException | None = None
        self._lock = threading.Lock()

    def run(self, parts: Sequence[ReplayPart], keep: Callable[[ReplayPart, ReplaySummary], None]) -> None:
        """Replay parts, and give `keep` each that is finished; return when all are, or raise."""
        for part in sorted(parts, key=lambda part: -part.actions):
            self._parts.put(part)
        threads = [
            threading.Thread(target=self._work, args=(keep,), daemon=True) for _ in range(min(self._jobs, len(parts)))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._error is not None:
            raise self._error

    def _work(self, keep: Callable[[ReplayPart, ReplaySummary], None]) -> None:
        """Replay parts with one process until there are no more."""
        try:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            worker = worker or self._start()
            while self._error is None:
                part = self._parts.get_nowait()
                worker, summary = self._replay(worker, part)
                with self._lock:
                    keep(part, summary)
        except queue.Empty:
            return
        except BaseException as error:  # raised by `run`, in the thread that called it
            self._error = self._error or error

    def _replay(self, worker: WorkerProcess, part: ReplayPart) -> tuple[WorkerProcess, ReplaySummary]:
        for _ in range(ATTEMPTS - 1):
            try:
                return worker, worker.replay(part)
            except WorkerEndedError:
                worker = self._start()
        return worker, worker.replay(part)

    def _start(self) -> WorkerProcess:
        worker = WorkerProcess(self._message, self._python)
        self._workers.append(worker)
        return worker

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.close()


def check_python(python: str) -> str:
    """Return the path of another Python, or raise if there is none."""
    import shutil

    found = shutil.which(python)
    if found is None:
        raise InterlockError(f"`{python}` is not a program; give the Python of an environment with another Interlock")
    return str(Path(found))

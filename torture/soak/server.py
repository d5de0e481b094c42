"""A real `interlock serve`, which can be killed and started again on the same port."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from torture.soak.reporting import VARIABLE
from torture.soak.sampling import Sampler

START_SECONDS = 90.0
ROOT = Path(__file__).parents[2]
TRACEBACK = "Traceback (most recent call last)"
CONFIGURATION = 'mode = "assist"\n\n[server]\nrate = 0\n'


class ServerProcess:
    """A server with a home and a port of its own."""

    def __init__(
        self, name: str, store: str, folder: Path, sampler: Sampler, module: str = "torture.soak.reporting"
    ) -> None:
        self.name, self.store, self.sampler, self.module = name, store, sampler, module
        self.home = make_home(folder / name)
        self.log = folder / f"{name}.log"
        self.report = folder / f"{name}.report"
        self.port = _free_port()
        self.acknowledged_at = 0.0  # when this server last recorded a decision
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The id of the process that runs now."""
        assert self._process is not None
        return self._process.pid

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the server, and of commands for its store."""
        return {**os.environ, "INTERLOCK_HOME": str(self.home), "INTERLOCK_STORE": self.store}

    def start(self) -> None:
        """Start the server, and return once it answers."""
        command = [sys.executable, "-W", "ignore", "-m", self.module, "serve", "--port", str(self.port)]
        self.report.unlink(missing_ok=True)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                env={**self.environment, VARIABLE: str(self.report), "PYTHONPATH": str(ROOT)},
                cwd=self.home,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.sampler.follow(self.name, self.pid, self.report)
        self._wait_until_up()

    def _wait_until_up(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise SystemExit(f"{self.name} ended when it started: {self.log.read_text()[-2_000:]}")
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise SystemExit(f"{self.name} did not start within {START_SECONDS:.0f} s: {self.log.read_text()[-2_000:]}")

    def kill(self) -> None:
        """Kill the server, as a power failure would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask the server to stop; kill it if it does not."""
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(number)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def note_acknowledgement(self) -> None:
        """Note that the server has just recorded a decision."""
        self.acknowledged_at = time.monotonic()

    def count_tracebacks(self) -> int:
        """Return how many unexpected errors are in the log."""
        return self.log.read_text(errors="replace").count(TRACEBACK)

    def find_error(self) -> str:
        """Return the last line of the first unexpected error in the log."""
        after = self.log.read_text(errors="replace").partition(TRACEBACK)[2].splitlines()[1:]
        return next((line for line in after if line and not line.startswith(" ")), "")[:300]

    def keep_log(self, folder: Path) -> None:
        """Copy the log to a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.log, folder)


def make_home(folder: Path) -> Path:
    """Create a folder with the configuration of a server."""
    folder.mkdir()
    (folder / "interlock.toml").write_text(CONFIGURATION)
    return folder


_TAKEN = set[int]()
_LOCK = threading.Lock()


def _free_port() -> int:
    """Return a port that nobody uses, and that was not returned before."""
    with _LOCK:
        while True:
            with socket.socket() as one:
                one.bind(("127.0.0.1", 0))
                port = int(one.getsockname()[1])
            if port not in _TAKEN:
                _TAKEN.add(port)
                return port

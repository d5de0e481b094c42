"""Sample what processes use, from `/proc`."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from torture.soak.growth import Life, Sample
from torture.soak.reporting import read_report


def take_sample(pid: int, began: float, report: Path) -> Sample | None:
    """Return what a process uses now, or None if it has ended."""
    folder = Path("/proc") / str(pid)
    try:
        fields = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        files = len(os.listdir(folder / "fd"))
        memory = int(fields["VmRSS"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):  # it has ended, or is a zombie without memory
        return None
    return Sample(time.monotonic() - began, memory, files, int(fields["Threads"]), *read_report(report))


class Sampler:
    """Samples processes every few seconds, in a thread. Each process has a series of its own."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._stop = threading.Event()
        self._followed: list[tuple[int, float, Path, Life]] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def follow(self, server: str, pid: int, report: Path) -> None:
        """Begin the series of a process that has just started."""
        number = 1 + sum(life.server == server for life in self.lives)
        self._followed = [*self._followed, (pid, time.monotonic(), report, Life(server, number))]

    @property
    def lives(self) -> list[Life]:
        """The series so far."""
        return [life for *_, life in self._followed]

    def _run(self) -> None:
        while not self._stop.wait(self._seconds):
            for pid, began, report, life in self._followed:
                sample = take_sample(pid, began, report)
                if sample is not None:
                    life.samples.append(sample)

    def stop(self) -> None:
        """Stop sampling."""
        self._stop.set()
        self._thread.join()

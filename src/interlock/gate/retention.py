"""Retention in programs: a gate that stays open ends idle runs and removes old records, in the background.

A gate that has been open for a while looks at the clock with each action. A server carries the retention out at times
of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from interlock.errors import InterlockError

if TYPE_CHECKING:
    from interlock.audit.journal import Journal
    from interlock.config.settings import RetentionSettings

#: How much time lies between two rounds.
EVERY_SECONDS = 3_600.0
#: How many steps a round has at most, and the pause between two, in which others write.
MAX_STEPS, PAUSE_SECONDS = 50, 0.2


class Retention:
    """Carries out `[retention]` on a store, one round at a time."""

    def __init__(self, journal: Journal, settings: Callable[[], RetentionSettings]) -> None:
        self._journal, self._settings = journal, settings
        self._due = time.monotonic()
        self._start = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start_if_due(self) -> None:
        """Start a round in a thread of its own, if it is time for one. This does not wait."""
        if time.monotonic() < self._due:
            return
        with self._start:
            if time.monotonic() < self._due or self._stop.is_set():
                return
            self._due = time.monotonic() + EVERY_SECONDS
            self._thread = threading.Thread(target=self._run, name="interlock-retention", daemon=True)
            self._thread.start()

    def step(self) -> int:
        """End some idle runs, and remove some of the records that are older than they are kept; return how many."""
        from interlock.audit.retention import end_idle_runs, remove_old_records

        self._due = time.monotonic() + EVERY_SECONDS
        settings = self._settings()
        return end_idle_runs(self._journal, settings) + remove_old_records(self._journal, settings)

    def _run(self) -> None:
        """Take steps until nothing is left to do, the round is over, or the gate is closed."""
        try:
            for _ in range(MAX_STEPS):
                if not self.step() or self._stop.wait(PAUSE_SECONDS):
                    return
        except Exception as error:  # the next round tries again; the program goes on
            if not self._stop.is_set():
                import logging  # which takes time to load, and is rarely needed

                trace = None if isinstance(error, InterlockError) else error
                logging.getLogger("interlock.gate").warning("could not apply the retention: %s", error, exc_info=trace)

    def close(self) -> None:
        """End a round, and wait for the step that it is at."""
        self._stop.set()
        with self._start:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

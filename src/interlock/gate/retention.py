"""Retention in programs: a long-lived gate ends idle runs and removes old records in the background.

Each action of a long-lived gate checks whether a round is due. A server applies the retention on its own schedule.
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

#: The time between two rounds.
EVERY_SECONDS = 3_600.0
#: The maximum number of steps in a round, and the pause after each, in which others can write.
MAX_STEPS, PAUSE_SECONDS = 50, 0.2


class Retention:
    """Applies `[retention]` to a store, one round at a time."""

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
        """End some idle runs, and remove some of the expired records; return how many. Keep room for new ones."""
        from interlock.audit.retention import end_idle_runs, remove_old_records
        from interlock.store.partitions import add_partition_ahead

        self._due = time.monotonic() + EVERY_SECONDS
        settings = self._settings()
        done = end_idle_runs(self._journal, settings) + remove_old_records(self._journal, settings)
        add_partition_ahead(self._journal.database)
        return done

    def _run(self) -> None:
        """Take steps until nothing is left to do, the round is over, or the gate is closed."""
        try:
            for _ in range(MAX_STEPS):
                if not self.step() or self._stop.wait(PAUSE_SECONDS):
                    return
        except Exception as error:  # the next round tries again; the program goes on
            if not self._stop.is_set():
                import logging  # slow to load, and rarely needed

                trace = None if isinstance(error, InterlockError) else error
                logging.getLogger("interlock.gate").warning("could not apply retention: %s", error, exc_info=trace)

    def close(self) -> None:
        """Stop the round, and wait for its current step."""
        self._stop.set()
        with self._start:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

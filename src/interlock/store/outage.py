"""An outage: a database that has answered before stops answering, and readers wait a while for it to return."""

from __future__ import annotations

import time

#: How long after the beginning of an outage readers wait. Then they fail at once, until the database answers again.
WAIT_SECONDS = 10.0
#: How long a reader waits between two attempts.
PAUSE_SECONDS = 0.1


class Outage:
    """Whether a database answers, as last seen by this process. Threads may share it."""

    def __init__(self) -> None:
        self.wait_seconds = WAIT_SECONDS
        self._has_answered = False
        self._began: float | None = None

    def end(self) -> None:
        """Record that the database has answered."""
        self._has_answered, self._began = True, None

    def wait(self) -> bool:
        """Wait before the next attempt and return True, or return False if the database has been away for too long.

        A database that has never answered is not waited for: its address may be wrong.
        """
        at = time.monotonic()
        began = self._began = at if self._began is None else self._began
        if not self._has_answered or at - began >= self.wait_seconds:
            return False
        time.sleep(PAUSE_SECONDS)
        return True

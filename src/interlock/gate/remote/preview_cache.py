"""Decisions that a framework requested before it submits the action, so that submitting does not record them again."""

from __future__ import annotations

import threading
from collections import OrderedDict

#: How many previewed actions may be waiting for their submission.
MAX_PREVIEWS = 1_000


class PreviewCache:
    """The ids of decisions by the run and the digest of their action. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: OrderedDict[tuple[str, str], list[str]] = OrderedDict()

    def add(self, run_id: str, digest: str, decision_id: str) -> None:
        """Keep a decision until its action is submitted."""
        with self._lock:
            self._waiting.setdefault((run_id, digest), []).append(decision_id)
            while len(self._waiting) > MAX_PREVIEWS:
                self._waiting.popitem(last=False)

    def take(self, run_id: str, digest: str) -> str | None:
        """Return the oldest decision on an action, and remove it; None if there is none."""
        with self._lock:
            waiting = self._waiting.get((run_id, digest), [])
            found = waiting.pop(0) if waiting else None
            if not waiting:
                self._waiting.pop((run_id, digest), None)
        return found

"""How many actions each agent tried in the last hour. Each record is read once."""

from __future__ import annotations

import threading
from collections import Counter

from interlock.baseline.executed_actions import read_body
from interlock.store.clock import MICROSECONDS
from interlock.store.connection import Connection

MINUTE, MINUTES = 60 * MICROSECONDS, 60
_NEWEST = "SELECT max(seq) FROM interlock_records"
_RECENT = "SELECT seq, body FROM interlock_records WHERE kind = 'decision' AND at >= :since ORDER BY seq"
_ADDED = "SELECT seq, body FROM interlock_records WHERE kind = 'decision' AND seq > :after ORDER BY seq"


class RecentActions:
    """Counts the actions of the last hour, also those that were refused. Threads may share it."""

    def __init__(self) -> None:
        self._after: int | None = None
        self._counts: dict[int, Counter[str]] = {}  # of each minute, by agent
        self.reset_lock()

    def reset_lock(self) -> None:
        """Replace a lock that the parent of a forked process may have held."""
        self._lock = threading.Lock()

    def count(self, connection: Connection, agent_id: str, at: int) -> int:
        """Return how many actions an agent tried in the hour before a time."""
        first = at // MINUTE - MINUTES
        with self._lock:
            if self._after is None:
                self._after = int(connection.value(_NEWEST) or 0)
                rows = connection.tuples(_RECENT, since=first * MINUTE)
            else:
                rows = connection.tuples(_ADDED, after=self._after)
            for seq, body in rows:
                self._add(seq, body)
            self._counts = {minute: found for minute, found in self._counts.items() if minute >= first}
            return sum(found[agent_id] for found in self._counts.values())

    def _add(self, seq: int, body: str) -> None:
        record = read_body(body)
        if record is not None:
            self._counts.setdefault(record.at // MINUTE, Counter())[record.agent] += 1
        self._after = max(seq, self._after or 0)

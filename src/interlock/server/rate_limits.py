"""Limits: how many requests one caller may make, and how often somebody may try to sign in."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import NamedTuple

#: How many callers are kept in mind.
MAX_KNOWN = 10_000


class _Bucket(NamedTuple):
    left: float
    at: float


class Limit:
    """So many a second on the whole, and as many at once as fit into `burst`. A rate of 0 is no limit."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._known: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, who: str) -> float:
        """Take one for a caller; return 0, or in how many seconds there is one again."""
        if not self._rate:
            return 0.0
        at = time.monotonic()
        known = self._known.pop(who, None)
        left = self._burst if known is None else min(self._burst, known.left + (at - known.at) * self._rate)
        while len(self._known) >= MAX_KNOWN:
            self._known.popitem(last=False)
        if left < 1:
            self._known[who] = _Bucket(left, at)
            return (1 - left) / self._rate
        self._known[who] = _Bucket(left - 1, at)
        return 0.0

    def forgive(self, who: str) -> None:
        """Forget what a caller has taken."""
        self._known.pop(who, None)

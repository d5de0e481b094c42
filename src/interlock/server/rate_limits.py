"""Rate limits: how many requests a caller may make, and how often a sign-in may be attempted."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import NamedTuple

#: How many callers are tracked; beyond that, the one seen longest ago is dropped.
MAX_TRACKED = 10_000


class _TokenBucket(NamedTuple):
    tokens: float
    at: float


class RateLimiter:
    """A token bucket for each caller: `rate` tokens a second, at most `burst` at once. A rate of 0 is no limit."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._buckets: OrderedDict[str, _TokenBucket] = OrderedDict()

    def take(self, caller: str) -> float:
        """Take one token; return 0, or how many seconds until there is one again."""
        if not self._rate:
            return 0.0
        at = time.monotonic()
        bucket = self._buckets.pop(caller, None)
        tokens = self._burst if bucket is None else min(self._burst, bucket.tokens + (at - bucket.at) * self._rate)
        while len(self._buckets) >= MAX_TRACKED:
            self._buckets.popitem(last=False)
        if tokens < 1:
            self._buckets[caller] = _TokenBucket(tokens, at)
            return (1 - tokens) / self._rate
        self._buckets[caller] = _TokenBucket(tokens - 1, at)
        return 0.0

    def reset(self, caller: str) -> None:
        """Give a caller a full bucket again."""
        self._buckets.pop(caller, None)

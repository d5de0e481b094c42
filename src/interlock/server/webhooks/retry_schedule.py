"""When a delivery that failed is retried."""

from __future__ import annotations

import secrets
from typing import NamedTuple

#: Seconds to wait after each failed attempt: eight attempts in about a day.
WAITS = (5, 60, 300, 1_800, 7_200, 21_600, 54_000)
_RANDOM = secrets.SystemRandom()


class RetrySchedule(NamedTuple):
    """How long to wait after each attempt. `jitter` makes a wait longer or shorter by up to that fraction.

    Without jitter, deliveries that failed together would be retried together, and overload a receiver that has just
    recovered.
    """

    waits: tuple[float, ...] = WAITS
    jitter: float = 0.2

    def delay_after(self, tries: int) -> float | None:
        """Return how many seconds to wait after this many attempts, or None after the last.

        >>> RetrySchedule((5, 60), jitter=0).delay_after(2), RetrySchedule((5, 60)).delay_after(3)
        (60.0, None)
        """
        if tries > len(self.waits):
            return None
        return self.waits[tries - 1] * (1 + _RANDOM.uniform(-self.jitter, self.jitter))

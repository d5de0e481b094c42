"""When a message that did not arrive is sent again."""

from __future__ import annotations

import secrets
from typing import NamedTuple

#: Seconds after each try that failed: eight tries in about a day, then nobody tries any more.
WAITS = (5, 60, 300, 1_800, 7_200, 21_600, 54_000)
_CHANCE = secrets.SystemRandom()


class Schedule(NamedTuple):
    """How long to wait after each try. `jitter` is by which part a wait is longer or shorter, by chance.

    Without it, everything that failed together would come back together, to a receiver that has just got up.
    """

    waits: tuple[float, ...] = WAITS
    jitter: float = 0.2

    def after(self, tries: int) -> float | None:
        """Return how many seconds to wait after so many tries, or None where that was the last.

        >>> Schedule((5, 60), jitter=0).after(2), Schedule((5, 60)).after(3)
        (60.0, None)
        """
        if tries > len(self.waits):
            return None
        return self.waits[tries - 1] * (1 + _CHANCE.uniform(-self.jitter, self.jitter))

"""Whether a process grows: the last third of its life compared with the middle third. The first third is warm-up."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

#: A shorter life is not judged: caches are still being filled.
SHORTEST_LIFE = 60.0
FEWEST_SAMPLES = 30
MEGABYTE = 1_000_000


class Sample(NamedTuple):
    """What a process uses at one moment: seconds since it started, bytes of memory, open files, threads.

    `blocks` are the blocks of memory that Python's objects use, `unused` the bytes that its C library has not returned.
    """

    at: float
    memory: int
    files: int
    threads: int
    blocks: int = 0
    unused: int = 0


class Limit(NamedTuple):
    """How much the median of a figure may rise: the larger of an absolute value and a part of the earlier median."""

    least: float
    part: float


LIMITS = {
    "memory": Limit(8 * MEGABYTE, 0.05),
    "files": Limit(10, 0.0),
    "threads": Limit(8, 0.0),
}


@dataclass
class Life:
    """The samples of one process from its start to its end."""

    server: str
    number: int
    samples: list[Sample] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """How long the process has lived."""
        return self.samples[-1].at if self.samples else 0.0

    @property
    def is_judged(self) -> bool:
        """Whether the process lived long enough to be judged."""
        return self.seconds >= SHORTEST_LIFE and len(self.samples) >= FEWEST_SAMPLES

    @property
    def middle(self) -> Sequence[Sample]:
        """The samples of the middle third."""
        return [one for one in self.samples if self.seconds / 3 <= one.at < self.seconds * 2 / 3]

    @property
    def last(self) -> Sequence[Sample]:
        """The samples of the last third."""
        return [one for one in self.samples if one.at >= self.seconds * 2 / 3]

    def rise(self, name: str) -> tuple[float, float]:
        """Return the medians of a figure in the middle and in the last third."""
        return _median(self.middle, name), _median(self.last, name)


def _median(samples: Sequence[Sample], name: str) -> float:
    return float(statistics.median(getattr(one, name) for one in samples)) if samples else 0.0


def find_growth(life: Life) -> Iterator[str]:
    """Yield a sentence for each figure that grows."""
    if not life.is_judged:
        return
    for name, limit in LIMITS.items():
        before, after = life.rise(name)
        if after - before > max(limit.least, limit.part * before):
            unit, shown = (MEGABYTE, " MB") if name == "memory" else (1, "")
            yield (
                f"{name} of {life.server} (process {life.number}) grew from {before / unit:,.0f}{shown} "
                f"to {after / unit:,.0f}{shown} between the middle and the last third of its life"
                + (f" ({describe_parts(life)})" if name == "memory" else "")
            )


def describe_parts(life: Life) -> str:
    """Say how much of a rise is Python's objects, and how much is memory that the C library keeps and nothing uses."""
    blocks, unused = life.rise("blocks"), life.rise("unused")
    return (
        f"blocks of objects {blocks[0]:,.0f} → {blocks[1]:,.0f}, "
        f"free in the allocator {unused[0] / MEGABYTE:,.0f} → {unused[1] / MEGABYTE:,.0f} MB"
    )

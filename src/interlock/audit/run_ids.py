"""Short forms of run ids: the beginning of an id, as long as it needs to be to name one run only."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from interlock.store.connection import Connection

#: No short form is shorter than this, and an id that is hardly longer is shown whole.
LEAST, SPARED = 12, 4
_NEIGHBOURS = """
    SELECT (SELECT max(run_id) FROM interlock_runs WHERE run_id < :id),
           (SELECT min(run_id) FROM interlock_runs WHERE run_id > :id)
"""


def shorten_ids(connection: Connection, run_ids: Iterable[str]) -> dict[str, str]:
    """Return the short form of each run id: no other run of the store begins like it."""
    wanted = sorted(set(run_ids))
    short: dict[str, str] = {}
    for at, run_id in enumerate(wanted):
        beside = [*wanted[max(0, at - 1) : at], *wanted[at + 1 : at + 2]]
        stored = connection.tuples(_NEIGHBOURS, id=run_id)[0]
        short[run_id] = shorten(run_id, [*beside, *filter(None, stored)])
    return short


def shorten(run_id: str, others: Iterable[str]) -> str:
    """Return the shortest beginning of an id that none of the others has.

    >>> shorten("8f1c22d0-aa17-4d1b", ["8f1c22d0-aa20-9c11"]), shorten("run-shop-1", ["run-shop-10"])
    ('8f1c22d0-aa1', 'run-shop-1')
    """
    shared = max((_common_prefix_length(run_id, other) for other in others), default=0)
    length = max(LEAST, shared + 1)
    return run_id if len(run_id) <= length + SPARED else run_id[:length]


def _common_prefix_length(one: str, other: str) -> int:
    """Return how many characters at the beginning of two ids are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))

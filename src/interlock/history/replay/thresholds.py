"""Conditions under which a replay fails, as CI jobs state them: `newly-allowed>0`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import NamedTuple

from interlock.errors import InterlockError, nearest
from interlock.history.replay.causes import UNEXPLAINED
from interlock.history.replay.summary import ReplaySummary

_COUNTS: dict[str, Callable[[ReplaySummary], float]] = {
    "newly-allowed": lambda found: found.newly_allowed,
    "newly-stopped": lambda found: found.newly_stopped,
    "changed": lambda found: found.changed,
    "stricter": lambda found: found.stricter,
    "milder": lambda found: found.milder,
    "undecided": lambda found: sum(found.undecided.values()),
    "unexplained": lambda found: found.causes.get(UNEXPLAINED, 0),
    "interruptions": lambda found: found.interruptions[1],
}
_SIGNS: dict[str, Callable[[float, float], bool]] = {">": operator.gt, ">=": operator.ge, "=": operator.eq}
_FORM = re.compile(r"\s*([a-z-]+)\s*(>=|>|=)\s*(\d+(?:\.\d+)?)\s*")


class Threshold(NamedTuple):
    """A count, and the limit beyond which a replay fails."""

    text: str
    name: str
    sign: str
    limit: float

    def is_exceeded(self, found: ReplaySummary) -> bool:
        """Whether a replay fails by it."""
        return _SIGNS[self.sign](_COUNTS[self.name](found), self.limit)


def parse_threshold(text: str) -> Threshold:
    """Return a condition from its text.

    >>> parse_threshold("newly-allowed>0").is_exceeded(ReplaySummary(newly_allowed=1))
    True
    """
    found = _FORM.fullmatch(text)
    if found is None:
        raise InterlockError(f"`{text}` is not a condition; write one such as `newly-allowed>0`")
    name, sign, limit = found.groups()
    if name not in _COUNTS:
        raise InterlockError(f"unknown count `{name}`{nearest(name, _COUNTS)}")
    return Threshold(text.strip(), name, sign, float(limit))

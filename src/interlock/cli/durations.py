"""Lengths of time as people type them."""

from __future__ import annotations

import re

from interlock.errors import InterlockError
from interlock.sanitise import plain

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_LENGTH = re.compile(r"([0-9]{1,6})([smhd])")


def parse_duration(text: str) -> int:
    """Return a length of time in seconds, or raise.

    >>> parse_duration("15m"), parse_duration("1h")
    (900, 3600)
    """
    found = _LENGTH.fullmatch(text)
    if found is None or not int(found[1]):
        raise InterlockError(f"`{plain(text)[:40]}` is not a length of time; write 30s, 15m, 2h or 1d")
    return int(found[1]) * _UNITS[found[2]]

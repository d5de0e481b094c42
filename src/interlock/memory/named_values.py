"""The values of a call that a run may remember by name: all but those under a key of a secret."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from interlock.patterns import late
from interlock.payload import leaves

_OF_SECRET = late(r"(?i)pass|pwd|secret|token|credential|cookie|auth(?!or)|(?:api|private|access)_?key|jwt|otp|^pin$")


def named_values(payload: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of a payload, without secrets, which are stored nowhere.

    >>> list(named_values({"user": "ann", "apiKey": "k1", "login": {"password": "p1", "name": "shop"}}))
    [('user', 'ann'), ('name', 'shop')]
    """
    return ((key, value) for key, value in leaves(payload) if not _OF_SECRET.search(key))

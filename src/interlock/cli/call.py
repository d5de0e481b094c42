"""An agent's call, read from standard input once, whoever needs it."""

from __future__ import annotations

import os

from interlock.agents import MAX_CALL

_CHUNK = 1 << 20
_READ: list[bytes] = []


def read() -> bytes:
    """Return the call, read to its end: an agent that cannot say all of it takes the hook for broken, and goes on.

    Of one that is too long, a little more than the limit is kept: whoever decides sees that it is.
    """
    if not _READ:
        kept = bytearray()
        while chunk := os.read(0, _CHUNK):
            if len(kept) <= MAX_CALL:
                kept += chunk
        _READ.append(bytes(kept))
    return _READ[0]

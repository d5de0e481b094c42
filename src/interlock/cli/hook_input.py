"""An agent's call on standard input, which can be read once."""

from __future__ import annotations

import os

from interlock.agents import MAX_CALL

_CHUNK = 1 << 20
_CALL: list[bytes] = []


def read_call() -> bytes:
    """Return the call, read to its end: an agent that cannot write all of it takes the hook for broken, and goes on.

    Of a call that is too long, a little more than the limit is kept, so that the parser sees that it is.
    """
    if not _CALL:
        kept = bytearray()
        while chunk := os.read(0, _CHUNK):
            if len(kept) <= MAX_CALL:
                kept += chunk
        _CALL.append(bytes(kept))
    return _CALL[0]

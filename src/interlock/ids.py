"""Random ids for runs, approvals, keys and messages."""

from __future__ import annotations

import uuid


def new_id() -> str:
    """Return a new random id: 32 hexadecimal digits."""
    return uuid.uuid4().hex

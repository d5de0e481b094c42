"""Recently valid keys, which can read metrics while the store does not answer.

Only `/metrics` uses them. It shows numbers, and it is needed most while the store is down.
"""

from __future__ import annotations

import time
from collections import OrderedDict

import msgspec

from interlock.access.keys import AccessKey
from interlock.access.roles import Caller, Right
from interlock.store.clock import now

#: How long a key is remembered after it was last found valid: a key that another server revokes during an outage can
#: still read metrics for that long.
REMEMBERED_SECONDS = 3_600.0
#: How long a scrape waits for the store, which is less than scrapers wait.
STORE_SECONDS = 3.0
MAX_REMEMBERED = 256


class _RememberedKey(msgspec.Struct, frozen=True):
    key: AccessKey
    verified: float


class RememberedKeys:
    """The keys with the right to see that were verified last, by the hash of their secret."""

    def __init__(self) -> None:
        self._keys: OrderedDict[str, _RememberedKey] = OrderedDict()

    def update(self, hashed: str, key: AccessKey | None) -> None:
        """Remember a key that the store has just found valid; forget one that it has not."""
        self._keys.pop(hashed, None)
        if key is not None and key.caller.may(Right.SEE):
            self._keys[hashed] = _RememberedKey(key, time.monotonic())
        while len(self._keys) > MAX_REMEMBERED:
            self._keys.popitem(last=False)

    def clear(self) -> None:
        """Forget all: keys or people have changed."""
        self._keys.clear()

    def find(self, hashed: str) -> Caller | None:
        """Return the caller of a key that was valid a short while ago and has not expired since, or None."""
        found = self._keys.get(hashed)
        if found is None or time.monotonic() - found.verified > REMEMBERED_SECONDS:
            return None
        expires = found.key.expires_at
        return None if expires is not None and expires <= now().wall else found.key.caller

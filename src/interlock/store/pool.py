"""A pool of connections: whoever comes takes one that is idle, or a new one, and gives it back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from interlock.errors import StoreError

MAX_IDLE = 8
MAX_OPEN = 18
WAIT_SECONDS = 30.0
#: Connections of a parent process. They are its own: nobody here may even close them.
_FOREIGN: list[Any] = []


class Pool:
    """The connections of one database."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self._idle: list[Any] = []
        self._begin()

    def _begin(self) -> None:
        self._lent: dict[int, Any] = {}
        self._room = threading.BoundedSemaphore(MAX_OPEN)

    def take(self, *, new: bool = False) -> Any:
        """Return a connection; with `new`, after those that are idle were let go, since they seem to be lost."""
        if not self._room.acquire(timeout=WAIT_SECONDS):
            raise StoreError(f"{MAX_OPEN} connections to the store are in use, and none was given back", again=True)
        try:
            if new:
                self.close()
            raw = self._taken()
        except BaseException:
            self._room.release()
            raise
        self._lent[id(raw)] = raw
        return raw

    def _taken(self) -> Any:
        try:
            return self._idle.pop()
        except IndexError:
            return self._connect()

    def is_ours(self, raw: Any) -> bool:
        """Whether a connection was taken in this process, and not in one that it was forked from."""
        return id(raw) in self._lent

    def give(self, raw: Any, *, lost: bool) -> None:
        """Take a connection back."""
        if self._lent.pop(id(raw), None) is None:
            _FOREIGN.append(raw)
            return
        if lost or len(self._idle) >= MAX_IDLE:
            raw.close()
        else:
            self._idle.append(raw)
        self._room.release()

    def close(self) -> None:
        """Let every connection go that is idle."""
        idle, self._idle = self._idle, []
        for raw in idle:
            raw.close()

    def forget(self) -> None:
        """Leave the connections of a parent process to it."""
        _FOREIGN.extend((*self._idle, *self._lent.values()))
        self._idle = []
        self._begin()

"""A pool of connections, which threads acquire and release."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from interlock.errors import StoreError

MAX_IDLE = 8
MAX_OPEN = 18
WAIT_SECONDS = 30.0
#: Connections inherited from a parent process. Closing them here, even by garbage collection, would break the parent's.
_INHERITED: list[Any] = []


class Pool:
    """The connections of one database."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self._idle: list[Any] = []
        self._reset()

    def _reset(self) -> None:
        self._in_use: dict[int, Any] = {}
        self._slots = threading.BoundedSemaphore(MAX_OPEN)

    def acquire(self, *, reconnect: bool = False) -> Any:
        """Return an idle connection or a new one. With `reconnect`, first close the idle ones as probably broken."""
        if not self._slots.acquire(timeout=WAIT_SECONDS):
            raise StoreError(f"all {MAX_OPEN} connections to the store are in use; try again later", again=True)
        try:
            if reconnect:
                self.close()
            raw = self._pop_or_connect()
        except BaseException:
            self._slots.release()
            raise
        self._in_use[id(raw)] = raw
        return raw

    def _pop_or_connect(self) -> Any:
        try:
            return self._idle.pop()
        except IndexError:
            return self._connect()

    def owns(self, raw: Any) -> bool:
        """Whether a connection was acquired in this process, not in the one that it was forked from."""
        return id(raw) in self._in_use

    def release(self, raw: Any, *, closed: bool) -> None:
        """Return a connection to the pool, or drop it if it is `closed`."""
        if self._in_use.pop(id(raw), None) is None:
            _INHERITED.append(raw)
            return
        if closed or len(self._idle) >= MAX_IDLE:
            raw.close()
        else:
            self._idle.append(raw)
        self._slots.release()

    def close(self) -> None:
        """Close every idle connection."""
        idle, self._idle = self._idle, []
        for raw in idle:
            raw.close()

    def abandon(self) -> None:
        """Start anew after a fork, leaving the inherited connections to the parent process."""
        _INHERITED.extend((*self._idle, *self._in_use.values()))
        self._idle = []
        self._reset()

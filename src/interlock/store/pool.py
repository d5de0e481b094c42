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
        self._in_use: dict[int, tuple[Any, int]] = {}  # with the generation in which each was acquired
        self._generation = 0  # how often the pool was closed
        self._slots = threading.BoundedSemaphore(MAX_OPEN)
        self._lock = threading.Lock()

    def acquire(self, *, reconnect: bool = False) -> Any:
        """Return an idle connection or a new one. With `reconnect`, first close the others as probably broken."""
        if not self._slots.acquire(timeout=WAIT_SECONDS):
            raise StoreError(f"all {MAX_OPEN} connections to the store are in use; try again later", again=True)
        try:
            if reconnect:
                self.close()
            return self._pop_or_connect()
        except BaseException:
            self._slots.release()
            raise

    def _pop_or_connect(self) -> Any:
        with self._lock:
            generation = self._generation
            raw = self._idle.pop() if self._idle else None
            if raw is not None:
                self._in_use[id(raw)] = raw, generation
        if raw is None:
            raw = self._connect()
            self._in_use[id(raw)] = raw, generation
        return raw

    def owns(self, raw: Any) -> bool:
        """Whether a connection was acquired in this process, not in the one that it was forked from."""
        return id(raw) in self._in_use

    def release(self, raw: Any, *, closed: bool) -> None:
        """Return a connection to the pool. Drop it if it is `closed`, or if the pool was closed since."""
        if not self.owns(raw):
            _INHERITED.append(raw)
            return
        with self._lock:
            _, generation = self._in_use.pop(id(raw))
            keep = not closed and generation == self._generation and len(self._idle) < MAX_IDLE
            if keep:
                self._idle.append(raw)
        if not keep:
            raw.close()
        self._slots.release()

    def close(self) -> None:
        """Close every connection: the idle ones now, and those in use when they are released."""
        with self._lock:
            idle, self._idle = self._idle, []
            self._generation += 1
        for raw in idle:
            raw.close()

    def abandon(self) -> None:
        """Start anew after a fork, leaving the inherited connections to the parent process."""
        _INHERITED.extend((*self._idle, *(raw for raw, _ in self._in_use.values())))
        self._idle = []
        self._reset()

"""The write queue: one background thread takes pending writes in batches."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from interlock.audit.pending_write import PendingWrite
from interlock.errors import StoreError

MAX_BATCH = 256
#: How often, and for how long each time, the thread waits for a batch to become as large as the last one.
GATHER_PAUSES, GATHER_SECONDS = 8, 0.000_1


class WriteQueue:
    """Pending writes, and the thread that passes them on. `write` must be a method; its object is not kept alive."""

    def __init__(self, write: Callable[[Sequence[PendingWrite[Any]]], None]) -> None:
        self._write = weakref.WeakMethod(write)
        self._waiting: queue.SimpleQueue[PendingWrite[Any] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._start = threading.Lock()
        self._closed = False
        self._last_size = 1

    def __len__(self) -> int:
        return self._waiting.qsize()

    def put(self, write: PendingWrite[Any]) -> None:
        """Add a write; raise if the queue was closed."""
        if self._closed:
            raise StoreError("the store was closed")
        if self._thread is None:
            self._start_thread()
        self._waiting.put(write)

    def close(self) -> None:
        """Refuse further writes. Those that wait already are still written."""
        self._closed = True
        self._waiting.put(None)

    def _start_thread(self) -> None:
        with self._start:
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="interlock-writer", daemon=True)
                thread.start()
                self._thread = thread

    def _run(self) -> None:
        """Pass on writes until the queue is closed or its owner is gone."""
        while (first := self._waiting.get()) is not None:
            write = self._write()
            if write is None:
                return
            if not first.abandoned:
                write(self._gather(first))
            del write, first  # while this waits, the owner may go

    def _gather(self, first: PendingWrite[Any]) -> list[PendingWrite[Any]]:
        """Return the next batch; if the last one was larger, give other callers a moment to join."""
        batch = [first]
        before = -1
        for _ in range(GATHER_PAUSES):
            size = self._waiting.qsize()
            if size + 1 >= self._last_size or size == before:
                break
            before = size
            time.sleep(GATHER_SECONDS)
        with contextlib.suppress(queue.Empty):
            while len(batch) < MAX_BATCH:
                write = self._waiting.get_nowait()
                if write is None:
                    self._waiting.put(None)
                    break
                batch.append(write)
        self._last_size = len(batch)
        return [write for write in batch if not write.abandoned]

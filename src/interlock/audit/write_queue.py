"""The write queue: one background thread takes pending writes in batches."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from interlock.audit.pending_write import PendingWrite, Wake
from interlock.errors import StoreError

MAX_BATCH = 256
#: How often, and for how long each time, the thread waits for a batch to become as large as the last one.
GATHER_PAUSES, GATHER_SECONDS = 8, 0.000_1
#: After a batch that took longer than this, callers get a share of that time to join the next one, in some steps.
SLOW_SECONDS, GATHER_SHARE, GATHER_STEPS = 0.005, 0.2, 5
#: How long a write that is not urgent waits for another one, to share its transaction.
LINGER_SECONDS = 0.1


class WriteQueue:
    """Pending writes, and the thread that passes them on. `write` must be a method; its object is not kept alive."""

    def __init__(self, write: Callable[[Sequence[PendingWrite[Any]]], None]) -> None:
        self._write = weakref.WeakMethod(write)
        self._waiting: queue.SimpleQueue[PendingWrite[Any] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._start = threading.Lock()
        self._closed = False
        self._last_size = 1
        self._took = 0.0  # how long the last batch took
        self._callers = 1  # how many writes were in it, or waited at its end
        self._unwritten = 0  # pending writes that are not urgent
        self._changed = threading.Condition()

    def __len__(self) -> int:
        return self._waiting.qsize()

    def put(self, write: PendingWrite[Any]) -> None:
        """Add a write; raise if the queue was closed."""
        if self._closed:
            raise StoreError("the store was closed")
        if self._thread is None:
            self._start_thread()
        if not write.urgent:
            with self._changed:
                self._unwritten += 1
        self._waiting.put(write)

    def close(self) -> None:
        """Reject further writes. Queued ones are still written."""
        self._closed = True
        self._waiting.put(None)

    def flush(self, seconds: float) -> bool:
        """Wait until the detached writes are done; return False on a timeout."""
        if threading.current_thread() is self._thread:
            return False
        if self._unwritten:
            self._waiting.put(Wake())
        with self._changed:
            return self._changed.wait_for(lambda: not self._unwritten, seconds)

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
                self._pass_on(write, first)
            del write, first  # while this waits, the owner may go

    def _pass_on(self, write: Callable[[Sequence[PendingWrite[Any]]], None], first: PendingWrite[Any]) -> None:
        batch = self._gather(self._linger(first))
        began = time.monotonic()
        write(batch)
        self._took, self._callers = time.monotonic() - began, len(batch) + self._waiting.qsize()
        done = sum(not one.urgent for one in batch)
        if done:
            with self._changed:
                self._unwritten -= done
                self._changed.notify_all()

    def _linger(self, first: PendingWrite[Any]) -> list[PendingWrite[Any]]:
        """Return the first writes of the next batch. Writes that are not urgent wait a moment for an urgent one."""
        batch, until = [first], time.monotonic() + LINGER_SECONDS
        with contextlib.suppress(queue.Empty):
            while not batch[-1].urgent and len(batch) < MAX_BATCH:
                write = self._waiting.get(timeout=max(0.0, until - time.monotonic()))
                if write is None:
                    self._waiting.put(None)
                    break
                batch.append(write)
        return batch

    def _gather(self, batch: list[PendingWrite[Any]]) -> list[PendingWrite[Any]]:
        """Return the next batch; if the last one was larger, or slow, give other callers a moment to join."""
        if self._took > SLOW_SECONDS:
            self._wait_for_callers()
        before = -1
        for _ in range(GATHER_PAUSES):
            size = self._waiting.qsize()
            if size + 1 >= self._last_size or size == before:
                break
            before = size
            time.sleep(GATHER_SECONDS)
        return self._take_rest(batch)

    def _wait_for_callers(self) -> None:
        """Wait briefly for the callers of the last batch, so that they do not split into two alternating batches."""
        for _ in range(GATHER_STEPS):
            if self._waiting.qsize() + 1 >= self._callers:
                return
            time.sleep(self._took * GATHER_SHARE / GATHER_STEPS)

    def _take_rest(self, batch: list[PendingWrite[Any]]) -> list[PendingWrite[Any]]:
        """Return a batch with everything else in the queue, without abandoned writes."""
        with contextlib.suppress(queue.Empty):
            while len(batch) < MAX_BATCH:
                write = self._waiting.get_nowait()
                if write is None:
                    self._waiting.put(None)
                    break
                batch.append(write)
        self._last_size = len(batch)
        return [write for write in batch if not write.abandoned]

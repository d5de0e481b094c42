"""The feed: new records as they are written by any server on the store, read once for all followers."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Iterator
from itertools import dropwhile

from interlock.audit.chain import read_head
from interlock.audit.journal import Journal
from interlock.audit.read import RecordFilter, StoredRecord, read_page
from interlock.errors import InterlockError
from interlock.server.timeouts import wait_for_event

#: How often the chain is checked for records of other servers, and the least time between two checks.
POLL_SECONDS, PAUSE_SECONDS = 0.25, 0.05
#: How many of the newest records are kept in memory for followers.
MAX_RECENT = 2_000
_LOG = logging.getLogger("interlock.server")


class Feed:
    """Follows the chain, and wakes the requests that wait for a record in it."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._written = asyncio.Event()
        self._moved = asyncio.Event()
        self._recent: deque[StoredRecord] = deque(maxlen=MAX_RECENT)
        self._from = 0  # the record before the first one in `_recent`
        self._waiting: dict[str, set[asyncio.Event]] = defaultdict(set)
        self._followers = 0
        self.seq = 0
        self.has_ended = False

    async def run(self) -> None:
        """Follow the chain until cancelled."""
        loop = asyncio.get_running_loop()
        self.seq = self._from = await asyncio.to_thread(self._end)
        self._journal.on_write = lambda _seq: _wake(loop, self._written)
        try:
            while True:
                await wait_for_event(self._written, POLL_SECONDS)
                self._written.clear()
                try:
                    await self._read_new()
                except Exception as error:  # the feed must survive: without it, waiting requests are never woken
                    expected = isinstance(error, InterlockError)
                    _LOG.warning("cannot follow the chain: %s", error, exc_info=None if expected else error)
                    await asyncio.sleep(1)
                await asyncio.sleep(PAUSE_SECONDS)
        finally:
            self._journal.on_write = None

    def _end(self) -> int:
        with self._journal.database.read() as connection:
            return read_head(connection).seq

    async def _read_new(self) -> None:
        end = await asyncio.to_thread(self._end)
        if end <= self.seq:
            return
        if self._waiting:
            for approval_id in await asyncio.to_thread(self._approvals_between, self.seq, end):
                for event in self._waiting.get(approval_id, ()):
                    event.set()
        if self._followers:
            after = max(self.seq, end - MAX_RECENT)
            found = await asyncio.to_thread(
                read_page, self._journal.database, RecordFilter(), after=after, limit=MAX_RECENT
            )
            self._extend_recent(found, end)
        else:
            self._recent.clear()
            self._from = end
        self.seq = end
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()

    def _extend_recent(self, found: list[StoredRecord], end: int) -> None:
        if self._recent and found and found[0].record.seq != self._recent[-1].record.seq + 1:
            self._recent.clear()
        if not self._recent:
            self._from = found[0].record.seq - 1 if found else end
        dropped = max(0, len(self._recent) + len(found) - MAX_RECENT)
        self._recent.extend(found)
        self._from += dropped

    def _approvals_between(self, after: int, end: int) -> set[str]:
        query = (
            "SELECT approval_id FROM interlock_records WHERE seq > :after AND seq <= :end AND approval_id IS NOT NULL"
        )
        with self._journal.database.read() as connection:
            return set(connection.values(query, after=after, end=end))

    @contextlib.contextmanager
    def watch(self, approval_id: str) -> Iterator[asyncio.Event]:
        """Yield an event that is set whenever something is recorded about an approval request."""
        event = asyncio.Event()
        self._waiting[approval_id].add(event)
        try:
            yield event
        finally:
            self._waiting[approval_id].discard(event)
            if not self._waiting[approval_id]:
                del self._waiting[approval_id]

    def end(self) -> None:
        """End all streams, and wake all waiting requests: the server stops, and would wait for them."""
        self.has_ended = True
        self._moved.set()
        for events in self._waiting.values():
            for event in events:
                event.set()

    async def follow(self, after: int | None, idle_seconds: float) -> AsyncIterator[StoredRecord | None]:
        """Yield every record after one as it is written, and None whenever there was none for `idle_seconds`.

        It ends when the server stops.
        """
        self._followers += 1
        try:
            at = await asyncio.to_thread(self._end) if after is None else after
            while not self.has_ended:
                moved = self._moved
                found = await self._after(at)
                for line in found:
                    yield line
                if found:
                    at = found[-1].record.seq
                    continue
                if not await wait_for_event(moved, idle_seconds):
                    yield None
        finally:
            self._followers -= 1

    async def _after(self, at: int) -> list[StoredRecord]:
        if at >= self._from:
            return list(dropwhile(lambda line: line.record.seq <= at, self._recent))
        return await asyncio.to_thread(read_page, self._journal.database, RecordFilter(), after=at)


def _wake(loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed
        loop.call_soon_threadsafe(event.set)

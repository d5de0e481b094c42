"""The feed: what is recorded, as it is recorded, by whichever server; read once for everybody who follows."""

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
from interlock.server.patience import heard

#: How often a server looks whether another one has written, and the least time between two looks.
LOOK_SECONDS, PAUSE_SECONDS = 0.25, 0.05
#: So many of the newest records are kept in mind for those who follow.
KEPT = 2_000
_LOG = logging.getLogger("interlock.server")


class Feed:
    """Follows the chain, and wakes whoever waits for something in it."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._written = asyncio.Event()
        self._moved = asyncio.Event()
        self._lines: deque[StoredRecord] = deque(maxlen=KEPT)
        self._from = 0  # the record before the first one in mind
        self._waiting: dict[str, set[asyncio.Event]] = defaultdict(set)
        self._followers = 0
        self.seq = 0

    async def run(self) -> None:
        """Follow, until cancelled."""
        loop = asyncio.get_running_loop()
        self.seq = self._from = await asyncio.to_thread(self._end)
        self._journal.on_write = lambda _seq: _wake(loop, self._written)
        try:
            while True:
                await heard(self._written, LOOK_SECONDS)
                self._written.clear()
                try:
                    await self._look()
                except Exception as error:  # nobody would notice a feed that has stopped
                    ours = isinstance(error, InterlockError)
                    _LOG.warning("the chain cannot be followed: %s", error, exc_info=None if ours else error)
                    await asyncio.sleep(1)
                await asyncio.sleep(PAUSE_SECONDS)
        finally:
            self._journal.on_write = None

    def _end(self) -> int:
        with self._journal.database.read() as connection:
            return read_head(connection).seq

    async def _look(self) -> None:
        end = await asyncio.to_thread(self._end)
        if end <= self.seq:
            return
        if self._waiting:
            for approval_id in await asyncio.to_thread(self._touched, self.seq, end):
                for event in self._waiting.get(approval_id, ()):
                    event.set()
        if self._followers:
            after = max(self.seq, end - KEPT)
            found = await asyncio.to_thread(read_page, self._journal.database, RecordFilter(), after=after, limit=KEPT)
            self._remember(found, end)
        else:
            self._lines.clear()
            self._from = end
        self.seq = end
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()

    def _remember(self, found: list[StoredRecord], end: int) -> None:
        if self._lines and found and found[0].record.seq != self._lines[-1].record.seq + 1:
            self._lines.clear()
        if not self._lines:
            self._from = found[0].record.seq - 1 if found else end
        dropped = max(0, len(self._lines) + len(found) - KEPT)
        self._lines.extend(found)
        self._from += dropped

    def _touched(self, after: int, end: int) -> set[str]:
        query = (
            "SELECT approval_id FROM interlock_records WHERE seq > :after AND seq <= :end AND approval_id IS NOT NULL"
        )
        with self._journal.database.read() as connection:
            return set(connection.values(query, after=after, end=end))

    @contextlib.contextmanager
    def about(self, approval_id: str) -> Iterator[asyncio.Event]:
        """Give an event that is set whenever something is recorded about a request from now on."""
        event = asyncio.Event()
        self._waiting[approval_id].add(event)
        try:
            yield event
        finally:
            self._waiting[approval_id].discard(event)
            if not self._waiting[approval_id]:
                del self._waiting[approval_id]

    async def follow(self, after: int | None, beat: float) -> AsyncIterator[StoredRecord | None]:
        """Yield every record after one, as they come; None each time nothing has come for a while."""
        self._followers += 1
        try:
            at = await asyncio.to_thread(self._end) if after is None else after
            while True:
                moved = self._moved
                found = await self._after(at)
                for line in found:
                    yield line
                if found:
                    at = found[-1].record.seq
                    continue
                if not await heard(moved, beat):
                    yield None
        finally:
            self._followers -= 1

    async def _after(self, at: int) -> list[StoredRecord]:
        if at >= self._from:
            return list(dropwhile(lambda line: line.record.seq <= at, self._lines))
        return await asyncio.to_thread(read_page, self._journal.database, RecordFilter(), after=at)


def _wake(loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed
        loop.call_soon_threadsafe(event.set)

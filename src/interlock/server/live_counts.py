"""Live counts: how many past actions a draft matches, counted while somebody types it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator

import msgspec

from interlock.model import Struct
from interlock.policies.policy_input import PolicyInput
from interlock.policies.simulation import Simulation, VerdictChange
from interlock.sanitise import join_lines, plain
from interlock.server.policy_simulation import MAX_SECONDS, make_draft, simulate_in_parts
from interlock.server.problems import RequestError
from interlock.server.rate_limits import RateLimiter
from interlock.server.service import Service

#: How many of the newest actions are counted.
MAX_COUNTED = 5_000
#: How many counts run at the same time, so that threads are left for other requests.
_AT_ONCE = 2


class LiveCount(Struct, frozen=True, kw_only=True):
    """A count so far. `words` says it in a sentence; `is_final` that it is complete, or was stopped."""

    words: str
    is_final: bool
    counted: int
    most: int
    matched: int
    changed: int
    newly_allowed: int
    examples: tuple[VerdictChange, ...]


class LiveCounts:
    """Runs at most one count for each reader: a new one cancels the one before."""

    def __init__(self) -> None:
        self._running: dict[str, threading.Event] = {}
        self._limiter = RateLimiter(2, 8)
        self._places = asyncio.Semaphore(_AT_ONCE)

    def begin(self, reader: str) -> threading.Event:
        """Cancel the reader's last count; return what cancels the new one. Raise if there were too many."""
        seconds = self._limiter.take(reader)
        if seconds:
            raise RequestError(429, "too many counts; wait a moment", {"retry-after": str(int(seconds) + 1)})
        if earlier := self._running.pop(reader, None):
            earlier.set()
        cancelled = self._running[reader] = threading.Event()
        return cancelled

    async def follow(
        self, service: Service, given: PolicyInput, reader: str, cancelled: threading.Event
    ) -> AsyncIterator[bytes]:
        """Yield the count so far as lines of JSON, until it is complete, cancelled, or out of time."""
        try:
            async with self._places:
                parts = _count(service, given, cancelled.is_set)
                while (found := await asyncio.to_thread(next, parts, None)) is not None:
                    if cancelled.is_set():
                        return
                    yield msgspec.json.encode(found) + b"\n"
        finally:
            cancelled.set()
            if self._running.get(reader) is cancelled:
                del self._running[reader]


def _count(service: Service, given: PolicyInput, is_cancelled: Callable[[], bool]) -> Iterator[LiveCount]:
    """Yield the count of a draft so far. A draft that is switched off is counted as if it were on."""
    draft = make_draft(msgspec.structs.replace(given, enabled=True), limit=MAX_COUNTED)
    end = time.monotonic() + MAX_SECONDS
    total = Simulation()
    for total in simulate_in_parts(service, draft, lambda: is_cancelled() or time.monotonic() > end):
        yield _live_count(total, describe_count(total, given), is_final=False)
    stopped = f" Counting stopped after {MAX_SECONDS:g} seconds." if time.monotonic() > end else ""
    yield _live_count(total, describe_count(total, given) + stopped, is_final=True)


def _live_count(found: Simulation, words: str, *, is_final: bool) -> LiveCount:
    return LiveCount(
        words=words,
        is_final=is_final,
        counted=found.actions,
        most=MAX_COUNTED,
        matched=found.matched,
        changed=found.changed,
        newly_allowed=found.newly_allowed,
        examples=tuple(map(_make_printable, found.matching)),
    )


def _make_printable(example: VerdictChange) -> VerdictChange:
    """Return an example with everything in its texts made visible."""
    text, tool, because = plain(join_lines(example.text)), plain(example.tool_name), plain(example.because)
    return msgspec.structs.replace(example, text=text, tool_name=tool, because=because)


_UNTESTED = "their records lack a field that this policy reads"


def describe_count(found: Simulation, given: PolicyInput) -> str:
    """Return a count in a sentence or two."""
    if not found.actions:
        return "There are no past actions yet."
    if found.unknown == found.actions:
        return f"None of the last {found.actions:,} actions could be tested: {_UNTESTED}."
    past = "the last action" if found.actions == 1 else f"the last {found.actions:,} actions"
    words = f"{'Would match' if not given.enabled else 'Matches'} {found.matched:,} of {past}"
    if found.changed:
        words += f" and changes {found.changed:,} verdict{'' if found.changed == 1 else 's'}"
    words += "." if found.changed or not found.matched else "; no verdict changes."
    if found.newly_allowed:
        words += f" {found.newly_allowed:,} would be newly allowed."
    if found.unknown:
        words += f" {found.unknown:,} could not be tested: {_UNTESTED}."
    return words

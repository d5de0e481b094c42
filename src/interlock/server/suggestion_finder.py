"""The suggestions of a server: found in the background, and kept until something that they rest on changes."""

from __future__ import annotations

import asyncio
import contextlib
import threading

import msgspec

from interlock.errors import MissingError
from interlock.gate.gate import Gate
from interlock.learning.suggestion import Suggestion
from interlock.learning.suggestion_search import find_suggestions
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.server.single_flight import SingleFlight
from interlock.store.clock import MICROSECONDS, now

#: How old suggestions may be while no answer, grant or policy has changed, and how long a page waits for new ones.
MAX_AGE = 600 * MICROSECONDS
SEARCH_SECONDS = 0.1
#: The records after which there may be other suggestions.
_KINDS = (
    "approval.approved approval.rejected grant.made grant.revoked grant.restored policy.saved policy.removed "
    "suggestion.accepted suggestion.dismissed suggestion.restored"
).split()
_NEWEST = " UNION ALL ".join(f"SELECT max(seq) AS seq FROM interlock_records WHERE kind = '{kind}'" for kind in _KINDS)


class FoundSuggestions(Struct, frozen=True, kw_only=True):
    """The suggestions that were found at a time, up to a record."""

    items: tuple[Suggestion, ...]
    found_at: int
    newest: int


class SuggestionFinder:
    """Finds suggestions one search at a time; pages show the last ones meanwhile."""

    def __init__(self, gate: Gate) -> None:
        self._gate, self._lock = gate, threading.Lock()
        self._flight: SingleFlight[FoundSuggestions] = SingleFlight()
        self.last: FoundSuggestions | None = None

    def refresh(self) -> FoundSuggestions:
        """Return the current suggestions, after a search if something has changed."""
        with self._lock:
            newest, at = self._newest_record(), now().wall
            last = self.last
            if last is None or last.newest != newest or at - last.found_at > MAX_AGE:
                gate = self._gate
                found = find_suggestions(gate.journal.database, gate.engine.policies, gate.config)
                last = self.last = FoundSuggestions(items=tuple(found), found_at=at, newest=newest)
            return last

    async def search(self) -> FoundSuggestions:
        """Return the current suggestions. All who wait for them share one search, and one thread."""
        return await self._flight.run("", lambda: asyncio.to_thread(self.refresh))

    async def search_briefly(self) -> FoundSuggestions | None:
        """Return the current suggestions, or the last ones if the search takes long: it goes on meanwhile."""
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(self.search(), SEARCH_SECONDS)
        return self.last

    async def get(self, suggestion_id: str) -> Suggestion:
        """Return a suggestion by its complete id, or raise."""
        found = self.last or await self.search()
        for one in found.items:
            if one.suggestion_id == suggestion_id:
                return one
        name = plain(suggestion_id)[:40]
        raise MissingError(f"there is no suggestion `{name}`; it may have been answered or withdrawn")

    def forget(self, suggestion_id: str) -> None:
        """Leave out a suggestion that was answered, until the next search."""
        last = self.last
        if last is not None:
            rest = tuple(one for one in last.items if one.suggestion_id != suggestion_id)
            self.last = msgspec.structs.replace(last, items=rest)

    def _newest_record(self) -> int:
        with self._gate.journal.database.read() as connection:
            return max((seq for seq in connection.values(_NEWEST) if seq is not None), default=0)

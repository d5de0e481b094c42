"""The baselines of agents that policies compare actions with, read from the store when a policy uses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from interlock.audit.journal import Journal
from interlock.errors import StoreError, TamperedError
from interlock.policy.drift import RATE, Baseline
from interlock.store.clock import now_in

if TYPE_CHECKING:
    from interlock.baseline.rate import RecentActions
    from interlock.baseline.read import UsualBehaviour

#: How many agents are kept in memory, and how many records a decision counts at most before its baseline is read.
MAX_KEPT, MAX_COUNTED = 500, 8_000


class Baselines:
    """Finds the baselines of agents. Each is read once a day, because it covers whole days before today."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, tuple[str, ...]], UsualBehaviour] = {}
        self._recent: RecentActions | None = None

    def find(self, journal: Journal, agent_id: str | None, fields: tuple[str, ...]) -> Baseline | None:
        """Return the part of an agent's baseline that policies use; None if the store cannot be read.

        An action without an agent has no baseline: everything it does counts as new.
        """
        if not agent_id:
            return Baseline(fields)
        try:
            usual, recent = self._read(journal, agent_id, fields)
        except TamperedError:
            raise
        except StoreError:
            return None
        if not usual.baseline.known or RATE not in fields:
            return usual.baseline
        return msgspec.structs.replace(usual.baseline, rate=round((recent + 1) / usual.usual, 3))

    def reset_lock(self) -> None:
        """Replace a lock that the parent of a forked process may have held."""
        if self._recent is not None:
            self._recent.reset_lock()

    def _read(self, journal: Journal, agent_id: str, fields: tuple[str, ...]) -> tuple[UsualBehaviour, int]:
        """Return the usual behaviour of an agent, and how many actions it tried in the last hour."""
        from interlock.baseline.count import DAY

        with journal.database.read() as connection:
            at = now_in(connection).wall
            recent = self._count_recent().count(connection, agent_id, at) if RATE in fields else 0
        day, key = at - at % DAY, (agent_id, fields)
        kept = self._kept.get(key)
        if kept is None or kept.day != day:
            kept = self._load(journal, agent_id, day, fields)
        return kept, recent

    def _load(self, journal: Journal, agent_id: str, day: int, fields: tuple[str, ...]) -> UsualBehaviour:
        from interlock.baseline.count import count_executed_actions
        from interlock.baseline.read import UsualBehaviour, read_behaviour

        if not count_executed_actions(journal, MAX_COUNTED):
            return UsualBehaviour(day, Baseline(fields), 0.0)  # the next decision counts on
        with journal.database.read() as connection:
            found = read_behaviour(connection, agent_id, day, fields)
        if len(self._kept) >= MAX_KEPT:
            self._kept = {}
        self._kept[agent_id, fields] = found
        return found

    def _count_recent(self) -> RecentActions:
        if self._recent is None:
            from interlock.baseline.rate import RecentActions

            self._recent = RecentActions()
        return self._recent

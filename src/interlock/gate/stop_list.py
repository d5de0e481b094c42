"""The stops and pauses in force. The transaction that records a decision reads them, so that none is missed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from interlock.audit.chain import Transaction
from interlock.store.clock import now

if TYPE_CHECKING:
    from interlock.audit.stops import Stop
    from interlock.gate.decision_record import DecisionRecord

#: Whether anything is stopped or paused.
ANY_STOP = "SELECT 1 FROM interlock_stops WHERE lifted_at IS NULL LIMIT 1"


class StopFinder:
    """Finds the stop or pause that refuses an action.

    Every transaction that allows an action reads the stops. The chain's lock orders it before or after the transaction
    that adds or lifts a stop, in any process. While the store is unavailable, the last known stops apply.
    """

    def __init__(self) -> None:
        self._known: Sequence[Stop] = ()

    def read(self, transaction: Transaction) -> Sequence[Stop]:
        """Return the stops and pauses in force."""
        if transaction.stops is None and not transaction.connection.values(ANY_STOP):
            transaction.stops = ()  # the usual case, which imports nothing more
        if transaction.stops == ():
            self._known = ()
        else:
            from interlock.audit.stops import read_stops

            self._known = read_stops(transaction)
        return self._known

    def find(self, transaction: Transaction, record: DecisionRecord) -> Stop | None:
        """Return the stop that refuses the action that this transaction records, or None."""
        return _find(self.read(transaction), record)

    def find_last_read(self, record: DecisionRecord) -> Stop | None:
        """Return the stop that refused an action when the store was last read, or None."""
        at = now().wall
        return _find([stop for stop in self._known if not stop.is_over(at)], record)


def _find(active: Sequence[Stop], record: DecisionRecord) -> Stop | None:
    if not active:
        return None
    from interlock.audit.stops import find_strictest

    agents = record.agent_id, record.run.agent_id
    return find_strictest(stop for stop in active if stop.covers(agents, record.key_id))

"""Track the writes of other servers to a PostgreSQL store."""

from __future__ import annotations

from interlock.audit.chain import Head, Transaction
from interlock.audit.journal import ForeignWrites

#: How many runs are remembered. A forgotten one counts as written by another process.
MAX_RUNS = 20_000


class ServerWrites(ForeignWrites):
    """Counts writes of other processes for the policies and for each run on its own, by their newest records."""

    def __init__(self) -> None:
        super().__init__()
        self._policy: int | None = None
        self._ends: dict[str, int | None] = {}  # the newest known record of each run
        self._counts: dict[str, int] = {}
        self._found = 0  # how often a run had a record that was not known here

    def revision(self, run_id: str) -> tuple[int, int]:
        """Return numbers that change when another process has changed the policies or written to a run."""
        return self.count, self._counts.get(run_id, 0)

    def note_policy(self, newest: int) -> None:
        """Set the newest known record of the policies."""
        self._policy = newest

    def note_run(self, run_id: str, newest: int | None) -> None:
        """Set the newest known record of a run."""
        known = self._ends.get(run_id)
        self._ends[run_id] = newest if known is None or newest is None else max(known, newest)

    def note(self, transaction: Transaction, trusted: Head | None) -> None:
        """Update the counts after a transaction. Without concurrent operations, it has not read the newest records."""
        del trusted
        if transaction.newest_policy is None:
            return
        self.count += transaction.newest_policy != self._policy
        self._policy = transaction.newest_policy
        if len(self._ends) > MAX_RUNS:
            self._ends.clear()
            self._counts.clear()
        for run_id, newest in transaction.newest_of_runs.items():
            if self._ends.get(run_id) != newest:
                self._found += 1
                self._counts[run_id] = self._found
        self._ends.update(transaction.ends_of_runs())

"""The history of a run, cached in memory and reloaded when another process has written to the store."""

from __future__ import annotations

import threading

import msgspec

from interlock.audit.journal import Journal
from interlock.audit.run_state import SNAPSHOT_EVERY, LoadedState, load_run_state
from interlock.errors import StoreError, TamperedError
from interlock.gate.approval_flow import RunContext
from interlock.gate.decision_record import DecisionRecord
from interlock.gate.refusals import refuse_unrecorded
from interlock.memory.state import RunState
from interlock.store.connection import Connection

_NEWEST = "SELECT max(seq) FROM interlock_records WHERE run_id = :run_id"


class RunHistory:
    """The state of one run. Threads may share it.

    `begun` is the state of a run that is not in the store yet. Its workspace also applies to a stored run without one.
    """

    def __init__(self, run_id: str, begun: RunState) -> None:
        self._run_id = run_id
        self._begun = begun
        self._state: RunState | None = None
        self._revision = (-1, -1)  # what other processes had written when the state was read
        self._decided = 0  # actions since the last snapshot
        self.reset_lock()

    def reset_lock(self) -> None:
        """Replace a lock that the parent of a forked process may have held."""
        self._lock = threading.Lock()

    @property
    def last_state(self) -> RunState:
        """The state as it was last read, or as the run began."""
        return self._state or self._begun

    @property
    def is_snapshot_due(self) -> bool:
        """Whether enough actions were decided since the last snapshot."""
        return self._decided >= SNAPSHOT_EVERY

    def is_current(self, journal: Journal) -> bool:
        """Whether the state is loaded, and no write of another process has been noticed since."""
        return self._state is not None and self._revision == journal.foreign.revision(self._run_id)

    def load(self, context: RunContext) -> RunState:
        """Return the state, read again if another process may have added to the run."""
        journal = context.journal
        with self._lock:
            if self._state is not None and (self.is_current(journal) or context.spool.is_backing_off):
                return self._state
            revision = journal.foreign.revision(self._run_id)
            try:
                loaded, newest = journal.database.read_with_retry(lambda connection: self._read(connection, journal))
                known = loaded.state if loaded.has_begun else self._begun
                workspace = loaded.state.workspace or self._begun.workspace
                named = {"user": known.user, "tenant": known.tenant, "metadata": known.metadata}
                self._state = msgspec.structs.replace(loaded.state, workspace=workspace, **named)
                self._decided, self._revision = loaded.decided, revision
                journal.foreign.note_run(self._run_id, newest)
            except StoreError as error:
                if context.config.audit.unwritable != "spool" or isinstance(error, TamperedError):
                    raise refuse_unrecorded(error, None) from error
                return self._state or self._begun
            return self._state

    def _read(self, connection: Connection, journal: Journal) -> tuple[LoadedState, int | None]:
        loaded = load_run_state(connection, self._run_id, journal.content)
        return loaded, connection.value(_NEWEST, run_id=self._run_id)

    def add_request(self, text: str) -> None:
        """Add a request of the person."""
        with self._lock:
            self._state = self.last_state.after_request(text)

    def add_run(self, record: DecisionRecord) -> None:
        """Add the downloads and written files of a call that was added earlier and has been approved since."""
        with self._lock:
            self._state = self.last_state.after_run(record.action, record.decision)

    def add(self, record: DecisionRecord, *, runs: bool) -> None:
        """Add a call, and, if it may run, its downloads and written files."""
        with self._lock:
            state = self._state or self._begun
            self._state = state.after(record.action, record.decision) if runs else state.after_refusal(record.action)
            self._decided = 0 if self.is_snapshot_due else self._decided + 1

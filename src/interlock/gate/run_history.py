"""The history of a run, cached in memory and reloaded when another process or session has added to the run."""

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


class RunWrites:
    """Counts what the sessions of one run in this process have added to it, so that each notices the others."""

    def __init__(self) -> None:
        self.count = 0
        self.reset_lock()

    def reset_lock(self) -> None:
        """Replace a lock that the parent of a forked process may have held."""
        self._lock = threading.Lock()

    def add(self, seen: int) -> int:
        """Count a write of a session that has seen so many; return how many it has seen now."""
        with self._lock:
            self.count += 1
            return self.count if seen == self.count - 1 else seen


class RunHistory:
    """The state of one run. Threads may share it.

    `begun` is the state of a run that is not in the store yet. Its workspace also applies to a stored run without one.
    `is_new`: the run's id was created here, so nothing is in the store.
    """

    def __init__(self, run_id: str, begun: RunState, writes: RunWrites, *, is_new: bool = False) -> None:
        self._run_id = run_id
        self._begun = begun
        self._is_new = is_new
        self._writes, self._seen = writes, writes.count if is_new else -1  # how many writes are in the state
        self._state: RunState | None = None
        self._revision = (-1, -1)  # what other processes had written when the state was read
        self._decided = 0  # actions since the last snapshot
        self.reset_lock()

    def reset_lock(self) -> None:
        """Replace the locks that the parent of a forked process may have held."""
        self._lock = threading.Lock()
        self._writes.reset_lock()

    @property
    def last_state(self) -> RunState:
        """The state as it was last read, or as the run began."""
        return self._state or self._begun

    @property
    def is_snapshot_due(self) -> bool:
        """Whether enough actions were decided since the last snapshot."""
        return self._decided >= SNAPSHOT_EVERY

    def is_current(self, journal: Journal) -> bool:
        """Whether the state is loaded, and no write of another process or session has been noticed since."""
        known = self._state is not None and self._seen == self._writes.count
        return known and self._revision == journal.foreign.revision(self._run_id)

    @property
    def is_own(self) -> bool:
        """Whether nobody else can have added to the run: it is new, and no other session of this process has."""
        return self._is_new and self._seen == self._writes.count

    def load(self, context: RunContext) -> RunState:
        """Return the state, read again if another process or session may have added to the run."""
        journal = context.journal
        with self._lock:
            if self._state is not None and (self.is_current(journal) or context.spool.is_backing_off):
                return self._state
            revision, seen = journal.foreign.revision(self._run_id), self._writes.count
            try:
                loaded, newest = journal.database.read_with_retry(lambda connection: self._read(connection, journal))
                known = loaded.state if loaded.has_begun else self._begun
                workspace = loaded.state.workspace or self._begun.workspace
                named = {"user": known.user, "tenant": known.tenant, "metadata": known.metadata}
                self._state = msgspec.structs.replace(loaded.state, workspace=workspace, **named)
                self._decided, self._revision, self._seen = loaded.decided, revision, seen
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
            self._set(self.last_state.after_request(text))

    def add_run(self, record: DecisionRecord) -> None:
        """Add the downloads and written files of a call that was added earlier and has been approved since."""
        with self._lock:
            self._set(self.last_state.after_run(record.action, record.decision, record.changes))

    def add(self, record: DecisionRecord, *, runs: bool, in_snapshot: bool = False) -> None:
        """Add a call, and, if it may run, its downloads and written files.

        `in_snapshot`: a snapshot of the state was recorded with it.
        """
        with self._lock:
            state, action = self.last_state, record.action
            self._set(state.after(action, record.decision, record.changes) if runs else state.after_refusal(action))
            self._decided = 0 if in_snapshot else self._decided + 1

    def _set(self, state: RunState) -> None:
        self._state, self._seen = state, self._writes.add(self._seen)

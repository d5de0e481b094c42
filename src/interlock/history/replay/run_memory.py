"""The memory of a run, rebuilt from its records: actions that ran are added, and refused ones only counted.

What an action changed is read from its record where that is certain to be the same, and found again elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from interlock.audit.record import Record
from interlock.history.replay.recorded_action import MARKS, has_marks
from interlock.levels import Verdict
from interlock.memory.changes import find_changes
from interlock.memory.decode import read_changes, read_state
from interlock.memory.model import ANY_TAG, NO_CHANGES
from interlock.memory.state import RunState, add_downloads, count_call, trim_written
from interlock.memory.written_files.forgotten_paths import add_paths
from interlock.model import Action, Decision, WrittenFile

#: How many earlier states are kept, for actions that were decided at the same time; and actions that wait.
MAX_RECENT, MAX_WAITING = 64, 1_000
_ALLOWED = frozenset(verdict.value for verdict in Verdict if verdict.rank <= Verdict.WARN.rank)
#: Records that say that an action ran which had needed an approval.
_RAN = frozenset({"bypass", "asked", "grant.used", "approval.used", "download", "written", "memory"})


class RepeatedAction(msgspec.Struct, frozen=True):
    """An action that was decided again.

    `is_exact` says that its whole input was recorded, and `same_assessment` that this set-up assesses it as the one
    that recorded it, so that it changes what it changed then.
    """

    action: Action
    decision: Decision
    is_exact: bool
    same_assessment: bool


class ReplayMemory:
    """What one run has done so far. `is_exact` is false once something ran whose input was not fully recorded."""

    def __init__(self) -> None:
        self.state = RunState()
        self.is_exact = True
        self._has_begun = False
        self._recent: dict[int, RunState] = {}
        self._waiting: dict[str, RepeatedAction] = {}  # decided and not run yet, by digest
        self._last: tuple[object, RepeatedAction] | None = None  # the last one that ran, if its changes are on record
        self._unread: set[str] = set()  # digests of actions whose input is not known: their records tell the rest

    def add(self, record: Record) -> None:
        """Add the information in a record other than a decision."""
        if record.kind in _RAN and record.digest in self._waiting:
            self._run_later(str(record.digest))
        read = _READERS.get(record.kind)
        if read is not None:
            read(self, record)

    def at(self, record: Record) -> tuple[RunState, bool]:
        """Return the state that an action was decided with, and whether others were decided at the same time."""
        call = record.data.get("call")
        if not isinstance(call, int) or "setup" not in record.data or call - 1 == self.state.count:
            return self.state, False
        if not self._has_begun and call - 1 > self.state.count:
            self._begin_late(call - 1)
            return self.state, False
        return self._recent.get(call - 1, self.state), True

    def add_decision(self, record: Record, repeated: RepeatedAction) -> None:
        """Add a decided action: it ran if its recorded verdict allowed it, and else if a later record says so."""
        self._has_begun = True
        self._set(self.state.after_refusal(repeated.action))
        if record.outcome in _ALLOWED:
            self._run(repeated, record.digest)
        elif record.outcome == Verdict.REQUIRE_APPROVAL.value and record.digest:
            if len(self._waiting) >= MAX_WAITING:
                del self._waiting[next(iter(self._waiting))]
            self._waiting[record.digest] = repeated

    def add_unread(self, record: Record) -> None:
        """Add an action without a recorded input, by the records that follow it."""
        self._has_begun = True
        self._set(msgspec.structs.replace(self.state, calls=count_call(self.state.calls, record.name or "")))
        self.is_exact = False
        if record.digest:
            self._unread.add(record.digest)

    def _set(self, state: RunState) -> None:
        self._recent[self.state.count] = self.state
        if len(self._recent) > MAX_RECENT:
            del self._recent[next(iter(self._recent))]
        self.state = state

    def _run(self, repeated: RepeatedAction, digest: str | None) -> None:
        """Add what an action changed; if that is on record, the record follows, unless it changed nothing."""
        changes = NO_CHANGES if repeated.same_assessment else None
        self.state = self.state.after_run(repeated.action, repeated.decision, changes)
        self.is_exact = self.is_exact and repeated.is_exact
        self._last = (digest, repeated) if repeated.same_assessment else None

    def _run_later(self, digest: str) -> None:
        self._run(self._waiting.pop(digest), digest)

    def _begin_late(self, count: int) -> None:
        """Begin with a run whose first records are not in this history."""
        self._has_begun, self.is_exact = True, False
        self.state = msgspec.structs.replace(self.state, calls={"": count})

    def _start(self, record: Record) -> None:
        self._has_begun = True
        given = {name: record.data[name] for name in ("user", "tenant", "metadata") if name in record.data}
        self.state = msgspec.structs.replace(self.state, **given)
        self.is_exact = self.is_exact and not has_marks(given)

    def _ask(self, record: Record) -> None:
        self.state = self.state.after_request(str(record.data.get("text", "")))

    def _download(self, record: Record) -> None:
        if record.digest in self._unread:
            names = [record.name or ""]
            self.state = msgspec.structs.replace(self.state, downloaded=add_downloads(self.state.downloaded, names))

    def _write(self, record: Record) -> None:
        if record.digest in self._unread:
            files = {**self.state.written, str(record.data["path"]): _unread_file(record.data)}
            written, dropped = trim_written(files)
            forgotten = add_paths(self.state.forgotten, dropped)
            self.state = msgspec.structs.replace(self.state, written=written, forgotten=forgotten)

    def _change(self, record: Record) -> None:
        if record.name == "snapshot" and not self._has_begun:
            self._restore(record.data["state"])
        elif record.name == "changes" and record.digest in self._unread:
            self.state = self.state.after_changes(read_changes(record.data))
        elif record.name == "changes" and self._last is not None and self._last[0] == record.digest:
            (_, repeated), self._last = self._last, None
            changes = find_changes(repeated.action, repeated.decision) if _is_masked(record.data) else None
            self.state = self.state.after_changes(changes or read_changes(record.data))

    def _restore(self, data: Mapping[str, Any]) -> None:
        """Begin with a snapshot, if the first records of a run are not in this history."""
        written = {path: _unread_file(file) for path, file in data.get("written", {}).items()}
        self.state = msgspec.structs.replace(read_state(data), written=written)
        self._has_begun, self.is_exact = True, False


def _is_masked(data: Mapping[str, Any]) -> bool:
    """Whether the record of changes is not all of them, because of a secret in them or their length."""
    text = msgspec.json.encode(data).decode()
    return any(mark in text for mark in MARKS) or ANY_TAG in data.get("tags", ())


def _unread_file(data: Mapping[str, Any]) -> WrittenFile:
    """Return a written file without a recorded text."""
    return WrittenFile(None, "changed" if data["digest"] else data["state"], frozenset(data.get("marks", ())))


_READERS: dict[str, Callable[[ReplayMemory, Record], None]] = {
    "run.started": ReplayMemory._start,
    "request": ReplayMemory._ask,
    "download": ReplayMemory._download,
    "written": ReplayMemory._write,
    "memory": ReplayMemory._change,
}

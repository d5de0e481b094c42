"""The memory of a run, rebuilt from its records: actions that ran are added, and refused ones only counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from interlock.audit.record import Record
from interlock.history.replay.recorded_action import has_marks
from interlock.levels import Verdict
from interlock.memory.decode import read_changes, read_state
from interlock.memory.state import RunState, add_downloads, count_call, trim_written
from interlock.memory.written_files.forgotten_paths import add_paths
from interlock.model import Action, Decision, WrittenFile

#: How many earlier states are kept, for actions that were decided at the same time; and actions that wait.
MAX_RECENT, MAX_WAITING = 64, 1_000
_ALLOWED = frozenset(verdict.value for verdict in Verdict if verdict.rank <= Verdict.WARN.rank)
#: Records that say that an action ran which had needed an approval.
_RAN = frozenset({"bypass", "asked", "grant.used", "approval.used", "download", "written", "memory"})


class ReplayMemory:
    """What one run has done so far. `is_exact` is false once something ran whose input was not fully recorded."""

    def __init__(self) -> None:
        self.state = RunState()
        self.is_exact = True
        self._has_begun = False
        self._recent: dict[int, RunState] = {}
        self._waiting: dict[str, tuple[Action, Decision, bool]] = {}  # decided and not run yet, by digest
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

    def add_decision(self, record: Record, action: Action, decision: Decision, *, is_exact: bool) -> None:
        """Add a decided action: it ran if its recorded verdict allowed it, and else if a later record says so."""
        self._has_begun = True
        self._set(self.state.after_refusal(action))
        if record.outcome in _ALLOWED:
            self._run(action, decision, is_exact=is_exact)
        elif record.outcome == Verdict.REQUIRE_APPROVAL.value and record.digest:
            if len(self._waiting) >= MAX_WAITING:
                del self._waiting[next(iter(self._waiting))]
            self._waiting[record.digest] = action, decision, is_exact

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

    def _run(self, action: Action, decision: Decision, *, is_exact: bool) -> None:
        self.state = self.state.after_run(action, decision)
        self.is_exact = self.is_exact and is_exact

    def _run_later(self, digest: str) -> None:
        action, decision, is_exact = self._waiting.pop(digest)
        self._run(action, decision, is_exact=is_exact)

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

    def _restore(self, data: Mapping[str, Any]) -> None:
        """Begin with a snapshot, if the first records of a run are not in this history."""
        written = {path: _unread_file(file) for path, file in data.get("written", {}).items()}
        self.state = msgspec.structs.replace(read_state(data), written=written)
        self._has_begun, self.is_exact = True, False


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

"""The runs that are open in this process: the current one, and the one that a tool call belongs to."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from interlock.model import Action, Decision, RunDetails

if TYPE_CHECKING:
    from interlock.gate.approval_flow import Outcome


class OpenRun(Protocol):
    """An open run, in a local store or at a server."""

    @property
    def run_id(self) -> str:
        """The id of the run."""

    @property
    def details(self) -> RunDetails:
        """The user, tenant and metadata of the run."""

    @property
    def person_requests(self) -> tuple[str, ...]:
        """The requests of the person behind the run, as recorded."""

    def decide(self, action: Action) -> Decision:
        """Decide and record, without opening a request."""

    def check(self, action: Action, stop: threading.Event | None = None) -> Outcome:
        """Return once the action may run, or raise. Setting `stop` cancels its request."""

    def add_person_request(self, text: str) -> str:
        """Record a request of the person behind the run; return the recorded text, empty if none is recorded."""


AnyRun = TypeVar("AnyRun", bound=OpenRun)


class OpenRuns(Generic[AnyRun]):
    """The open runs of one gate. Threads may share it; each thread and task has its own current run."""

    def __init__(self) -> None:
        self._current: ContextVar[AnyRun | None] = ContextVar("interlock_run", default=None)
        self._calling: ContextVar[AnyRun | None] = ContextVar("interlock_calling_run", default=None)
        self._open: list[AnyRun] = []

    @property
    def current(self) -> AnyRun | None:
        """The run whose `with` block this code is in, if any."""
        return self._current.get()

    def list(self) -> list[AnyRun]:
        """Return the open runs of all threads."""
        return list(self._open)

    @contextlib.contextmanager
    def enter(self, session: AnyRun) -> Iterator[None]:
        """Make a run the current one inside the `with` block."""
        token = self._current.set(session)
        self._open.append(session)
        try:
            with self.mark_call(session):
                yield
        finally:
            self._current.reset(token)
            self._open.remove(session)

    @contextlib.contextmanager
    def mark_call(self, session: AnyRun) -> Iterator[None]:
        """Mark the `with` block as a tool call of a run: runs that begin inside it are its children."""
        token = self._calling.set(session)
        try:
            yield
        finally:
            self._calling.reset(token)

    def find_parent(self, run_id: str) -> AnyRun | None:
        """Return the run that a run begins in, or None."""
        parent = self._calling.get()
        return None if parent is None or parent.run_id == run_id else parent

    def find_parent_requests(self, run_id: str) -> tuple[str, ...]:
        """Return the requests of the person behind the parent of a run."""
        parent = self.find_parent(run_id)
        return () if parent is None else parent.person_requests

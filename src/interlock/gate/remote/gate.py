"""`Gate(url, key=…)`: a gate that decides, approves and records at an Interlock server."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NoReturn

import msgspec

from interlock.audit.run_details import check_details, inherit
from interlock.audit.runs import Run
from interlock.errors import ActionRefused, ConfigError, ServerError
from interlock.event_loops import is_in_loop, run_in_own_thread
from interlock.gate.approval_flow import Outcome
from interlock.gate.call_outcome import CallOutcome
from interlock.gate.gate import Gate
from interlock.gate.open_runs import OpenRuns
from interlock.gate.remote.address import RemoteOptions, ServerAddress
from interlock.gate.remote.api import ServerApi
from interlock.gate.remote.checks import check_in, decide_in
from interlock.gate.remote.messages import CallerAnswer, digest_at
from interlock.gate.remote.outcomes import OutcomeReports
from interlock.gate.remote.preview_cache import PreviewCache
from interlock.gate.remote.refusals import RETRY_ADVICE
from interlock.gate.remote.session import RemoteSession
from interlock.gate.sessions import MAX_SESSIONS
from interlock.ids import new_id
from interlock.model import NO_DETAILS, Action, Decision, RunDetails
from interlock.policy.pins import NO_PINS, Pins


class RemoteGate(Gate):
    """A gate at a server. It has no store: attributes that need one raise `AttributeError`."""

    def __init__(
        self,
        config: object = None,
        *,
        key: str | None = None,
        options: RemoteOptions = RemoteOptions(),  # noqa: B008 - it never changes
        **others: object,
    ) -> None:
        name = next((name for name, value in others.items() if value is not None), None)
        if name is not None:
            raise ConfigError(f"`{name}` cannot be combined with the URL of a server, which has its own")
        address = ServerAddress(None if config is None else str(config), key, options)
        self.api = ServerApi(address, options)
        self._reports = OutcomeReports(self.api)
        self.previews = PreviewCache()
        self._remote_runs: OpenRuns[RemoteSession] = OpenRuns()
        self._default_runs: OrderedDict[tuple[str | None, ...], RemoteSession] = OrderedDict()
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<Gate at {self.api.address.url}>"

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a remote gate has no `{name}`; use the pages or the API of the server")

    def close(self) -> None:
        """Send the queued reports, end the runs that this gate began, and close the connections."""
        with self._lock:
            sessions, self._default_runs = list(self._default_runs.values()), OrderedDict()
        self._reports.flush()
        for session in sessions:
            session.end()
        self.api.close()

    # deciding

    def decide(self, action: Action) -> Decision:
        """Decide and record, without opening a request."""
        return decide_in(self._sessions(action), self.with_agent_name(action))

    def check(self, action: Action) -> Outcome:
        """Return once the action may run, waiting for an approval if it needs one; else raise `ActionRefused`."""
        return check_in(self._sessions(action), self.with_agent_name(action))

    async def acheck(self, action: Action) -> Outcome:
        """Like `check`, without blocking the event loop. Cancelling it cancels the request."""
        stop = threading.Event()
        try:
            return await run_in_own_thread(lambda: check_in(self._sessions(action), self.with_agent_name(action), stop))
        except BaseException:
            stop.set()  # the thread may still be waiting
            raise

    def confirm(self, outcome: Outcome, action: Action) -> None:
        """Raise unless an action is exactly the checked one: its arguments may have changed since."""
        if digest_at(self.api.address.url, self.with_agent_name(action)) != outcome.digest:
            raise ActionRefused("the action has changed since it was checked", outcome.decision, "call it again")

    def record_outcome(self, outcome: Outcome, tool: str, ended: CallOutcome) -> None:
        """Report the outcome of a checked call. This does not wait for the server."""
        self._reports.send(outcome.run_id, outcome.agent_id, tool, ended, outcome.decision_id)

    def report_outcome(self, run: Run, tool: str, ended: CallOutcome, decision_id: str) -> None:
        """Report the outcome of a call of a run. This does not wait for the server."""
        self._reports.send(run.run_id, run.agent_id, tool, ended, decision_id)

    # runs

    @contextlib.contextmanager
    def _run(
        self, agent_id: str | None, run_id: str | None, workspace: str | None, pins: Pins, details: RunDetails
    ) -> Iterator[RemoteSession]:
        """Open a run at the server. Its pins add to those of the key, which the server enforces."""
        workspaces = (workspace,) if workspace else ()
        pins = msgspec.structs.replace(pins, workspaces=workspaces, agent_id=self.agent_name(agent_id))
        session = self.open_session(run_id or new_id(), agent_id, pins, workspace, check_details(details))
        session.begin(self.find_parent_requests_of(session))
        try:
            with self._remote_runs.enter(session):
                yield session
        finally:
            self._end(session)

    def _end(self, session: RemoteSession) -> None:
        """End a run after the reports on its calls. An event loop does not wait for that."""
        if is_in_loop():
            self._reports.call(session.end)
        else:
            self._reports.flush()
            session.end()

    def open_session(
        self,
        run_id: str,
        agent_id: str | None,
        pins: Pins = NO_PINS,
        workspace: str | None = None,
        details: RunDetails = NO_DETAILS,
    ) -> RemoteSession:
        """Return a run at the server, which begins with its first action. A child inherits its parent's details."""
        parent = self._remote_runs.find_parent(run_id)
        if parent is not None:
            details = inherit(parent.details, details)
        agent, owner = self.agent_name(agent_id), self.caller.name
        return RemoteSession(self.api, run_id, agent, owner, pins, workspace, details)

    def mark_call(self, session: RemoteSession) -> AbstractContextManager[None]:  # type: ignore[override]
        """Mark the `with` block as a tool call of a run: runs that begin inside it are its children."""
        return self._remote_runs.mark_call(session)

    def find_parent_requests_of(self, session: RemoteSession) -> tuple[str, ...]:  # type: ignore[override]
        """Return the requests of the person behind the parent of a run."""
        return self._remote_runs.find_parent_requests(session.run_id)

    def _sessions(self, action: Action) -> Sequence[RemoteSession]:
        """Return the runs that an action may belong to: the one it names, the current one, or its agent's default run.

        A thread of a pool does not know the current run. While runs are open in this process, an action that names no
        run belongs to the open run that judges it most strictly.
        """
        current = self._remote_runs.current
        if action.run_id and (current is None or current.run_id != action.run_id):
            opened = [run for run in self._remote_runs.list() if run.run_id == action.run_id]
            return opened[:1] or (self.open_session(action.run_id, action.agent_id, workspace=action.workspace),)
        if current is not None:
            return (current,)
        if action.agent_id is None and (runs := self._remote_runs.list()):
            return runs
        return (self._default_run(action),)

    def _default_run(self, action: Action) -> RemoteSession:
        """Return the run of an agent's actions for a user and a tenant that name no run.

        A run that is dropped from the full cache ends at the server once it is idle.
        """
        caller = self.caller  # which may ask the server, so not under the lock
        key = action.agent_id, action.user, action.tenant
        with self._lock:
            found = self._default_runs.get(key)
            if found is None:
                agent = caller.place(action.agent_id)
                found = RemoteSession(self.api, new_id(), agent, caller.name, NO_PINS)
                self._default_runs[key] = found
            self._default_runs.move_to_end(key)
            while len(self._default_runs) > MAX_SESSIONS:
                self._default_runs.popitem(last=False)
            return found

    # the caller

    @functools.cached_property
    def caller(self) -> CallerAnswer:
        """The person and the agent that the key belongs to."""
        try:
            return self.api.get("/v1/caller", CallerAnswer)
        except ServerError as error:
            if error.status is not None and not error.again:
                raise
            raise ActionRefused(f"the decision failed: {error}", None, RETRY_ADVICE) from None

    def agent_name(self, agent_id: str | None) -> str | None:
        """Return the name under which an agent's actions are recorded: the key's own, or one below it."""
        return self.caller.place(agent_id)

    def with_agent_name(self, action: Action) -> Action:
        """Return an action with the name under which its agent is recorded."""
        if action.agent_id is None:
            return action
        return msgspec.structs.replace(action, agent_id=self.agent_name(action.agent_id))

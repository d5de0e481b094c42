"""The gate connects the engine, approvals, audit and store, for programs, hooks and servers to call."""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, overload

import msgspec

from interlock.audit.digest import action_digest
from interlock.audit.identity import machine_name, user_name
from interlock.audit.journal import Journal
from interlock.audit.keys import SigningKey, parse_key
from interlock.audit.record import Entry
from interlock.audit.runs import OPEN, Run, Runs
from interlock.audit.spool import SPOOL_RETRY_SECONDS, Spool
from interlock.config.home import own_folder
from interlock.config.live import LiveEngine
from interlock.config.schema import Config
from interlock.engine import Engine
from interlock.errors import ActionRefused, ConfigError
from interlock.gate.approval_flow import Outcome, RunContext
from interlock.gate.configuration import ActiveConfiguration
from interlock.gate.open_runs import OpenRun, OpenRuns
from interlock.gate.options import resolve_store_url, store_url
from interlock.gate.session import Session
from interlock.gate.sessions import SessionCache, SessionFactory, SessionKey
from interlock.ids import new_id
from interlock.model import NO_DETAILS, Action, Decision, RunDetails
from interlock.policy.pins import NO_PINS, Pins
from interlock.sanitise import storable_name
from interlock.scoring.command import environment_name
from interlock.store.clock import now
from interlock.store.database import Database
from interlock.store.migrate import prepare
from interlock.store.url import sqlite_url
from interlock.version import VERSION

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from interlock.approval.approver import Approver
    from interlock.approval.flow import ApprovalFlow
    from interlock.approval.grants import Grants
    from interlock.approval.repository import ApprovalRepository
    from interlock.audit.stops import Stop, StopTarget
    from interlock.gate.call_outcome import CallOutcome
    from interlock.gate.guard import AnyFunction
    from interlock.gate.remote.address import RemoteOptions
    from interlock.gate.remote.gate import RemoteGate
    from interlock.gate.retention import Retention
    from interlock.policies.repository import PolicyRepository
    from interlock.policy.policies import Policy


#: How long a gate is open before it first applies the retention. A hook ends long before that.
FIRST_ROUND_SECONDS = 600.0
#: How many threads decide at a time. They share the interpreter lock, and every one of them delays the event loop.
MAX_DECIDING = 2


class Gate:
    """Decides, asks for approvals, and records.

    `Gate("https://interlock.example", key="ilk_…")` uses a server instead of a store; see `Gate.remote`.
    `Gate()` uses the configuration of the working folder, or of `start`; `Gate.open("interlock.toml")` that of a file.
    `store` is a URL; by default it is `INTERLOCK_STORE`, the configuration's, or a SQLite file in the user's folder.
    `policies` are added to those of the configuration; with `engine`, that engine decides instead.
    `folder` holds the signing key of this machine; by default it is the user's own. `Gate.temporary()` keeps nothing:
    for tests, and for programs without durable storage.
    """

    keeps = True  # whether the records remain when the gate is closed

    def __new__(cls, config: str | Path | None = None, **_: Any) -> Gate:
        """Return a gate at a server if the first argument is its address."""
        if cls is Gate and isinstance(config, str) and "://" in config:
            from interlock.gate.remote.gate import RemoteGate

            return object.__new__(RemoteGate)  # whose `__init__` is called, since it is a gate
        return object.__new__(cls)

    def __init__(
        self,
        config: str | Path | None = None,
        *,
        store: str | None = None,
        start: str | Path | None = None,
        approver: Approver | None = None,
        policies: Iterable[Policy] = (),
        engine: Engine | None = None,
        folder: Path | None = None,
        key: str | None = None,
    ) -> None:
        if key is not None:
            raise ConfigError('`key` needs the URL of a server: `Gate("https://interlock.example", key=…)`')
        live = LiveEngine(config, start=start, policies=policies, engine=engine)
        settings = live.config
        database = Database(resolve_store_url(store_url(settings, store), start))
        prepare(database)
        folder = own_folder() if folder is None else folder
        signing = SigningKey.at(folder)
        self.journal = Journal(database, signing, folder, map(parse_key, settings.audit.keys))
        self.spool = Spool(folder, self.journal.store_id, signing)
        if settings.audit.unwritable == "spool":
            self.journal.retry_seconds = SPOOL_RETRY_SECONDS
            self.journal.database.limit_waiting(SPOOL_RETRY_SECONDS)
        self.runs = Runs(self.journal)
        self._retains_from = time.monotonic() + FIRST_ROUND_SECONDS
        self.configuration = ActiveConfiguration(live, self.journal, self.spool)
        self.sessions = SessionCache()
        self._approver: Approver = approver if approver is not None else _terminal()
        self._folder: TemporaryDirectory[str] | None = None  # of a temporary gate
        self._open_runs: OpenRuns[Session] = OpenRuns()
        self._factory = SessionFactory(self.sessions, self._open_runs, self._context, self.configuration.revision)
        self._contexts: dict[bool, RunContext] = {}  # those in force, by whether callers poll for answers
        self._turns = threading.BoundedSemaphore(MAX_DECIDING)
        self._flow: tuple[Config | None, ApprovalFlow | None] = None, None
        _GATES.add(self)
        self._record_start()

    @classmethod
    def remote(
        cls, url: str | None = None, key: str | None = None, *, options: RemoteOptions | None = None
    ) -> RemoteGate:
        """Return a gate at a server; by default at `INTERLOCK_URL`, with the key in `INTERLOCK_KEY`."""
        from interlock.gate.remote.address import RemoteOptions
        from interlock.gate.remote.gate import RemoteGate

        return RemoteGate(url, key=key, options=options or RemoteOptions())

    @classmethod
    def temporary(
        cls,
        config: str | Path | None = None,
        *,
        policies: Iterable[Policy] = (),
        engine: Engine | None = None,
        approver: Approver | None = None,
    ) -> Gate:
        """Return a gate whose store is a file in a new temporary folder, which is removed when the gate is closed.

        Everything works as with any other store; `Outcome.kept` is false.
        """
        import tempfile

        made = tempfile.TemporaryDirectory(prefix="interlock-")
        folder = Path(made.name)
        url = sqlite_url(str(folder / "interlock.db"))
        try:
            gate = cls(config, store=url, policies=policies, engine=engine, approver=approver, folder=folder)
        except BaseException:
            made.cleanup()
            raise
        gate.keeps, gate._folder = False, made
        return gate

    @classmethod
    def open(cls, config: str | Path, *, store: str | None = None) -> Gate:
        """Return the gate of a configuration file, on top of the user's own."""
        return cls(config, store=store)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the runs that this gate began, and close the store."""
        if "retention" in self.__dict__:
            self.retention.close()
        for session in self.sessions.default_sessions(user_name()):
            session.end()
        self.journal.close()
        if self._folder is not None:
            self._folder.cleanup()

    # deciding

    def decide(self, action: Action) -> Decision:
        """Decide and record, without opening a request."""
        return self.session(action).decide(action)

    def check(self, action: Action) -> Outcome:
        """Return once the action may run, asking for an approval if it needs one; else raise `ActionRefused`."""
        return self.session(action).check(action)

    async def acheck(self, action: Action) -> Outcome:
        """Like `check`, without blocking the event loop. Cancelling it cancels the request."""
        from interlock.gate.async_check import check_in_loop

        return await check_in_loop(self.session, action)

    def confirm(self, outcome: Outcome, action: Action) -> None:
        """Raise unless an action is exactly the checked one: its arguments may have changed since."""
        mine = self.session(msgspec.structs.replace(action, run_id=outcome.run_id)).complete_action(action)
        if action_digest(self.journal.store_id, mine) != outcome.digest:
            raise ActionRefused("the action has changed since it was checked", outcome.decision, "call it again")

    def record_outcome(self, outcome: Outcome, tool: str, ended: CallOutcome) -> None:
        """Record the outcome of a checked call, next to its decision. This does not wait for the store."""
        from interlock.gate.call_outcome import record_outcome

        run = Run(
            run_id=outcome.run_id,
            agent_id=outcome.agent_id,
            started_by=user_name(),
            workspace=None,
            state=OPEN,
            started_at=now().wall,
        )
        record_outcome(self.journal, self.call_spool, run, tool, ended, decision_id=outcome.decision_id)

    @property
    def call_spool(self) -> Spool | None:
        """The spool for outcomes that the store cannot take; None for a temporary gate."""
        return self.spool if self.keeps else None

    @overload
    def guard(self, function: AnyFunction, /) -> AnyFunction: ...

    @overload
    def guard(
        self, *, does: str = "", arguments: Mapping[str, str] = {}, flags: Iterable[str] = (), **more: Any
    ) -> Callable[[AnyFunction], AnyFunction]: ...

    def guard(self, function: Any = None, **given: Any) -> Any:
        """Check a function's calls before they run, and record their outcomes.

        `does` declares the effect of a call, and roles name its parameters: `@gate.guard(does="payment.send",
        amount="sum", recipient="to")`. Any other keyword sets a field of the action: `@gate.guard(tool_name="x")`.
        """
        from interlock.gate.guard import make_guard

        decorate = make_guard(self, given)
        return decorate if function is None else decorate(function)

    # approvals, policies, retention
    @property
    def approvals(self) -> ApprovalRepository:
        """The requests for approval."""
        return self.configuration.register

    @functools.cached_property
    def grants(self) -> Grants:
        """The remembered approvals."""
        from interlock.approval.grants import Grants

        return Grants(self.journal)

    @property
    def policies(self) -> PolicyRepository:
        """The policies in the store."""
        return self.configuration.policies

    @functools.cached_property
    def retention(self) -> Retention:
        """The retention, which ends idle runs and removes old records while the gate is in use."""
        from interlock.audit.stored_settings import retention_in_force
        from interlock.gate.retention import Retention

        return Retention(self.journal, lambda: retention_in_force(self.journal, self.config))

    # stops
    def stop(self, what: str | StopTarget | None = None, *, actor: str | None = None, reason: str = "") -> Stop:
        """Refuse every action of an agent and the agents below it, an API key, or all, until the stop is lifted."""
        from interlock.audit.stops import Stops

        found = Stops(self.journal).stop(_stop_target(what), actor or user_name(), reason)
        self.journal.commit(self.configuration.stops.read)  # remembered in case the store fails next
        return found

    def lift_stop(self, what: str | StopTarget | None = None, *, actor: str | None = None) -> Stop:
        """Lift the stop of an agent, of an API key, or of all."""
        from interlock.audit.stops import Stops

        found = Stops(self.journal).lift(_stop_target(what), actor or user_name())
        self.journal.commit(self.configuration.stops.read)
        return found

    def pause(
        self,
        what: str | StopTarget | None = None,
        *,
        seconds: int | None = None,
        actor: str | None = None,
        reason: str = "",
    ) -> Stop:
        """Hold every action of an agent and the agents below it, an API key, or all: for some time, or until resumed.

        Waiting callers continue once the agent is resumed; others are refused until then.
        """
        from interlock.audit.stops import Stops

        found = Stops(self.journal).pause(_stop_target(what), actor or user_name(), reason, seconds)
        self.journal.commit(self.configuration.stops.read)  # remembered in case the store fails next
        return found

    def resume(self, what: str | StopTarget | None = None, *, actor: str | None = None) -> Stop:
        """End the pause of an agent, of an API key, or of all."""
        from interlock.audit.stops import Stops

        found = Stops(self.journal).resume(_stop_target(what), actor or user_name())
        self.journal.commit(self.configuration.stops.read)
        return found

    # runs

    def run(
        self,
        agent_id: str | None = None,
        *,
        run_id: str | None = None,
        workspace: str | None = None,
        environment: str | None = None,
        home: str | None = None,
        user: str | None = None,
        tenant: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        request: str | None = None,
    ) -> AbstractContextManager[OpenRun]:
        """Open a run: actions that are decided inside the `with` block belong to it.

        Its agent, workspace, environment, home folder, user and tenant are pinned: an action that names others can only
        be judged more strictly. `metadata` is any JSON object, for policies and records. `request` is the task that the
        person gave the agent. A run inside another one inherits its user, tenant, metadata and requests.
        """
        pins = Pins(environment=environment_name(environment), home=home)
        details = RunDetails(user=user, tenant=tenant, metadata=metadata or {}, request=request)
        return self._run(agent_id, run_id, workspace, pins, details)

    @contextlib.contextmanager
    def _run(
        self, agent_id: str | None, run_id: str | None, workspace: str | None, pins: Pins, details: RunDetails
    ) -> Iterator[OpenRun]:
        key = SessionKey(user_name(), storable_name(run_id or new_id()))
        session = self._factory.open(key, agent_id, workspace, pins, details, is_new=run_id is None)
        if details != NO_DETAILS:
            from interlock.audit.run_details import check_details, check_same  # most runs have none

            check_same(key.run_id, session.details, check_details(details))
        for text in (*self.find_parent_requests_of(session), *([details.request] if details.request else [])):
            if text not in session.person_requests:
                session.add_person_request(text)
        try:
            with self._open_runs.enter(session):
                yield session
        finally:
            self.sessions.drop(key, session)
            session.end()

    def session(self, action: Action) -> Session:
        """Return the run that an action belongs to: the one it names, the current one, or its agent's default run.

        A thread of a pool does not know the current run. While runs are open in this process, an action that names no
        run belongs to the open run that judges it most strictly.
        """
        current = self._open_runs.current
        if action.run_id and (current is None or current.run_id != action.run_id):
            run_id = storable_name(action.run_id)
        elif current is not None:
            return current
        elif action.agent_id is None and (runs := self._open_runs.list()):
            return runs[0] if len(runs) == 1 else max(runs, key=lambda run: run.strictness(action))
        else:
            run_id = self.sessions.default_run_id(user_name(), action.agent_id, action.user, action.tenant)
        details = RunDetails(user=action.user, tenant=action.tenant)
        return self._factory.open(SessionKey(user_name(), run_id), action.agent_id, action.workspace, details=details)

    def session_of(
        self,
        started_by: str,
        run_id: str,
        agent_id: str | None,
        workspace: str | None,
        key: str | None = None,
        pins: Pins = NO_PINS,
        details: RunDetails = NO_DETAILS,
    ) -> Session:
        """Return the run of a caller that polls for answers, such as a client of a server.

        With `key`, the run belongs to that agent: another agent of the same user cannot join it. `pins` are those of
        the caller, and `details` those of a run that has not begun yet.
        """
        name = SessionKey(started_by, storable_name(run_id), key, resumable=True)
        return self._factory.open(name, agent_id, workspace, pins, details)

    def find_session(self, started_by: str, run_id: str, key: str | None) -> Session | None:
        """Return the session that `session_of` would return, if it is cached."""
        return self.sessions.find(SessionKey(started_by, storable_name(run_id), key, resumable=True))

    def mark_call(self, session: Session) -> AbstractContextManager[None]:
        """Mark the `with` block as a tool call of a run: runs that begin inside it are its children."""
        return self._open_runs.mark_call(session)

    def find_parent_requests_of(self, session: Session) -> tuple[str, ...]:
        """Return the requests of the person behind the parent of a run."""
        return self._open_runs.find_parent_requests(session.run_id)

    def _context(self, *, resumable: bool = False, follow: bool = True) -> RunContext:
        """Return the services and configuration of a run; `follow` first reloads a changed configuration."""
        if follow:
            self.configuration.refresh()
            if time.monotonic() > self._retains_from:
                self.retention.start_if_due()
        known, in_force = self._contexts.get(resumable), self.configuration
        if (
            known is None
            or known.engine is not in_force.engine
            or known.config is not in_force.config
            or known.approval_rules is not in_force.approval_rules
        ):
            known = self._contexts[resumable] = self._make_context(resumable=resumable)
        return known

    def _make_context(self, *, resumable: bool) -> RunContext:
        return RunContext(
            self.journal,
            self.spool,
            self.configuration.engine,
            self.configuration.config,
            self.configuration.approval_rules,
            lambda: self.approvals,
            self.approval_flow,
            self.configuration.stops,
            resumable,
            self.keeps,
            self._turns,
            self._approver.available,
            self.configuration.stamp,
            self.configuration.find_baseline,
        )

    # configuration

    @property
    def config(self) -> Config:
        """The configuration in force."""
        return self.configuration.config

    @property
    def engine(self) -> Engine:
        """The engine that decides now."""
        return self.configuration.engine

    def configuration_error(self) -> ConfigError | None:
        """Return why the newest configuration is not in force; None if it is."""
        self.configuration.expire()
        self.configuration.refresh()
        return self.configuration.error

    def approval_flow(self) -> ApprovalFlow:
        """Return the flow that takes requests to the model and to the people who can answer them."""
        config, flow = self._flow
        if flow is None or config is not self.config:
            from interlock.gate.approvers import make_flow

            config = self.config
            flow = make_flow(config, self.journal, self.approvals, self._approver)
            self._flow = config, flow
        return flow

    def _record_start(self) -> None:
        self.spool.merge(self.journal)
        data = {
            "version": VERSION,
            "store": self.journal.database.shown,
            "onePerson": self.configuration.approval_rules.one_person,
        }
        self.configuration.record_start(Entry(kind="start", at=now().wall, actor=machine_name(), data=data))

    def _reset_locks(self) -> None:
        self.configuration.reset_lock()
        self.sessions.reset_locks()
        self.__dict__.pop("retention", None)
        self._contexts = {}
        self._turns = threading.BoundedSemaphore(MAX_DECIDING)


def _stop_target(what: str | StopTarget | None) -> StopTarget:
    from interlock.audit.stops import StopTarget

    return what if isinstance(what, StopTarget) else StopTarget(what)


def _terminal() -> Approver:
    """Return the prompt at the terminal, imported only by gates that may use it."""
    from interlock.approval.terminal.terminal import Terminal

    return Terminal()


_GATES: weakref.WeakSet[Gate] = weakref.WeakSet()


def _reset_all_locks() -> None:
    for gate in list(_GATES):
        gate._reset_locks()  # no thread of a forked child would release the locks of its parent


os.register_at_fork(after_in_child=_reset_all_locks)

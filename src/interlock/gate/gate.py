"""The gate: engine, approvals, audit and store put together. What a program, a hook or a server talks to."""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar, overload

from interlock.approval.approver import Approver
from interlock.approval.flow import ApprovalFlow
from interlock.approval.grants import Grants
from interlock.approval.repository import ApprovalRepository
from interlock.approval.request import Answer, Approval
from interlock.audit.chain import Transaction
from interlock.audit.configuration import record_configuration
from interlock.audit.digest import action_digest
from interlock.audit.identity import machine_name, user_name
from interlock.audit.journal import Journal
from interlock.audit.keys import SigningKey, parse_key
from interlock.audit.record import Entry, new_id
from interlock.audit.runs import Runs
from interlock.audit.spool import SPOOL_RETRY_SECONDS, Spool
from interlock.config.live import LiveEngine
from interlock.config.schema import Config
from interlock.config.trust import own_folder
from interlock.engine import Engine
from interlock.errors import ActionRefused, ConfigError, StoreError, TamperedError
from interlock.gate.case import belonging
from interlock.gate.guard import Function, guarded
from interlock.gate.passage import Parts
from interlock.gate.session import Outcome, Session
from interlock.gate.sessions import Sessions
from interlock.gate.terms import seen_from, store_url, terms_of
from interlock.loops import in_own_thread
from interlock.model import Action, Decision
from interlock.policies.book import Book
from interlock.store.clock import now
from interlock.store.database import Database
from interlock.store.migrate import prepare
from interlock.version import VERSION

Name = TypeVar("Name", str, str | None)

#: How old may be what is known of the configuration files.
LOOK_SECONDS = 0.02
#: How many runs are kept in mind: those that actions name, and those of agents that name none.
MAX_SESSIONS = 256


def _terminal() -> Approver:
    """Return the person at the terminal. Whoever asks nobody there does not wait until it is imported."""
    from interlock.approval.terminal.terminal import Terminal

    return Terminal()


class Gate:
    """Decides, asks and remembers.

    `Gate()` follows the configuration that applies here, or in folder `start`; `Gate.open("interlock.toml")` a file.
    `store` is a URL; else it is `INTERLOCK_STORE`, the configuration's, or a SQLite file in the person's own folder.
    """

    def __init__(
        self,
        config: str | Path | None = None,
        *,
        store: str | None = None,
        start: str | Path | None = None,
        desk: Approver | None = None,
    ) -> None:
        self._live = LiveEngine(config, start=start)
        settings = self._live.config
        database = Database(seen_from(start, store_url(settings, store)))
        prepare(database)
        folder = own_folder()
        key = SigningKey.at(folder)
        self.journal = Journal(database, key, folder, map(parse_key, settings.audit.keys))
        self.spool = Spool(folder, self.journal.store_id, key)
        if settings.audit.unwritable == "spool":
            self.journal.retry_seconds = SPOOL_RETRY_SECONDS
        self.runs, self.grants, self.book = Runs(self.journal), Grants(self.journal), Book(self.journal)
        self.alone: Callable[[], bool] | None = None  # whether there is only one person, where somebody knows
        self.approvals = ApprovalRepository(self.journal, terms_of(settings, embedded=database.is_sqlite))
        self._desk: Approver = desk if desk is not None else _terminal()
        self._own: Sessions[str | None] = Sessions(MAX_SESSIONS)
        self._named: Sessions[str] = Sessions(MAX_SESSIONS)
        self._returning: Sessions[tuple[str, str | None, str]] = Sessions(MAX_SESSIONS)
        self._current: ContextVar[Session | None] = ContextVar("interlock_session", default=None)
        self._looked = 0.0
        self._policies = (0, 0)  # the newest record about a policy, and how often others had written when we looked
        self._asking: tuple[Config | None, ApprovalFlow | None] = None, None
        self._lock, self._loading = threading.Lock(), threading.Lock()
        _GATES.add(self)
        self._note_start()

    def _renew(self) -> None:
        self._lock, self._loading = threading.Lock(), threading.Lock()
        for session in (*self._own, *self._named, *self._returning):
            session.renew()

    @classmethod
    def open(cls, config: str | Path, *, store: str | None = None) -> Gate:
        """Return the gate of a configuration file, on top of the person's own."""
        return cls(config, store=store)

    def __enter__(self) -> Gate:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the runs that this gate began itself, and let the store go."""
        for session in self._own:
            session.end()
        self.journal.close()

    # deciding

    def decide(self, action: Action) -> Decision:
        """Decide and record; ask nobody, wait for nothing."""
        return self.session(action).decide(action)

    def check(self, action: Action) -> Outcome:
        """Return once the action may run, having asked where that takes it; or raise `ActionRefused`."""
        return self.session(action).check(action)

    async def acheck(self, action: Action) -> Outcome:
        """Do as `check` does, while others go on. Cancelling it takes the request back."""
        stop = threading.Event()
        session = self.session(action)
        try:
            return await in_own_thread(lambda: session.check(action, stop))
        except BaseException:
            stop.set()  # where it was cancelled, somebody still asks
            raise

    def confirm(self, outcome: Outcome, action: Action) -> None:
        """Raise unless an action is exactly the one that may run; arguments may have been changed meanwhile."""
        mine = belonging(action, self.session(action).run, self._live.config)
        if action_digest(self.journal.store_id, mine) != outcome.digest:
            raise ActionRefused("what is about to run is not what was checked", outcome.decision, "call it again")

    @overload
    def guard(self, function: Function) -> Function: ...

    @overload
    def guard(self, **fixed: Any) -> Callable[[Function], Function]: ...

    def guard(self, function: Any = None, **fixed: Any) -> Any:
        """Make a function ask before it runs. `fixed` sets fields of its action: `@gate.guard(tool_name="deploy")`."""
        return guarded(self, fixed) if function is None else guarded(self, fixed)(function)

    # runs

    @contextlib.contextmanager
    def run(
        self, agent_id: str | None = None, *, run_id: str | None = None, workspace: str | None = None
    ) -> Iterator[Session]:
        """Give a run: what is decided inside belongs to it."""
        session = self._session(run_id or new_id(), agent_id, workspace)
        with self._lock:
            session = self._named.keep(session.run_id, session)  # actions that name the run share what is known of it
        token = self._current.set(session)
        try:
            yield session
        finally:
            self._current.reset(token)
            with self._lock:
                self._named.drop(session.run_id, session)
            session.end()

    def session(self, action: Action) -> Session:
        """Return the run that an action belongs to: the one it names, the current one, or its agent's own."""
        current = self._current.get()
        if action.run_id and (current is None or current.run_id != action.run_id):
            return self._kept_session(self._named, action.run_id, action.run_id, action)
        if current is not None:
            return current
        return self._kept_session(self._own, action.agent_id, new_id(), action)

    def _kept_session(self, kept: Sessions[Name], name: Name, run_id: str, action: Action) -> Session:
        with self._lock:
            return kept.get(name) or kept.keep(name, self._session(run_id, action.agent_id, action.workspace))

    def session_of(
        self, started_by: str, run_id: str, agent_id: str | None, workspace: str | None, key: str | None = None
    ) -> Session:
        """Return the run of somebody who comes back for answers, as the clients of a server do.

        With `key`, the run is that agent's: another agent of the same person does not join it.
        """
        name, parts = (started_by, key, run_id), functools.partial(self._parts, returning=True)
        with self._lock:
            return self._returning.get(name) or self._returning.keep(
                name,
                Session(
                    parts,
                    self._quiet,
                    run_id=run_id,
                    agent_id=agent_id,
                    workspace=workspace,
                    started_by=started_by,
                    key=key,
                ),
            )

    def _session(self, run_id: str, agent_id: str | None, workspace: str | None) -> Session:
        return Session(
            self._parts, self._quiet, run_id=run_id, agent_id=agent_id, workspace=workspace, started_by=user_name()
        )

    def _quiet(self) -> int | None:
        """Return how often others have written, if there is nothing that would have to be looked at first."""
        foreign = self.journal.foreign_writes
        if self._policies[1] != foreign or self.spool.is_backing_off:
            return None
        if self._looks_due() and self._live.is_stale:
            self._looked = 0.0  # whoever has the time to load it looks again
            return None
        return foreign

    def _parts(self, *, returning: bool = False, follow: bool = True) -> Parts:
        """Return what a run works with: with `follow`, by the newest configuration that loads."""
        if follow:
            self._follow()
        config = self._live.config
        return Parts(self.journal, self.approvals, self.asking(), self.spool, self._live.engine, config, returning)

    def _follow(self) -> None:
        changed = self._follow_policies()
        if self._looks_due() and self._live.refresh():
            self.follow_terms()
            changed = True
        if changed:
            self._note_configuration()

    def follow_terms(self) -> None:
        """Go by the configuration as it is, and by how many people there are where it does not say."""
        terms = terms_of(self._live.config, embedded=self.journal.database.is_sqlite)
        if self.alone is not None and self._live.config.approvals.one_person is None:
            terms = terms._replace(one_person=self.alone())
        self.approvals.rules = terms

    def asking(self) -> ApprovalFlow:
        """Return what brings requests to whoever can answer them."""
        config, asking = self._asking
        if asking is None or config is not self._live.config:
            review = self._reviewer(self._live.config)
            asking = ApprovalFlow(self.journal, self.approvals, review=review, approver=self._desk, person=user_name())
            self._asking = self._live.config, asking
        return asking

    def _follow_policies(self) -> bool:
        """Decide by the policies that the store keeps, as they are now; return whether they had changed.

        Nobody looks while only this process has written: what it writes itself it says.
        """
        if self._policies[1] == self.journal.foreign_writes or self.spool.is_backing_off:
            return False
        try:
            return self._load_policies()
        except TamperedError:
            raise
        except StoreError:
            return False  # whoever decides next looks again

    def _load_policies(self) -> bool:
        """Take in the policies of the store, in the order in which they were written; return whether there were new."""
        with self._loading:
            foreign = self.journal.foreign_writes
            newest = self.book.newest()  # before they are read: what is written meanwhile is found the next time
            known = newest == self._policies[0]
            if not known:
                self._live.keep(self.book.kept())
            self._policies = newest, foreign
            return not known

    def policies_changed(self) -> None:
        """Take in what was just written to the book of policies."""
        self._load_policies()
        self._note_configuration()

    def trouble(self) -> ConfigError | None:
        """Return why the newest configuration is not in force; None where it is."""
        self._looked = 0.0
        self._follow()
        return self._live.error

    @property
    def config(self) -> Config:
        """The configuration in force."""
        return self._live.config

    @property
    def engine(self) -> Engine:
        """The engine that decides now."""
        return self._live.engine

    def _looks_due(self) -> bool:
        """Whether it is time to look at the configuration files again; callers that come at once share a look."""
        moment = time.monotonic()
        due = moment - self._looked > LOOK_SECONDS
        if due:
            self._looked = moment
        return due

    # what is put together

    def _reviewer(self, config: Config) -> Callable[[Approval, float | None], Answer] | None:
        settings = config.reviewer
        if settings is None:
            return None
        from interlock.approval.reviewer.review import review  # it speaks HTTP; whoever asks no model does not wait

        return lambda approval, left: review(settings, approval, deadline_seconds=left)

    def _note_start(self) -> None:
        self.spool.merge(self.journal)
        data = {
            "version": VERSION,
            "store": self.journal.database.shown,
            "onePerson": self.approvals.rules.one_person,
        }
        started = Entry(kind="start", at=now().wall, actor=machine_name(), data=data)
        try:
            self._load_policies()
        except TamperedError:
            self.journal.commit(lambda transaction: transaction.append(started))
            raise
        self._note_configuration(started)

    def _note_configuration(self, *first: Entry) -> None:
        config, engine = self._live.config, self._live.engine

        def operation(transaction: Transaction) -> None:
            for entry in first:
                transaction.append(entry)
            record_configuration(transaction, config, engine.policies, machine_name())

        self.journal.commit(operation)


_GATES: weakref.WeakSet[Gate] = weakref.WeakSet()


def _renew_all() -> None:
    for gate in list(_GATES):
        gate._renew()  # a forked child has nobody who would give the locks back


os.register_at_fork(after_in_child=_renew_all)

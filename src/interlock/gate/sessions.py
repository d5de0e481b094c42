"""The sessions of a gate: created for a run, and cached so that its history is not read again for each action."""

from __future__ import annotations

import functools
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator

import msgspec

from interlock.gate.approval_flow import RunContext
from interlock.gate.open_runs import OpenRuns
from interlock.gate.run_history import RunWrites
from interlock.gate.session import Session
from interlock.ids import new_id
from interlock.model import NO_DETAILS, RunDetails
from interlock.policy.pins import NO_PINS, Pins

MAX_SESSIONS = 256


class SessionKey(msgspec.Struct, frozen=True):
    """The key of a session: its run, who started it, and the agent whose API key it belongs to.

    `resumable` sessions belong to callers that poll for answers, such as clients of a server.
    """

    started_by: str
    run_id: str
    key: str | None = None
    resumable: bool = False


class SessionCache:
    """The most recently used sessions of runs that have not ended, at most `limit`, and all that are in use.

    A key has one session at a time. A run can have several, with different keys: they share its `RunWrites`, so that
    each reads the history again after the others have added to it.
    """

    def __init__(self, limit: int = MAX_SESSIONS) -> None:
        self.limit = limit
        self._recent: OrderedDict[SessionKey, Session] = OrderedDict()
        self._in_use: weakref.WeakValueDictionary[SessionKey, Session] = weakref.WeakValueDictionary()
        self._writes: weakref.WeakValueDictionary[str, RunWrites] = weakref.WeakValueDictionary()
        self._default_runs: OrderedDict[tuple[str | None, ...], str] = OrderedDict()
        self._lock = threading.Lock()

    def reset_locks(self) -> None:
        """Replace the locks that the parent of a forked process may have held."""
        self._lock = threading.Lock()
        for session in self:
            session.reset_lock()

    def find(self, key: SessionKey) -> Session | None:
        """Return a cached session, or None."""
        with self._lock:
            found = self._in_use.get(key)
            return None if found is None else self._keep(key, found)

    def get(self, key: SessionKey, create: Callable[[RunWrites], Session]) -> Session:
        """Return a session, created if it is not cached."""
        with self._lock:
            found = self._in_use.get(key)
            return self._keep(key, found or create(self._writes.setdefault(key.run_id, RunWrites())))

    def _keep(self, key: SessionKey, session: Session) -> Session:
        self._in_use[key] = self._recent[key] = session
        self._recent.move_to_end(key)
        while len(self._recent) > self.limit:  # run ids come from callers, and must not fill the memory
            self._recent.popitem(last=False)
        return session

    def drop(self, key: SessionKey, session: Session) -> None:
        """Remove a session that has ended."""
        with self._lock:
            if self._in_use.get(key) is session:
                del self._in_use[key]
                self._recent.pop(key, None)

    def release_run(self, run_id: str) -> None:
        """Keep the sessions of a run no longer than they are in use: it has ended, so most get no further action."""
        with self._lock:
            for key in [key for key in self._recent if key.run_id == run_id]:
                del self._recent[key]

    def default_run_id(
        self, started_by: str, agent_id: str | None, user: str | None = None, tenant: str | None = None
    ) -> str:
        """Return the id of the run of an agent's actions for a user and a tenant that name no run."""
        with self._lock:
            key = started_by, agent_id, user, tenant
            run_id = self._default_runs.get(key) or self._default_runs.setdefault(key, new_id())
            self._default_runs.move_to_end(key)
            while len(self._default_runs) > self.limit:
                self._default_runs.popitem(last=False)
            return run_id

    def default_sessions(self, started_by: str) -> list[Session]:
        """Return the cached sessions of actions that named no run, except resumable ones."""
        with self._lock:
            run_ids = [run_id for key, run_id in self._default_runs.items() if key[0] == started_by]
            found = [self._in_use.get(SessionKey(started_by, run_id)) for run_id in run_ids]
        return [session for session in found if session is not None]

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self._in_use.values()))


class SessionFactory:
    """Creates sessions. A run that begins inside another one inherits its details."""

    def __init__(
        self,
        cache: SessionCache,
        open_runs: OpenRuns[Session],
        context: Callable[..., RunContext],
        revision: Callable[[], int | None],
    ) -> None:
        self._cache, self._open_runs = cache, open_runs
        self._context, self._revision = context, revision

    def open(
        self,
        key: SessionKey,
        agent_id: str | None,
        workspace: str | None,
        pins: Pins = NO_PINS,
        details: RunDetails = NO_DETAILS,
        *,
        is_new: bool = False,
    ) -> Session:
        """Return the session of a run, created if it is not cached.

        Raise if its user or tenant is not that of its parent. `is_new`: no other process knows the run.
        """
        found, parent = self._cache.find(key), self._open_runs.find_parent(key.run_id)
        if found is not None and parent is None:
            return found
        if details != NO_DETAILS or parent is not None:
            from interlock.audit.run_details import check_below, check_details, inherit  # most runs have none

            details = check_details(details)
            if parent is not None:
                details = inherit(parent.details, details)
        session = found or self._cache.get(
            key, lambda writes: self._create(key, agent_id, workspace, pins, details, writes, is_new=is_new)
        )
        if parent is not None:
            check_below(parent.details, key.run_id, session.details)
        return session

    def _create(
        self,
        key: SessionKey,
        agent_id: str | None,
        workspace: str | None,
        pins: Pins,
        details: RunDetails,
        writes: RunWrites,
        *,
        is_new: bool,
    ) -> Session:
        return Session(
            functools.partial(self._context, resumable=key.resumable),
            self._revision,
            run_id=key.run_id,
            agent_id=agent_id,
            workspace=workspace,
            started_by=key.started_by,
            key=key.key,
            pins=pins,
            details=details,
            is_new=is_new,
            writes=writes,
        )

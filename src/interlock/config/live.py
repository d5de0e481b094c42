"""An engine that reloads its configuration when a file changes, and keeps the last valid one."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from interlock.config.home import MACHINE_FILE, NAME, own_folder
from interlock.config.knowledge import knowledge_folder
from interlock.config.load import load
from interlock.config.schema import Config
from interlock.documents import Layer
from interlock.engine import Engine
from interlock.errors import ConfigError
from interlock.memory.state import RunState
from interlock.model import Action, Decision
from interlock.policy.policies import Policy
from interlock.policy.stored_policies import StoredPolicies

if TYPE_CHECKING:
    from datetime import datetime

    from interlock.config.central import CentralSettings

Stamp = tuple[tuple[str, int, int], ...]


class LiveEngine:
    """Decides by the newest configuration that loads. `error` says why a newer one does not.

    `policies` are added to those of the files. With `engine`, that engine decides, whatever the files say about it.

    It watches the user's own file, the list of trusted files, and the file at `path`, or every place for one from the
    root down to `start`. Removing a file that was in force is an error, as if it did not load.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        start: str | Path | None = None,
        policies: Iterable[Policy] = (),
        engine: Engine | None = None,
    ) -> None:
        self._added, self._fixed = tuple(policies), engine
        if self._added and engine is not None:
            raise ConfigError("`policies` do not go with `engine`, which has its own: `Engine(policies=[…])`")
        if other := next((policy for policy in self._added if not isinstance(policy, Policy)), None):
            raise ConfigError(f"`policies` are `Policy` objects; found `{type(other).__name__}`")
        self._path = Path(path).absolute() if path is not None else None
        self._start = Path(start or Path.cwd()).resolve()
        self._lock = threading.Lock()
        self._keeps_analyses = False
        self._watched = self._find_watched_paths(())
        self._central: CentralSettings | None = None
        self._stamp = self._stat_files()
        self._stored = StoredPolicies()
        self._loaded: tuple[Layer, ...] = ()  # by the last attempt, which may have failed afterwards
        self.config: Config = self._read()
        self.layers: tuple[Layer, ...] = self._loaded
        self._follow(self.config)
        self.engine: Engine = self._make_engine(self.config)
        self.error: ConfigError | None = None

    def decide(self, action: Action, state: RunState | None = None) -> Decision:
        """Return the decision of the newest good configuration."""
        self.refresh()
        return self.engine.decide(action, state, _read_clock() if self.engine.reads_time else None)

    @property
    def has_own_engine(self) -> bool:
        """Whether the program gave an engine, which decides whatever the files say."""
        return self._fixed is not None

    @property
    def is_stale(self) -> bool:
        """Whether a file has changed since the configuration was loaded."""
        return self._stat_files() != self._stamp

    def refresh(self) -> bool:
        """Reload the configuration if a file has changed; return whether a new one is in force."""
        stamp = self._stat_files()
        if stamp == self._stamp:
            return False
        with self._lock:
            self._stamp = stamp
            try:
                config = self._load()
                engine = self._make_engine(config)
            except Exception as error:  # the last valid configuration stays in force
                found = error if isinstance(error, ConfigError) else ConfigError(f"{type(error).__name__}: {error}")
                self.error = found
                return False
            self.config, self.engine, self.error, self.layers = config, engine, None, self._loaded
            self._follow(config)
            return True

    def use_stored(self, stored: StoredPolicies) -> None:
        """Decide by the policies of a store too."""
        with self._lock:
            self._stored = stored
            self.engine = self._make_engine(self.config)

    def _read(self) -> Config:
        """Return the configuration of the files, with the policies that the program adds."""
        layers: list[Layer] = []
        config = load(self._path, start=self._start, layers=layers)
        if self._fixed is not None and config.managed is not None:
            raise ConfigError("`engine` would replace what a server or an administrator decides here; use `policies`")
        if self._added and config.managed is not None:
            from interlock.config.tighten import refuse_loosening_policies

            refuse_loosening_policies(self._added)
        self._loaded = tuple(layers)
        return msgspec.structs.replace(config, policies=(*config.policies, *self._added)) if self._added else config

    def keep_analyses(self) -> None:
        """Keep the analyses of recent actions, for a process that decides many."""
        with self._lock:
            self._keeps_analyses = True
            self.engine = self._make_engine(self.config)

    def _make_engine(self, config: Config) -> Engine:
        engine = self._fixed if self._fixed is not None else config.engine(self._stored)
        return engine.with_recent_analyses() if self._keeps_analyses else engine

    def _load(self) -> Config:
        config = self._read()
        for name in self.config.files:
            if name not in config.files:
                raise ConfigError("this file was in force and is gone; put it back, or restart", file=name)
        return config

    def _stat_files(self) -> Stamp:
        """Return the time and size of each watched file."""
        stamps = []
        for path in self._watched:
            try:
                found = os.stat(path)
                stamps.append((path, found.st_mtime_ns, found.st_size))
            except OSError:
                stamps.append((path, 0, -1))
        return (*stamps, ("overdue", int(self._is_overdue()), 0))

    def _is_overdue(self) -> bool:
        """Whether the bundle has become overdue, or is no longer overdue, since the configuration was loaded."""
        if self._central is None or not self._central.max_age_hours:
            return False
        from interlock.config.central_cache import is_overdue

        return is_overdue(self._central)

    def _follow(self, config: Config) -> None:
        """Watch the descriptions that a configuration has loaded too, and the age of its bundle."""
        self._central = config.central
        watched = self._find_watched_paths(tuple(one.file for one in config.knowledge))
        if watched != self._watched:
            self._watched = watched
            self._stamp = ()  # they may have changed while they were loaded, so the next decision looks again

    def _find_watched_paths(self, knowledge: tuple[str, ...]) -> tuple[str, ...]:
        """Return every file that is part of the configuration, or would be if it existed."""
        folders = (self._start, *self._start.parents)
        project = [self._path] if self._path is not None else [folder / NAME for folder in folders]
        central = own_folder() / "central"
        bundle = (central / "bundle.json", central / "server.json")
        own = (MACHINE_FILE, own_folder() / NAME, own_folder() / "trusted.json", knowledge_folder(), *bundle)
        return (*(str(path) for path in (*own, *project)), *knowledge)


def _read_clock() -> datetime:
    """Return the current time."""
    from datetime import UTC, datetime  # few policies depend on it

    return datetime.now(UTC)

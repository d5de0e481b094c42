"""An engine that follows its configuration: reloaded when a file changes, kept as it was when that fails."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from interlock.config.knowledge import knowledge_folder
from interlock.config.load import NAME, load
from interlock.config.schema import Config
from interlock.config.trust import own_folder
from interlock.engine import Engine
from interlock.errors import ConfigError
from interlock.model import Action, Decision, RunState
from interlock.policy.kept import Kept

Stamp = tuple[tuple[str, int, int], ...]


class LiveEngine:
    """Decides by the newest configuration that loads. `error` says why a newer one does not.

    Watched are the person's own file, the list of trusted files, and the file at `path`, or wherever one could
    appear from the root down to `start`. A file that was in force and is gone counts as one that does not load.
    """

    def __init__(self, path: str | Path | None = None, *, start: str | Path | None = None) -> None:
        self._path = Path(path).absolute() if path is not None else None
        self._start = Path(start or Path.cwd()).resolve()
        self._lock = threading.Lock()
        self.kept = Kept()
        self._watched = self._watch(())
        self._stamp = self._look()
        self.config: Config = load(self._path, start=self._start)
        self._follow(self.config)
        self.engine: Engine = self.config.engine()
        self.error: ConfigError | None = None

    def decide(self, action: Action, state: RunState | None = None) -> Decision:
        """Return the decision of the newest good configuration."""
        self.refresh()
        return self.engine.decide(action, state)

    @property
    def is_stale(self) -> bool:
        """Whether a file has changed since the configuration was loaded."""
        return self._look() != self._stamp

    def refresh(self) -> bool:
        """Load the configuration anew if a file has changed; return whether a new one is in force."""
        stamp = self._look()
        if stamp == self._stamp:
            return False
        with self._lock:
            self._stamp = stamp
            try:
                config = self._load()
                engine = config.engine(self.kept)
            except Exception as error:  # whatever is wrong with the new one, the last good one stays in force
                found = error if isinstance(error, ConfigError) else ConfigError(f"{type(error).__name__}: {error}")
                self.error = found
                return False
            self.config, self.engine, self.error = config, engine, None
            self._follow(config)
            return True

    def keep(self, kept: Kept) -> None:
        """Decide by the policies of a store too."""
        with self._lock:
            self.engine, self.kept = self.config.engine(kept), kept

    def _load(self) -> Config:
        config = load(self._path, start=self._start)
        for name in self.config.files:
            if name not in config.files:
                raise ConfigError("this file was in force and is gone; put it back, or start again", file=name)
        return config

    def _look(self) -> Stamp:
        """Return what the files look like from outside."""
        stamps = []
        for path in self._watched:
            try:
                found = os.stat(path)
                stamps.append((path, found.st_mtime_ns, found.st_size))
            except OSError:
                stamps.append((path, 0, -1))
        return tuple(stamps)

    def _follow(self, config: Config) -> None:
        """Watch the descriptions that a configuration has loaded too."""
        watched = self._watch(tuple(one.file for one in config.knowledge))
        if watched != self._watched:
            self._watched = watched
            self._stamp = ()  # they may have changed while they were loaded, so the next decision looks again

    def _watch(self, knowledge: tuple[str, ...]) -> tuple[str, ...]:
        """Return every file that has a say, or would have one if it were there."""
        folders = (self._start, *self._start.parents)
        project = [self._path] if self._path is not None else [folder / NAME for folder in folders]
        own = (own_folder() / NAME, own_folder() / "trusted.json", knowledge_folder())
        return (*(str(path) for path in (*own, *project)), *knowledge)

"""An engine that follows its configuration: reloaded when a file changes, kept as it was when that fails."""

from __future__ import annotations

import threading
from pathlib import Path

from interlock.config.load import load
from interlock.config.schema import Config
from interlock.engine import Engine
from interlock.errors import ConfigError
from interlock.model import Action, Decision, RunState

Stamp = tuple[tuple[str, int, int], ...]


class LiveEngine:
    """Decides by the newest configuration that loads. `error` says why a newer one does not."""

    def __init__(self, path: str | Path | None = None, *, start: str | Path | None = None) -> None:
        self._path, self._start = path, start
        self._lock = threading.Lock()
        self.config: Config = load(path, start=start)
        self.engine: Engine = self.config.engine()
        self.error: ConfigError | None = None
        self._stamp = self._look()

    def decide(self, action: Action, state: RunState | None = None) -> Decision:
        """Return the decision of the newest good configuration."""
        self.refresh()
        return self.engine.decide(action, state)

    def refresh(self) -> bool:
        """Load the configuration anew if a file has changed; return whether a new one is in force."""
        stamp = self._look()
        if stamp == self._stamp:
            return False
        with self._lock:
            self._stamp = stamp
            try:
                config = load(self._path, start=self._start)
                engine = config.engine()
            except ConfigError as error:
                self.error = error
                return False
            self.config, self.engine, self.error = config, engine, None
            return True

    def _look(self) -> Stamp:
        """Return what the files look like from outside; one that is gone is a change too."""
        stamps = []
        for name in self.config.files or ((str(self._path),) if self._path else ()):
            try:
                found = Path(name).stat()
                stamps.append((name, found.st_mtime_ns, found.st_size))
            except OSError:
                stamps.append((name, 0, -1))
        return tuple(stamps)

"""The gates that a daemon holds open: one for each folder that hooks come from."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator

from interlock.approval.approver import NoApprover
from interlock.cli.hook import Asked
from interlock.gate import Gate

#: How many are open at once.
MAX_GATES = 32


class _Held:
    """A gate, once somebody has opened it, and how many use it."""

    def __init__(self) -> None:
        self.gate: Gate | None = None
        self.store: tuple[int, int] | None = None
        self.users = 0
        self._old: list[Gate] = []
        self._opening = threading.Lock()

    def opened(self, asked: Asked, folder: str) -> Gate:
        """Return the gate. It is opened anew where its store, or its configuration, is not what it was.

        A hook that decides by itself goes by what is there now, and says why it cannot; so does this.
        """
        with self._opening:
            if self.gate is not None and (
                _file(self.gate) != self.store or self.gate.configuration_error() is not None
            ):
                self._old.append(self.gate)
                self.gate = None
            if self.gate is None:
                config = None if asked.config is None else os.path.join(folder, asked.config)
                self.gate = Gate(config, store=asked.store, start=folder, desk=NoApprover())
                self.store = _file(self.gate)
            return self.gate

    def tidy(self) -> None:
        """Close what nobody uses any more."""
        while self._old:
            self._old.pop().close()

    def close(self) -> None:
        """Let the store go."""
        if self.gate is not None:
            self._old.append(self.gate)
            self.gate = None
        self.tidy()


class Gates:
    """The gates that are open, by where they were opened from. One that is in use is not closed."""

    def __init__(self) -> None:
        self._held: OrderedDict[tuple[str | None, ...], _Held] = OrderedDict()
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def of(self, asked: Asked, folder: str) -> Iterator[Gate]:
        """Give the gate of a folder, opened where it is not."""
        key = (folder, asked.config, asked.store)
        with self._lock:
            held = self._held.setdefault(key, _Held())
            self._held.move_to_end(key)
            held.users += 1
        try:
            yield held.opened(asked, folder)
        finally:
            with self._lock:
                held.users -= 1
                if not held.users:
                    held.tidy()
                self._close_oldest()

    def _close_oldest(self) -> None:
        idle = [key for key, held in self._held.items() if not held.users]
        for key in idle[: max(0, len(self._held) - MAX_GATES)]:
            self._held.pop(key).close()

    def close(self) -> None:
        """Let every store go."""
        with self._lock:
            while self._held:
                self._held.popitem()[1].close()


def _file(gate: Gate) -> tuple[int, int] | None:
    """Return which file an embedded store is; None where there is none, or it is not a file."""
    database = gate.journal.database
    try:
        found = os.stat(database.url.path) if database.is_sqlite else None
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)

"""The gates that a daemon keeps open: one for each folder that hooks come from."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator

from interlock.approval.approver import NoApprover
from interlock.cli.hook import HookOptions
from interlock.gate import Gate

#: How many are open at once.
MAX_GATES = 32


class _PooledGate:
    """A gate that is opened on first use, and how many threads use it."""

    def __init__(self) -> None:
        self.gate: Gate | None = None
        self.store: tuple[int, int] | None = None
        self.users = 0
        self._replaced: list[Gate] = []
        self._lock = threading.Lock()

    def open(self, options: HookOptions, folder: str) -> Gate:
        """Return the gate. It is opened again when its store was replaced, or its configuration does not load.

        So the answer, or the error, is the same as that of a hook that decides by itself.
        """
        with self._lock:
            if self.gate is not None and self._is_outdated(self.gate):
                self._replaced.append(self.gate)
                self.gate = None
            if self.gate is None:
                config = None if options.config is None else os.path.join(folder, options.config)
                self.gate = Gate(config, store=options.store, start=folder, approver=NoApprover())
                self.store = _store_file(self.gate)
            return self.gate

    def _is_outdated(self, gate: Gate) -> bool:
        return _store_file(gate) != self.store or gate.configuration_error() is not None

    def close_replaced(self) -> None:
        """Close the gates that no thread uses any more."""
        while self._replaced:
            self._replaced.pop().close()

    def close(self) -> None:
        """Close the gate, and with it its store."""
        if self.gate is not None:
            self._replaced.append(self.gate)
            self.gate = None
        self.close_replaced()


class GatePool:
    """The open gates, by the folder and the options that they were opened with. A gate in use is not closed."""

    def __init__(self) -> None:
        self._gates: OrderedDict[tuple[str | None, ...], _PooledGate] = OrderedDict()
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def lend(self, options: HookOptions, folder: str) -> Iterator[Gate]:
        """Yield the gate of a folder, opened if it is not."""
        key = (folder, options.config, options.store)
        with self._lock:
            pooled = self._gates.setdefault(key, _PooledGate())
            self._gates.move_to_end(key)
            pooled.users += 1
        try:
            yield pooled.open(options, folder)
        finally:
            with self._lock:
                pooled.users -= 1
                if not pooled.users:
                    pooled.close_replaced()
                self._close_oldest()

    def _close_oldest(self) -> None:
        idle = [key for key, pooled in self._gates.items() if not pooled.users]
        for key in idle[: max(0, len(self._gates) - MAX_GATES)]:
            self._gates.pop(key).close()

    def close(self) -> None:
        """Close every gate."""
        with self._lock:
            while self._gates:
                self._gates.popitem()[1].close()


def _store_file(gate: Gate) -> tuple[int, int] | None:
    """Return which file an embedded store is; None where there is none, or it is not a file."""
    database = gate.journal.database
    try:
        found = os.stat(database.url.path) if database.is_sqlite else None
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)

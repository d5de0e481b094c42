"""A store with its servers, the keys of its callers, and the ledger of what they were told."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections import Counter
from pathlib import Path

from interlock.access.keys import AccessKeys
from interlock.access.roles import Role
from interlock.gate import Gate
from torture.soak.ledger import Ledger
from torture.soak.server import ServerProcess

REVIEWERS = 2
#: How long after a fault calls may still fail because of it.
AFTERMATH_SECONDS = 35.0


class Site:
    """One store: its servers, keys and ledger. Callers can use any of its servers."""

    def __init__(self, name: str, store: str, servers: list[ServerProcess]) -> None:
        self.name, self.store, self.servers = name, store, servers
        self.ledger = Ledger()
        self.calls: Counter[str] = Counter()  # how often each kind of call was made
        self.calm_since: float | None = time.monotonic()  # None while a fault lasts
        self.agent = ""
        self.reviewers: list[str] = []
        self.has_failed = False
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def create_keys(self) -> None:
        """Create the store and the keys of its callers, before the servers start."""
        os.environ["INTERLOCK_HOME"] = str(self.servers[0].home)
        with Gate(store=self.store) as gate:
            keys = AccessKeys(gate.journal)
            self.agent = keys.create("soak", Role.AGENT, owner="ann", actor="soak")[1]
            for number in range(REVIEWERS):
                name = f"reviewer-{number}"
                self.reviewers.append(keys.create(name, Role.REVIEWER, owner=name, actor="soak")[1])

    def new_name(self) -> str:
        """Return a name for an action that no other one has."""
        return f"soak-{self.name}-{next(self._numbers)}"

    def was_disturbed(self, since: float) -> bool:
        """Whether a fault, or what follows from one, can explain that a call failed which began then."""
        return self.calm_since is None or (self.has_failed and since < self.calm_since + AFTERMATH_SECONDS)

    def begin_fault(self) -> None:
        """Note that calls may fail from now on."""
        self.has_failed, self.calm_since = True, None

    def end_fault(self) -> None:
        """Note that the cause of failures is gone."""
        self.calm_since = time.monotonic()

    def count(self, what: str) -> None:
        """Count a call."""
        with self._lock:
            self.calls[what] += 1

    @property
    def home(self) -> Path:
        """The home of the first server, whose key is accepted by the store."""
        return self.servers[0].home

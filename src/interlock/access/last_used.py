"""When people last signed in and API keys were last used. For display only."""

from __future__ import annotations

import threading

from interlock.store.clock import now
from interlock.store.connection import Connection
from interlock.store.database import Database
from interlock.store.tables import last_used

PERSON, KEY = "person", "key"
_NEWEST = "ON CONFLICT (what, name) DO UPDATE SET at = excluded.at"


def note_use(connection: Connection, what: str, name: str, at: int) -> None:
    """Store that a person signed in, or that a key was used."""
    connection.insert(last_used, {"what": what, "name": name, "at": at}, otherwise=_NEWEST)


def read_last_used(connection: Connection, what: str) -> dict[str, int]:
    """Return when each person last signed in, or each key was last used."""
    query = "SELECT name, at FROM interlock_last_used WHERE what = :what"
    return {str(name): int(at) for name, at in connection.tuples(query, what=what)}


class KeyUses:
    """The uses of keys that are not stored yet: they are stored in batches."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._noted: dict[str, int] = {}

    def note(self, key_id: str) -> None:
        """Record that a key is used now, to be stored later."""
        with self._lock:
            self._noted[key_id] = now().wall

    def read(self, connection: Connection) -> dict[str, int]:
        """Return when each key was last used, including uses that are not stored yet."""
        with self._lock:
            noted = dict(self._noted)
        return read_last_used(connection, KEY) | noted

    def store(self) -> None:
        """Store the uses since the last call."""
        with self._lock:
            noted, self._noted = self._noted, {}
        if noted:
            with self._database.write() as connection:
                for key_id, at in noted.items():
                    note_use(connection, KEY, key_id, at)

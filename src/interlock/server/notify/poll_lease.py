"""The lease on polling a chat service: one server of a store polls at a time, from where the last one ended."""

from __future__ import annotations

from interlock.ids import new_id
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.database import Database
from interlock.store.tables import chat_polls

#: How long a lease lasts without being renewed. It must be longer than one poll.
LEASE_SECONDS = 60
_TAKE = (
    "UPDATE interlock_chat_polls SET holder = :holder, lease_until = :lease_until "
    "WHERE channel = :channel AND (holder = :holder OR lease_until < :at)"
)
_NEXT = "SELECT next_update FROM interlock_chat_polls WHERE channel = :channel"


class PollLease:
    """The lease of one server on polling one channel."""

    def __init__(self, database: Database, channel: str) -> None:
        self._database, self._channel, self._holder = database, channel, new_id()

    def take(self) -> int | None:
        """Take or renew the lease; return the update to go on with, or None while another server polls."""
        with self._database.write() as connection:
            at = now_in(connection).wall
            first = {"channel": self._channel, "holder": "", "lease_until": 0, "next_update": 0}
            connection.insert(chat_polls, first, otherwise="ON CONFLICT DO NOTHING")
            until = at + LEASE_SECONDS * MICROSECONDS
            taken = connection.run(_TAKE, holder=self._holder, lease_until=until, channel=self._channel, at=at)
            return int(connection.value(_NEXT, channel=self._channel)) if taken else None

    def advance(self, next_update: int) -> None:
        """Keep the update to go on with, if this server still holds the lease."""
        which = {"channel": self._channel, "holder": self._holder}
        with self._database.write() as connection:
            connection.update(chat_polls, which, next_update=next_update)

    def release(self) -> None:
        """Let another server poll at once."""
        with self._database.write() as connection:
            connection.update(chat_polls, {"channel": self._channel, "holder": self._holder}, lease_until=0)

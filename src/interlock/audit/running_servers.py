"""The addresses of the servers that run on a store."""

from __future__ import annotations

from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.connection import Connection

#: A server that has not reported for this long counts as gone.
GONE_SECONDS = 30
_RECENT = "SELECT DISTINCT url FROM interlock_servers WHERE seen_at >= :since ORDER BY url"


def list_urls(connection: Connection) -> list[str]:
    """Return the addresses of the servers that reported recently."""
    return connection.values(_RECENT, since=find_oldest_report(connection))


def find_oldest_report(connection: Connection) -> int:
    """Return since when a server must have reported to count as running."""
    return now_in(connection).wall - GONE_SECONDS * MICROSECONDS

"""The health of channels: how many messages are queued, how many were sent or failed lately, and the last error."""

from __future__ import annotations

from interlock.audit.masking import mask_text
from interlock.model import Struct
from interlock.server.notify.outbox import FAILED, OPEN, SENDING, SENT, WAITING
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.connection import Connection, sql_list

#: Messages that were sent or failed longer ago are not counted.
RECENT_SECONDS = 86_400


class ChannelHealth(Struct, frozen=True, kw_only=True):
    """Counts of the messages of one channel. Those that are planned for later, such as reminders, are not queued."""

    queued: int = 0
    sent: int = 0
    failed: int = 0
    error: str = ""
    error_at: int | None = None


def read_health(connection: Connection) -> dict[str, ChannelHealth]:
    """Return the health of each channel that has queued messages, or that sent or lost some since yesterday."""
    at = now_in(connection).wall
    since = at - RECENT_SECONDS * MICROSECONDS
    counts = "SELECT channel, count(*) FROM interlock_notifications WHERE"
    waiting = f"state IN {sql_list(OPEN)} AND (due_at <= :at OR state = :sending OR error <> '')"
    queued = _count(connection, f"{counts} {waiting}", at=at, sending=SENDING)
    sent = _count(connection, f"{counts} state = :state AND due_at >= :at", state=SENT, at=since)
    failed = _count(connection, f"{counts} state = :state AND due_at >= :at", state=FAILED, at=since)
    found = {}
    for name in sorted({*queued, *sent, *failed}):
        error, error_at = _last_error(connection, name, since)
        found[name] = ChannelHealth(
            queued=queued.get(name, 0),
            sent=sent.get(name, 0),
            failed=failed.get(name, 0),
            error=mask_text(error),
            error_at=error_at,
        )
    return found


def _count(connection: Connection, query: str, **given: str | int) -> dict[str, int]:
    return {str(name): int(number) for name, number in connection.tuples(f"{query} GROUP BY channel", **given)}


def _last_error(connection: Connection, channel: str, since: int) -> tuple[str, int | None]:
    """Return why a message last failed, for good or until it is retried, and when."""
    query = (
        f"SELECT error, tried_at FROM interlock_notifications WHERE state IN {sql_list((WAITING, FAILED))} "
        "AND due_at >= :since AND channel = :channel AND error <> '' ORDER BY tried_at DESC LIMIT 1"
    )
    row = connection.row(query, since=since, channel=channel)
    return ("", None) if row is None else (str(row["error"]), row["tried_at"])

"""The health of webhooks: how many deliveries are open, how many failed lately, and the last one that arrived."""

from __future__ import annotations

import msgspec

from interlock.server.webhooks.delivery import OPEN
from interlock.store.clock import MICROSECONDS, now_in
from interlock.store.connection import Connection, sql_list

#: Deliveries that failed longer ago are not counted.
RECENT_SECONDS = 86_400


class WebhookHealth(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of the deliveries of one webhook, or of all."""

    open: int = 0
    failed: int = 0


def read_health(connection: Connection) -> dict[str, WebhookHealth]:
    """Return the health of each webhook that has open deliveries, or that some failed for since yesterday."""
    since = now_in(connection).wall - RECENT_SECONDS * MICROSECONDS
    waiting = (
        f"SELECT webhook_id, count(*) FROM interlock_deliveries WHERE state IN {sql_list(OPEN)} GROUP BY webhook_id"
    )
    failed = (
        "SELECT webhook_id, count(*) FROM interlock_deliveries WHERE state = 'failed' AND due_at >= :since "
        "GROUP BY webhook_id"
    )
    opened = {str(name): int(number) for name, number in connection.tuples(waiting)}
    lost = {str(name): int(number) for name, number in connection.tuples(failed, since=since)}
    return {name: WebhookHealth(open=opened.get(name, 0), failed=lost.get(name, 0)) for name in {*opened, *lost}}

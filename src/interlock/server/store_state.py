"""The store's part of the metrics: pending and ended requests, and stops and pauses in force."""

from __future__ import annotations

import asyncio

import msgspec

from interlock.errors import StoreError
from interlock.server.remembered_keys import STORE_SECONDS
from interlock.store.clock import now_in
from interlock.store.connection import Connection
from interlock.store.database import Database

_REQUESTS = "SELECT state, count(*) FROM interlock_approvals GROUP BY state"
_STOPS = "SELECT count(*) FROM interlock_stops WHERE lifted_at IS NULL AND (ends_at IS NULL OR ends_at > :at)"


class StoreState(msgspec.Struct, frozen=True):
    """How many approval requests are in each state, and how many stops are in force."""

    requests: dict[str, int]
    stops: int


async def read_store_state(database: Database) -> StoreState | None:
    """Return the state of a store, or None if it does not answer in time."""
    reading = asyncio.get_running_loop().run_in_executor(None, _read, database)
    try:
        async with asyncio.timeout(STORE_SECONDS):
            return await asyncio.shield(reading)
    except (StoreError, TimeoutError):
        reading.add_done_callback(lambda done: done.cancelled() or done.exception())
        return None


def _read(database: Database) -> StoreState:
    with database.read() as connection:
        return _read_in(connection)


def _read_in(connection: Connection) -> StoreState:
    requests = {str(state): int(number) for state, number in connection.tuples(_REQUESTS)}
    return StoreState(requests, int(connection.value(_STOPS, at=now_in(connection).wall)))

"""The delivery worker: while the server runs, it sends the deliveries that are due and records the results."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.pending_write import Concurrent
from interlock.audit.read import RecordFilter, read_page
from interlock.errors import StoreError, TamperedError
from interlock.ids import new_id
from interlock.server.running_tasks import RunningTasks
from interlock.server.timeouts import wait_for_event
from interlock.server.webhooks.address_policy import AddressPolicy
from interlock.server.webhooks.delivery import DELIVERED, FAILED, delete_old_deliveries
from interlock.server.webhooks.message import ping_body, record_body
from interlock.server.webhooks.outbox import (
    LOCK,
    ClaimedDelivery,
    claim,
    enqueue_new_records,
    has_new_records,
    record_result,
    webhooks_with_due_deliveries,
)
from interlock.server.webhooks.retry_schedule import RetrySchedule
from interlock.server.webhooks.sender import SendResult, send
from interlock.server.webhooks.webhook import Webhooks, active_rows, is_unaltered

#: How many messages may be in flight: in total, to one receiver, and to one that failed the last time.
MAX_IN_FLIGHT, MAX_PER_RECEIVER, MAX_FAILING = 16, 4, 1
#: How long messages in flight may take to arrive when the server stops.
STOP_SECONDS = 3.0
CLEANUP_SECONDS = 3_600.0
RETRIED = "retried"
DELIVERY_RESULTS = (DELIVERED, RETRIED, FAILED)
_LOG = logging.getLogger("interlock.server")


class DeliveryOptions(NamedTuple):
    """How messages are sent: where to, when they are retried, and how long one attempt may take.

    `poll_seconds` is how often the outbox is checked.
    """

    policy: AddressPolicy
    schedule: RetrySchedule = RetrySchedule()
    timeout_seconds: float = 10.0
    poll_seconds: float = 0.5


class DeliveryWorker:
    """Sends to the webhooks of a store. Several servers on one store share the work."""

    def __init__(self, journal: Journal, options: DeliveryOptions) -> None:
        self._journal, self.options = journal, options
        self.webhooks = Webhooks(journal, options.policy)
        self._threads = ThreadPoolExecutor(MAX_IN_FLIGHT, "interlock-webhook")  # slow receivers block no other work
        self._in_flight: Counter[str] = Counter()
        self._failing: set[str] = set()
        self._tasks = RunningTasks()
        self._finished: asyncio.Event | None = None
        self._altered: set[tuple[str, int]] = set()
        self._next_cleanup = 0.0
        self.results: Counter[str] = Counter()  # of the attempts of this server, for metrics

    async def run(self) -> None:
        """Send until cancelled."""
        finished = self._finished = asyncio.Event()
        try:
            while True:
                try:
                    await self.send_due()
                    await self._clean_up()
                except Exception as error:  # the worker must survive: without it, nothing is delivered
                    _LOG.warning(
                        "webhook deliveries are delayed: %s", error, exc_info=not isinstance(error, StoreError)
                    )
                    await asyncio.sleep(1)
                finished.clear()
                await wait_for_event(finished, self.options.poll_seconds)
        finally:
            await self.drain(STOP_SECONDS)

    async def send_due(self) -> int:
        """Queue new records, and start sending the deliveries that are due; return how many there are."""
        slots = {name: self._free_slots(name) for name in (*self._in_flight, *self._failing)}
        room = MAX_IN_FLIGHT - self._in_flight.total()
        claimed = await asyncio.to_thread(self._claim, slots, room) if room > 0 else []
        for one in claimed:
            self._in_flight[one.webhook_id] += 1
            self._tasks.start(self._deliver(one))
        return len(claimed)

    async def drain(self, seconds: float | None = None) -> None:
        """Wait for messages in flight, at most this long. Unfinished ones are retried once their lease expires."""
        await self._tasks.drain(seconds)

    async def ping(self, webhook_id: str, actor: str) -> SendResult:
        """Send a test message, and return what the receiver answers."""
        row = await asyncio.to_thread(self.webhooks.get_verified, webhook_id)
        body = ping_body(self._journal.store_id, actor)
        return await self._in_thread(self._send, row["url"], row["secret"], new_id(), body)

    def _free_slots(self, webhook_id: str) -> int:
        """Return how many more messages may be in flight to a receiver."""
        limit = MAX_FAILING if webhook_id in self._failing else MAX_PER_RECEIVER
        return limit - self._in_flight[webhook_id]

    def _claim(self, slots: dict[str, int], room: int) -> list[ClaimedDelivery]:
        """Return what this server sends now, receivers with the most free slots first."""
        with self._journal.database.read() as connection:
            rows, overdue = active_rows(connection), webhooks_with_due_deliveries(connection)
            free = {row["webhook_id"]: slots.get(row["webhook_id"], MAX_PER_RECEIVER) for row in rows}
            candidates = [row for row in rows if self._is_candidate(row, free)]
            due = {
                row["webhook_id"]
                for row in candidates
                if row["webhook_id"] in overdue or has_new_records(connection, row)
            }

        def operation(transaction: Transaction) -> list[ClaimedDelivery]:
            rows = [row for row in active_rows(transaction.connection) if row["webhook_id"] in due]
            claimed: list[ClaimedDelivery] = []
            for row in sorted(rows, key=lambda row: -free[row["webhook_id"]]):
                if len(claimed) < room and self._is_unaltered(transaction, row):
                    enqueue_new_records(transaction, row)
                    claimed += claim(transaction, row, min(room - len(claimed), free[row["webhook_id"]]))
            return claimed

        if not due:
            return []  # no write transaction unless there is work
        return self._journal.commit_beside(Concurrent(operation, budgets=(LOCK,)))

    def _is_candidate(self, row: dict[str, Any], free: dict[str, int]) -> bool:
        return free[row["webhook_id"]] > 0 and (row["webhook_id"], row["seq"]) not in self._altered

    def _is_unaltered(self, transaction: Transaction, row: dict[str, Any]) -> bool:
        """Whether a webhook's row matches its record. One that does not is skipped until it is written again."""
        if is_unaltered(transaction, row):
            return True
        self._altered.add((row["webhook_id"], row["seq"]))
        return False

    async def _deliver(self, claimed: ClaimedDelivery) -> None:
        """Send a message, and record the result."""
        try:
            result = await self._in_thread(self._send_record, claimed)
            (self._failing.add if result.error else self._failing.discard)(claimed.webhook_id)
            schedule = self.options.schedule
            record = partial(record_result, claimed=claimed, result=result, schedule=schedule)
            state = await asyncio.to_thread(self._journal.commit_beside, Concurrent(record, budgets=(LOCK,)))
            self.results[state if state in (DELIVERED, FAILED) else RETRIED] += 1
            if state == FAILED:
                _LOG.warning("delivery %s to webhook %s failed: %s", *claimed[:2], result.error)
        except StoreError as error:  # once its lease has expired, any server sends it again
            _LOG.warning("delivery %s will be retried: %s", claimed.delivery_id, error)
        finally:
            self._in_flight[claimed.webhook_id] -= 1
            if self._finished is not None:
                self._finished.set()

    def _send_record(self, claimed: ClaimedDelivery) -> SendResult:
        seq = claimed.record_seq
        try:
            found = read_page(self._journal.database, RecordFilter(), after=seq - 1, limit=1)
        except TamperedError as error:
            return SendResult(None, str(error), final=True)
        if not found or found[0].record.seq != seq:
            return SendResult(None, f"record {seq} was removed from the chain", final=True)
        body = record_body(self._journal.store_id, found[0].record)
        return self._send(claimed.url, claimed.secret, claimed.delivery_id, body)

    def _send(self, url: str, secret: str, message_id: str, body: bytes) -> SendResult:
        timeout_seconds = self.options.timeout_seconds
        return send(self.options.policy, url, secret, message_id, body, timeout_seconds=timeout_seconds)

    async def _clean_up(self) -> None:
        """Delete old deliveries now and then."""
        if time.monotonic() >= self._next_cleanup:
            self._next_cleanup = time.monotonic() + CLEANUP_SECONDS
            await self._journal.acommit(delete_old_deliveries)

    async def _in_thread(self, work: Callable[..., SendResult], *args: Any) -> SendResult:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *args)

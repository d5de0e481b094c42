"""The courier: looks what has to be sent, sends it, and writes down what came of it, as long as the server runs."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.read import RecordFilter, read_page
from interlock.audit.record import new_id
from interlock.errors import InterlockError, StoreError, TamperedError
from interlock.server.patience import heard
from interlock.server.webhooks.address import Reach
from interlock.server.webhooks.delivery import FAILED, forget
from interlock.server.webhooks.line import Reply, post
from interlock.server.webhooks.message import message_of, ping
from interlock.server.webhooks.outbox import Claimed, claim, due_now, has_new, note_new, settle
from interlock.server.webhooks.schedule import Schedule
from interlock.server.webhooks.signing import signed
from interlock.server.webhooks.webhook import Webhooks, active, is_proved
from interlock.version import VERSION

#: So many messages are on their way at once: in all, to one receiver, and to one that did not take the last.
MAX_FLYING, MAX_EACH, MAX_FAILING = 16, 4, 1
#: How long messages that are on their way may take to arrive when the server stops.
STOP_SECONDS = 3.0
TIDY_SECONDS = 3_600.0
_LOG = logging.getLogger("interlock.server")


class Terms(NamedTuple):
    """How messages are sent: how far they go, when they are sent again, and how many seconds a try may take.

    `look` is how many seconds pass until somebody looks whether there is something new.
    """

    reach: Reach
    schedule: Schedule = Schedule()
    seconds: float = 10.0
    look: float = 0.5


class Courier:
    """Sends to the webhooks of a store. Several servers on one store share the work."""

    def __init__(self, journal: Journal, terms: Terms) -> None:
        self._journal, self.terms = journal, terms
        self.webhooks = Webhooks(journal, terms.reach)
        self._threads = ThreadPoolExecutor(MAX_FLYING, "interlock-webhook")  # slow receivers hold up nobody else
        self._flying: Counter[str] = Counter()
        self._failing: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._landed: asyncio.Event | None = None
        self._doubted: set[tuple[str, int]] = set()
        self._tidied = 0.0

    async def run(self) -> None:
        """Send, until cancelled."""
        landed = self._landed = asyncio.Event()
        try:
            while True:
                try:
                    await self.look()
                    await self._tidy()
                except Exception as error:  # nobody would notice a courier that has stopped
                    _LOG.warning("webhooks wait: %s", error, exc_info=not isinstance(error, StoreError))
                    await asyncio.sleep(1)
                landed.clear()
                await heard(landed, self.terms.look)
        finally:
            await self.land(STOP_SECONDS)

    async def look(self) -> int:
        """Note what is new, and begin to send what is due; return how many messages that are."""
        lanes = {name: self._lanes(name) for name in (*self._flying, *self._failing)}
        room = MAX_FLYING - self._flying.total()
        claimed = await asyncio.to_thread(self._take, lanes, room) if room > 0 else []
        for one in claimed:
            self._flying[one.webhook_id] += 1
            task = asyncio.create_task(self._deliver(one))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return len(claimed)

    async def land(self, seconds: float | None = None) -> None:
        """Wait for what is on its way, at most so long; what is not here by then is sent again by somebody."""
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=seconds)
            for task in late:
                task.cancel()

    async def ping(self, webhook_id: str, actor: str) -> Reply:
        """Return what a receiver answers to a message that tells of nothing."""
        row = await asyncio.to_thread(self.webhooks.proved, webhook_id)
        body = ping(self._journal.store_id, actor)
        return await self._in_thread(self._post, row["url"], row["secret"], new_id(), body)

    def _lanes(self, webhook_id: str) -> int:
        """Return how many more messages may be on their way to a receiver."""
        most = MAX_FAILING if webhook_id in self._failing else MAX_EACH
        return most - self._flying[webhook_id]

    def _take(self, lanes: dict[str, int], room: int) -> list[Claimed]:
        """Return what this server sends now, with those first to whom the least is on its way."""
        with self._journal.database.read() as connection:
            rows, late = active(connection), due_now(connection)
            free = {row["webhook_id"]: lanes.get(row["webhook_id"], MAX_EACH) for row in rows}
            asked = [row for row in rows if self._may(row, free)]
            due = {row["webhook_id"] for row in asked if row["webhook_id"] in late or has_new(connection, row)}

        def operation(transaction: Transaction) -> list[Claimed]:
            rows = [row for row in active(transaction.connection) if row["webhook_id"] in due]
            taken: list[Claimed] = []
            for row in sorted(rows, key=lambda row: -free[row["webhook_id"]]):
                if len(taken) < room and self._is_proved(transaction, row):
                    note_new(transaction, row)
                    taken += claim(transaction, row, min(room - len(taken), free[row["webhook_id"]]))
            return taken

        return self._journal.commit(operation) if due else []  # whoever only looks writes nothing

    def _may(self, row: dict[str, Any], free: dict[str, int]) -> bool:
        return free[row["webhook_id"]] > 0 and (row["webhook_id"], row["seq"]) not in self._doubted

    def _is_proved(self, transaction: Transaction, row: dict[str, Any]) -> bool:
        """Whether a webhook is as it was written. One that is not is not looked at again until it is written anew."""
        if is_proved(transaction, row):
            return True
        self._doubted.add((row["webhook_id"], row["seq"]))
        return False

    async def _deliver(self, claimed: Claimed) -> None:
        """Send a message, and write down what came of it."""
        try:
            reply = await self._in_thread(self._send, claimed)
            (self._failing.add if reply.error else self._failing.discard)(claimed.webhook_id)
            schedule = self.terms.schedule
            state = await self._journal.acommit(lambda transaction: settle(transaction, claimed, reply, schedule))
            if state == FAILED:
                _LOG.warning("delivery %s to webhook %s failed: %s", *claimed[:2], reply.error)
        except StoreError as error:  # what was taken is taken again, by whoever comes first
            _LOG.warning("delivery %s is sent again: %s", claimed.delivery_id, error)
        finally:
            self._flying[claimed.webhook_id] -= 1
            if self._landed is not None:
                self._landed.set()

    def _send(self, claimed: Claimed) -> Reply:
        seq = claimed.record_seq
        try:
            found = read_page(self._journal.database, RecordFilter(), after=seq - 1, limit=1)
        except TamperedError as error:
            return Reply(None, str(error), final=True)
        if not found or found[0].record.seq != seq:
            return Reply(None, f"record {seq} was removed from the chain", final=True)
        body = message_of(self._journal.store_id, found[0].record)
        return self._post(claimed.url, claimed.secret, claimed.delivery_id, body)

    def _post(self, url: str, secret: str, message_id: str, body: bytes) -> Reply:
        """Return what a receiver answers; whether it may be sent to was checked long ago, and is checked again."""
        until = time.monotonic() + self.terms.seconds
        try:
            target = self.terms.reach.target(url)
        except InterlockError as error:
            return Reply(None, str(error))
        headers = {"content-type": "application/json", "user-agent": f"interlock/{VERSION}"}
        headers |= signed(secret, message_id, int(time.time()), body)
        return post(target, headers, body, until)

    async def _tidy(self) -> None:
        """Forget what ended long ago, now and then."""
        if time.monotonic() >= self._tidied:
            self._tidied = time.monotonic() + TIDY_SECONDS
            await self._journal.acommit(forget)

    async def _in_thread(self, work: Callable[..., Reply], *args: Any) -> Reply:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *args)

"""The notification worker: while the server runs, it plans and sends messages, and updates them when requests end."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import msgspec

from interlock.access.people import People
from interlock.access.roles import Right
from interlock.approval.request import Approval, ApprovalState
from interlock.audit.chain import Transaction
from interlock.audit.journal import Journal
from interlock.audit.pending_write import Concurrent
from interlock.errors import InterlockError, StoreError, TamperedError
from interlock.server.notify import outbox
from interlock.server.notify.active_channels import ConfiguredChannels
from interlock.server.notify.bulletins import find_obstacle_to_sending, write_bulletin
from interlock.server.notify.channel import BULLETINS, ENDED, Channel, ChannelError, Notification, Receipt
from interlock.server.notify.message import make_notification, with_environment
from interlock.server.notify.outbox import QueuedMessage
from interlock.server.notify.preferences import Destination, Preferences, read_preferences
from interlock.server.notify.recipients import is_held_back, is_urgent, quiet_until, wants
from interlock.server.running_tasks import RunningTasks
from interlock.server.timeouts import wait_for_event
from interlock.server.webhooks.retry_schedule import RetrySchedule
from interlock.store.clock import MICROSECONDS, now_in

#: Seconds to wait after each failed attempt: requests are open for minutes or hours, not for days.
WAITS = (3, 15, 60, 300)
MAX_IN_FLIGHT = 12
#: An agent that asks without end must not wear people down: further messages to an address wait, and may be dropped.
MAX_IN_WINDOW, WINDOW_SECONDS = 20, 600
STOP_SECONDS, CLEANUP_SECONDS = 3.0, 3_600.0
_LOG = logging.getLogger("interlock.server")


class NotificationOptions(NamedTuple):
    """Where the pages are, the environment of actions that name none, and when failed messages are retried."""

    url: str
    environment: Callable[[], str | None] = lambda: None
    schedule: RetrySchedule = RetrySchedule(WAITS)
    poll_seconds: float = 0.5


class PreparedMessage(NamedTuple):
    """A leased message, its words, and the channel that it is sent through."""

    message: QueuedMessage
    notification: Notification | None  # None if it is about no request: it is written when it is sent
    channel: Channel


class NotificationWorker:
    """Notifies the people of a store. Several servers on one store share the work, and each message is sent by one."""

    def __init__(
        self, journal: Journal, people: People, channels: ConfiguredChannels, options: NotificationOptions
    ) -> None:
        self._journal, self._people, self.channels, self.options = journal, people, channels, options
        self._threads = ThreadPoolExecutor(MAX_IN_FLIGHT, "interlock-notify")
        self._tasks = RunningTasks()
        self._finished: asyncio.Event | None = None
        self._next_cleanup = 0.0

    async def run(self) -> None:
        """Send until cancelled."""
        finished = self._finished = asyncio.Event()
        started = False
        try:
            while True:
                try:
                    if not started:
                        await self._journal.acommit(outbox.begin)
                        started = True
                    await self.send_due()
                    await self._clean_up()
                except Exception as error:  # the worker must survive: without it, no notifications are sent
                    _LOG.warning("notifications are delayed: %s", error, exc_info=not isinstance(error, StoreError))
                    await asyncio.sleep(1)
                finished.clear()
                await wait_for_event(finished, self.options.poll_seconds)
        finally:
            await self.drain(STOP_SECONDS)

    async def send_due(self) -> int:
        """Plan for new requests, and start sending the messages that are due; return how many there are."""
        room = MAX_IN_FLIGHT - len(self._tasks)
        claimed = await asyncio.to_thread(self._claim, room) if room > 0 else []
        for one in claimed:
            self._tasks.start(self._deliver(one))
        return len(claimed)

    async def drain(self, seconds: float | None = None) -> None:
        """Wait for messages in flight, at most this long. Unfinished ones are retried once their lease expires."""
        await self._tasks.drain(seconds)

    # what is sent

    def _claim(self, room: int) -> list[PreparedMessage]:
        channels = self.channels.current()
        with self._journal.database.read() as connection:
            if not outbox.has_work(connection, channels):
                return []  # no write transaction unless there is work

        def operation(transaction: Transaction) -> list[PreparedMessage]:
            self._plan(transaction, channels)
            claimed = outbox.claim(transaction, channels, room)
            prepared = [self._prepare(transaction, one, channels[one.channel]) for one in claimed]
            return [one for one in prepared if one is not None]

        return self._journal.commit_beside(Concurrent(operation, budgets=(outbox.LOCK,)))

    def _plan(self, transaction: Transaction, channels: Mapping[str, Channel]) -> None:
        """Queue what follows from the new records."""
        found = outbox.next_records(transaction)
        interactive = {name for name, channel in channels.items() if channel.interactive}
        opened = any(kind == outbox.REQUEST for kind, _ in found)
        people = self._everyone(transaction) if opened else []
        for kind, approval_id in found:
            if kind != outbox.REQUEST:
                outbox.enqueue_updates(transaction, approval_id, interactive)
                continue
            approval = self._read(transaction, approval_id)
            if approval is not None and approval.state is ApprovalState.PENDING:
                outbox.enqueue(transaction, approval, people)

    def _everyone(self, transaction: Transaction) -> list[Preferences]:
        """Return the preferences of all people who may answer requests. An altered row silences its person alone."""
        found = []
        for name in transaction.connection.values("SELECT person FROM interlock_preferences"):
            try:
                if self._may_answer(transaction, name):
                    found.append(read_preferences(transaction, name))
            except TamperedError as error:
                _LOG.error("%s is not notified of requests: %s", name, error)
        return found

    def _may_answer(self, transaction: Transaction, name: str) -> bool:
        person = self._people.get_active(transaction, name)
        return person is not None and Right.ANSWER in person.role.rights

    def _read(self, transaction: Transaction, approval_id: str) -> Approval | None:
        """Return a request, or None if it was pruned or cannot be read."""
        try:
            found = outbox.pending_request(transaction.connection, approval_id)
        except TamperedError as error:
            _LOG.error("nobody is notified of a request: %s", error)
            return None
        return None if found is None else with_environment(found, self.options.environment())

    def _prepare(self, transaction: Transaction, message: QueuedMessage, channel: Channel) -> PreparedMessage | None:
        """Return a leased message with its words; None if it is not sent, or not yet."""
        at = now_in(transaction.connection).wall
        if message.kind in BULLETINS:
            return self._prepare_bulletin(transaction, message, channel, at)
        approval = self._read(transaction, message.approval_id)
        if approval is None:
            outbox.finish(transaction, message, outbox.SKIPPED, due_at=at, error="the request no longer exists")
            return None
        try:
            why, later = self._why_not_now(transaction, message, channel, approval, at)
        except TamperedError as error:
            why, later = str(error), None
        if later is not None:
            outbox.finish(transaction, message, outbox.WAITING, due_at=later, tries=0)
            return None
        if why:
            outbox.finish(transaction, message, outbox.SKIPPED, due_at=at, error=why)
            return None
        url = f"{self.options.url}/approvals/{approval.approval_id}"
        words = make_notification(approval, message.person, message.kind, url, interactive=channel.interactive)
        return PreparedMessage(message, words, channel)

    def _prepare_bulletin(
        self, transaction: Transaction, message: QueuedMessage, channel: Channel, at: int
    ) -> PreparedMessage | None:
        """Return a leased message that is about no request, without its words; None if it is not sent, or not yet."""
        try:
            found = read_preferences(transaction, message.person)
            is_active = self._people.get_active(transaction, message.person) is not None
            why = find_obstacle_to_sending(found, message) if is_active else "the person is no longer active"
        except TamperedError as error:
            why = str(error)
        if why:
            outbox.finish(transaction, message, outbox.SKIPPED, due_at=at, error=why)
            return None
        if found.is_quiet(at):
            outbox.finish(transaction, message, outbox.WAITING, due_at=quiet_until(found, at), tries=0)
            return None
        return PreparedMessage(message, None, channel)

    def _why_not_now(
        self, transaction: Transaction, message: QueuedMessage, channel: Channel, approval: Approval, at: int
    ) -> tuple[str, int | None]:
        """Return why a message is not sent, or until when it waits. Much may have changed since it was planned."""
        if message.kind == ENDED:
            own = any(answer.approver == message.person for answer in approval.answers)
            return ("they answered it themselves" if own and not channel.interactive else ""), None
        if approval.state is not ApprovalState.PENDING or (approval.expires_at or at + 1) <= at:
            return "the request ended", None
        if not self._may_answer(transaction, message.person):
            return "the person may not answer requests any longer", None
        found = read_preferences(transaction, message.person)
        if Destination(channel=message.channel, address=message.recipient) not in found.destinations:
            return "the destination was removed", None
        if not wants(found, approval):
            return "the person may not answer this request, or has opted out of it", None
        if is_held_back(found, approval, at):
            return "", quiet_until(found, at)
        window = WINDOW_SECONDS * MICROSECONDS
        flooded = outbox.count_sent(transaction.connection, message, at - window) >= MAX_IN_WINDOW
        return "", at + window // 10 if flooded and not is_urgent(approval) else None

    # sending

    async def _deliver(self, prepared: PreparedMessage) -> None:
        """Send or update a message, and record the result."""
        message = prepared.message
        try:
            loop = asyncio.get_running_loop()
            result = await loop.run_in_executor(self._threads, self._send, prepared)
            record = partial(self._record, message=message, result=result)
            await asyncio.to_thread(self._journal.commit_beside, Concurrent(record, budgets=(outbox.LOCK,)))
        except StoreError as error:  # once its lease has expired, any server sends it again
            _LOG.warning("notification %s will be retried: %s", message.notification_id, error)
        finally:
            if self._finished is not None:
                self._finished.set()

    def _send(self, prepared: PreparedMessage) -> Receipt | ChannelError:
        """Send or update a message; return the receipt, or why there is none."""
        message, notification, channel = prepared
        try:
            words = notification or write_bulletin(self._journal, message, self.options.url)
        except InterlockError as error:
            return ChannelError(f"the message could not be written: {error}")
        return _send(message, words, channel)

    def _record(self, transaction: Transaction, message: QueuedMessage, result: Receipt | ChannelError) -> None:
        at = now_in(transaction.connection).wall
        if isinstance(result, ChannelError):
            self._record_failure(transaction, message, result, at)
            return
        receipt = msgspec.json.encode(result).decode()
        kept = outbox.finish(transaction, message, outbox.SENT, due_at=at, error="", receipt=receipt)
        if message.kind in BULLETINS:
            return
        approval = self._read(transaction, message.approval_id)
        ended = approval is None or approval.state is not ApprovalState.PENDING
        if kept and ended and message.kind != ENDED:  # it ended while the message was on its way
            outbox.enqueue_update(transaction.connection, {**message_row(message), "receipt": receipt})

    def _record_failure(self, transaction: Transaction, message: QueuedMessage, error: ChannelError, at: int) -> None:
        wait = None if error.final else self.options.schedule.delay_after(message.tries)
        if wait is not None:
            due = at + int(max(wait, error.wait or 0.0) * MICROSECONDS)
            outbox.finish(transaction, message, outbox.WAITING, due_at=due, error=str(error))
            return
        outbox.finish(transaction, message, outbox.FAILED, due_at=at, error=str(error))
        _LOG.warning("%s was not notified through `%s`: %s", message.person, message.channel, error)
        if message.kind not in (ENDED, *BULLETINS):
            outbox.hasten_escalation(transaction, message.approval_id)

    async def _clean_up(self) -> None:
        """Delete old messages now and then."""
        if time.monotonic() >= self._next_cleanup:
            self._next_cleanup = time.monotonic() + CLEANUP_SECONDS
            await self._journal.acommit(outbox.delete_old_messages)


def message_row(message: QueuedMessage) -> dict[str, str]:
    """Return the columns of a message that identify it and its address."""
    names = ("notification_id", "approval_id", "person", "channel", "recipient")
    return {name: getattr(message, name) for name in names}


def _send(message: QueuedMessage, notification: Notification, channel: Channel) -> Receipt | ChannelError:
    try:
        if message.kind == ENDED:
            channel.update(notification, message.recipient, message.receipt or Receipt({}))
            return message.receipt or Receipt({})
        return channel.send(notification, message.recipient)
    except ChannelError as error:
        return error
    except Exception as error:  # a mistake in a channel must not stop the others
        _LOG.exception("channel `%s` failed", message.channel)
        return ChannelError(f"the channel failed: {type(error).__name__}")

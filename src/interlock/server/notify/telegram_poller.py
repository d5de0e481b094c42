"""Polls Telegram for pressed buttons and link codes, so that no inbound port is needed."""

from __future__ import annotations

import asyncio
import logging
from threading import Event
from typing import Any

from interlock.errors import InterlockError, StoreError
from interlock.server.notify.channel import ChannelError, Receipt
from interlock.server.notify.chat_commands import HOW_TO_LINK, ChatCommands, Sender
from interlock.server.notify.poll_lease import PollLease
from interlock.server.notify.telegram import TelegramChannel
from interlock.store.database import Database

#: How long a server waits before it tries again: after an error, and while another server polls.
RETRY_SECONDS = 5.0
NOT_PRIVATE = "Requests can be answered only in your private chat with this bot."
_HELP = f"Interlock sends approval requests to linked accounts. {HOW_TO_LINK} Then send /start and your code."
_LOG = logging.getLogger("interlock.server")


class TelegramPoller:
    """Receives the events of one bot's chats, while this server holds the lease."""

    def __init__(self, channel: TelegramChannel, commands: ChatCommands, database: Database) -> None:
        self._channel, self._commands = channel, commands
        self._lease = PollLease(database, channel.poll_name)
        self._stop = Event()

    async def run(self) -> None:
        """Poll until cancelled."""
        try:
            while True:
                await asyncio.sleep(await asyncio.to_thread(self._poll))
        finally:
            self._stop.set()
            try:
                await asyncio.to_thread(self._lease.release)
            except StoreError as error:  # then another server takes over once the lease has expired
                _LOG.warning("the lease on polling %s was not released: %s", self._channel.name, error)

    def _poll(self) -> float:
        """Poll once; return how many seconds to wait before the next time."""
        try:
            return 0.0 if self.step() else RETRY_SECONDS
        except ChannelError as error:
            if not self._stop.is_set():
                _LOG.warning("channel %s: %s", self._channel.name, error)
            return max(RETRY_SECONDS, error.wait or 0.0)
        except Exception as error:  # the poller must survive: without it, nothing can be answered
            expected = isinstance(error, InterlockError)
            _LOG.warning("polling %s failed: %s", self._channel.name, error, exc_info=None if expected else error)
            return RETRY_SECONDS

    def step(self) -> bool:
        """Handle the pending updates; return False if another server polls."""
        offset = self._lease.take()
        if offset is None:
            return False
        for update in self._channel.get_updates(offset, self._stop):
            number = update.get("update_id")
            if not isinstance(number, int):
                continue
            self._take(update)
            self._lease.advance(number + 1)
        return True

    def _take(self, update: dict[str, Any]) -> None:
        """Handle one update. One that fails is logged and not taken again, so that it cannot block the others."""
        try:
            if isinstance(update.get("callback_query"), dict):
                self._take_press(update["callback_query"])
            elif isinstance(update.get("message"), dict):
                self._take_message(update["message"])
        except (InterlockError, KeyError, TypeError, ValueError) as error:
            _LOG.warning("an update of %s was not handled: %s", self._channel.name, error)

    def _take_press(self, query: dict[str, Any]) -> None:
        message = query.get("message") or {}
        member, chat = str(query["from"]["id"]), message.get("chat") or {}
        sender = Sender("telegram", self._channel.name, member)
        if not _is_private(chat, member):
            reply = self._commands.refuse(sender, NOT_PRIVATE)
        else:
            reply = self._commands.press(sender, str(query.get("data", ""))[:100])
        self._channel.acknowledge(str(query["id"]), reply.text, alert=not reply.done)
        if reply.notification is not None:
            receipt = Receipt({"chat_id": member, "message_id": str(message.get("message_id", ""))})
            self._channel.update(reply.notification, member, receipt)

    def _take_message(self, message: dict[str, Any]) -> None:
        member, chat = str(message["from"]["id"]), message["chat"]
        if not _is_private(chat, member) or "forward_origin" in message or "via_bot" in message:
            return
        command, _, code = str(message.get("text", "")).strip().partition(" ")
        if command != "/start" or not code:
            self._channel.say(member, _HELP)
            return
        self._channel.say(member, self._commands.link(Sender("telegram", self._channel.name, member), code[:100]).text)


def _is_private(chat: dict[str, Any], member: str) -> bool:
    """Whether a chat is the private chat of a member with the bot."""
    return chat.get("type") == "private" and str(chat.get("id")) == member

"""The chats of a server: the Slack apps whose requests it takes, and the Telegram bots that it polls."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from functools import cached_property
from typing import Any

from interlock.errors import MissingError, StoreError
from interlock.sanitise import plain
from interlock.server.background import BackgroundTasks
from interlock.server.notify.chat_commands import ChatCommands
from interlock.server.notify.slack import SlackChannel
from interlock.server.notify.telegram import TelegramChannel
from interlock.server.notify.telegram_poller import TelegramPoller
from interlock.server.service import Service
from interlock.server.timeouts import wait_for_event

#: How often the configuration is checked for new and removed bots.
FOLLOW_SECONDS = 2.0
_LOG = logging.getLogger("interlock.server")


class Chats:
    """Receives the events of the configured chats."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.tasks = BackgroundTasks()

    @cached_property
    def commands(self) -> ChatCommands:
        """The handler of answers and link codes."""
        return ChatCommands(self._service)

    def get_slack(self, name: str) -> SlackChannel:
        """Return a configured Slack app, or raise."""
        found = self._service.notifier.channels.current().get(name)
        if not isinstance(found, SlackChannel):
            raise MissingError(f"there is no Slack channel `{plain(name)[:80]}`")
        return found

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Poll the configured bots for as long as the server runs."""
        self.tasks.start(self._follow())
        try:
            yield
        finally:
            await self.tasks.stop()

    async def finish(self, work: Coroutine[Any, Any, None], seconds: float) -> None:
        """Wait at most this long for some work, which goes on afterwards."""
        done = asyncio.Event()

        async def run() -> None:
            try:
                await work
            finally:
                done.set()

        self.tasks.start(run())
        await wait_for_event(done, seconds)

    async def _follow(self) -> None:
        """Start and stop polling as the configuration says."""
        running: dict[TelegramChannel, asyncio.Task[None]] = {}
        try:
            while True:
                bots = await asyncio.to_thread(self._find_bots, frozenset(running))
                for gone in running.keys() - bots:
                    running.pop(gone).cancel()
                for new in bots - running.keys():
                    poller = TelegramPoller(new, self.commands, self._service.journal.database)
                    running[new] = asyncio.create_task(poller.run())
                await asyncio.sleep(FOLLOW_SECONDS)
        finally:
            for task in running.values():
                task.cancel()
            await asyncio.gather(*running.values(), return_exceptions=True)

    def _find_bots(self, running: frozenset[TelegramChannel]) -> frozenset[TelegramChannel]:
        """Return the bots to poll; while the store does not answer, those that are polled already."""
        try:
            found = self._service.notifier.channels.current().values()
        except StoreError as error:
            _LOG.warning("channels cannot be read: %s", error)
            return running
        return frozenset(one for one in found if isinstance(one, TelegramChannel))

"""The chats of a server: the Slack apps whose requests it takes, and the Telegram bots that it polls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from functools import cached_property
from typing import Any

from interlock.config.channels import ChannelSettings
from interlock.errors import MissingError
from interlock.sanitise import plain
from interlock.server.background import BackgroundTasks
from interlock.server.notify.chat_desk import ChatDesk
from interlock.server.notify.slack import SlackChannel
from interlock.server.notify.telegram import TelegramChannel
from interlock.server.notify.telegram_poller import TelegramPoller
from interlock.server.service import Service
from interlock.server.timeouts import wait_for_event

#: How often the configuration is checked for new and removed bots.
FOLLOW_SECONDS = 2.0


class Chats:
    """Takes what people do in the configured chats."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.tasks = BackgroundTasks()

    @cached_property
    def desk(self) -> ChatDesk:
        """Where answers and link codes are taken."""
        return ChatDesk(self._service)

    def names(self) -> list[str]:
        """Return the names of the configured chats."""
        return sorted(name for name, settings in self._configured().items() if settings.kind in ("slack", "telegram"))

    def get_slack(self, name: str) -> SlackChannel:
        """Return a configured Slack app, or raise."""
        settings = self._configured().get(name)
        if settings is None or settings.kind != "slack":
            raise MissingError(f"there is no Slack channel `{plain(name)[:80]}`")
        return SlackChannel(settings, self._service.journal)

    def _configured(self) -> dict[str, ChannelSettings]:
        return dict(self._service.gate.configuration.config.channels)

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
        running: dict[str, tuple[ChannelSettings, asyncio.Task[None]]] = {}
        try:
            while True:
                wanted = {name: one for name, one in self._configured().items() if one.kind == "telegram"}
                for name in [name for name, (settings, _) in running.items() if wanted.get(name) != settings]:
                    running.pop(name)[1].cancel()
                for name in wanted.keys() - running.keys():
                    running[name] = wanted[name], asyncio.create_task(self._poller(wanted[name]).run())
                await asyncio.sleep(FOLLOW_SECONDS)
        finally:
            for _, task in running.values():
                task.cancel()
            await asyncio.gather(*(task for _, task in running.values()), return_exceptions=True)

    def _poller(self, settings: ChannelSettings) -> TelegramPoller:
        channel = TelegramChannel(settings, self._service.journal)
        return TelegramPoller(channel, self.desk, self._service.journal.database)

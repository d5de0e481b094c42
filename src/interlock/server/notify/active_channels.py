"""The channels that can be used. One that is paused or does not work is left out, with a reason."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from threading import Lock

from interlock.audit.journal import Journal
from interlock.config.channels import ChannelSettings, describe_problem
from interlock.errors import InterlockError
from interlock.server.notify.channel import Channel
from interlock.server.notify.channel_kinds import FACTORIES
from interlock.server.notify.stored_settings import StoredSettings
from interlock.server.webhooks.address_policy import AddressPolicy

_LOG = logging.getLogger("interlock.server")


class ConfiguredChannels:
    """Makes the channels when they are first needed, and again when the configuration has changed.

    `ready` are channels that need no configuration.
    """

    def __init__(
        self,
        configured: Callable[[], Mapping[str, ChannelSettings]],
        policy: AddressPolicy,
        journal: Journal,
        ready: tuple[Channel, ...] = (),
    ) -> None:
        self._configured, self._policy, self._journal, self._ready = configured, policy, journal, ready
        self._lock = Lock()
        self._made_from: Mapping[str, ChannelSettings] | None = None
        self._channels: Mapping[str, Channel] = {}
        self.problems: Mapping[str, str] = {}

    def current(self) -> Mapping[str, Channel]:
        """Return the channels that work, by their names."""
        configured = self._configured()
        with self._lock:
            if self._made_from != configured:
                self._make(configured)
                self._made_from = configured
            return self._channels

    def settings(self) -> Mapping[str, ChannelSettings]:
        """Return the settings of the channels, whether they work or not."""
        return self._configured()

    def _make(self, configured: Mapping[str, ChannelSettings]) -> None:
        made = {channel.name: channel for channel in self._ready}
        problems: dict[str, str] = {}
        before = self._made_from or {}
        for name, settings in configured.items():
            if isinstance(settings, StoredSettings) and settings.unusable:
                problems[name] = settings.unusable
                continue
            if name in self._channels and before.get(name) == settings:
                made[name] = self._channels[name]  # a chat that is polled goes on
                continue
            try:
                made[name] = FACTORIES[settings.kind](settings, self._policy, self._journal)
            except InterlockError as error:
                problems[name] = describe_problem(error)
                _LOG.error("channel `%s` is not available: %s", name, problems[name])
        self._channels, self.problems = made, problems

"""Everything about notifications that a server has: preferences, browsers, channels and the worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

from interlock.access.people import People
from interlock.audit.journal import Journal
from interlock.config.channels import BROWSER, ChannelSettings
from interlock.errors import InterlockError, nearest
from interlock.sanitise import plain
from interlock.server.notify.active_channels import ConfiguredChannels
from interlock.server.notify.browsers import Browsers
from interlock.server.notify.channel import Channel
from interlock.server.notify.channel_kinds import FACTORIES
from interlock.server.notify.channels_in_force import ChannelsInForce
from interlock.server.notify.chat_accounts import ChatAccounts
from interlock.server.notify.message import make_test_notification
from interlock.server.notify.outbox import QueuedMessage, list_newest
from interlock.server.notify.preferences import Destination, PreferenceRepository, Preferences
from interlock.server.notify.push_key import PushKey
from interlock.server.notify.stored_channels import StoredChannels
from interlock.server.notify.web_push import WebPushChannel
from interlock.server.notify.worker import NotificationOptions, NotificationWorker
from interlock.server.rate_limits import RateLimiter
from interlock.server.webhooks.address_policy import AddressPolicy

#: The page on which people choose their notifications.
PAGE = "/settings/notifications"
MAX_RECENT = 8


@runtime_checkable
class AddressedChannel(Protocol):
    """A channel in which people enter their addresses themselves."""

    @property
    def address_hint(self) -> str:
        """An example of an address."""

    def check_address(self, recipient: str) -> None:
        """Raise if an address is not valid."""


@runtime_checkable
class ConnectedChannel(Protocol):
    """A channel with an account of its own at a service."""

    def connect(self) -> str:
        """Check the account's token; return its name, or raise `ChannelError`."""


class Notifier:
    """The notifications of a store. `configured` returns the channels of the configuration files in force."""

    def __init__(
        self,
        journal: Journal,
        configured: Callable[[], Mapping[str, ChannelSettings]],
        policy: AddressPolicy,
        options: NotificationOptions,
    ) -> None:
        self._journal, self._url, self.policy = journal, options.url, policy
        self._accounts = ChatAccounts(journal)
        self.preferences, self.browsers = PreferenceRepository(journal), Browsers(journal, policy)
        self.push_key = PushKey(journal)
        self.test_limiter = RateLimiter(1 / 12, 5)  # five test messages at once, then five a minute
        browser = WebPushChannel(self.browsers, self.push_key, policy, options.url)
        self.in_force = ChannelsInForce(journal, configured)
        self.stored_channels = StoredChannels(journal, configured)
        self.channels = ConfiguredChannels(self.in_force, policy, journal, (browser,))
        self.worker = NotificationWorker(journal, People(journal), self.channels, options)

    def save(self, given: Preferences, actor: str) -> Preferences:
        """Store preferences, or raise if a new destination is not the person's to add."""
        before = self.preferences.get(given.person)
        for one in given.destinations:
            if one not in before.destinations:
                self._check(given.person, one)
        return self.preferences.save(given, actor)

    def _check(self, person: str, new: Destination) -> None:
        """Raise unless a person may add a destination."""
        channel = self.find(new.channel)
        if isinstance(channel, AddressedChannel):
            channel.check_address(new.address)
        elif new.channel == BROWSER:
            raise InterlockError("a browser is added in that browser: open the notification settings in it")
        else:
            self._accounts.check_linked(new.channel, person, new.address)

    def find(self, name: str) -> Channel:
        """Return the channel with a name, or raise and say what is wrong with it."""
        channels = self.channels.current()
        if name in self.channels.problems:
            raise InterlockError(f"channel `{name}` is not available: {self.channels.problems[name]}")
        if name not in channels:
            raise InterlockError(f"there is no channel `{plain(name)[:40]}`{nearest(name, channels)}")
        return channels[name]

    def make(self, settings: ChannelSettings) -> Channel:
        """Return the channel that settings describe, or raise. Nothing is sent."""
        return FACTORIES[settings.kind](settings, self.policy, self._journal)

    def test(self, person: str, destination: Destination) -> None:
        """Send a test message to a destination of a person, or raise."""
        words = make_test_notification(person, f"{self._url}{PAGE}")
        self.find(destination.channel).send(words, destination.address)

    def recent(self, person: str) -> list[QueuedMessage]:
        """Return the newest messages to a person."""
        with self._journal.database.read() as connection:
            return list_newest(connection, person, MAX_RECENT)

"""Test a channel: check its account at the service, and send a test message to the person's own addresses."""

from __future__ import annotations

from interlock.errors import InterlockError
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.server.notify.notifier import ConnectedChannel
from interlock.server.problems import RequestError
from interlock.server.service import Service

MAX_ACCOUNT = 120


class ChannelTest(Struct, frozen=True, kw_only=True):
    """The result of a test: the account at the service, if it was checked, and how many messages were sent."""

    account: str = ""
    sent: int = 0

    def describe(self, channel: str) -> str:
        """Return the result in words."""
        connected = f"Connected as {self.account}. " if self.account else ""
        if not self.sent:
            return f"{connected}You have no linked account in {channel}, so no message was sent."
        to = "your address" if self.sent == 1 else f"your {self.sent} addresses"
        return f"{connected}Test message sent to {to} in {channel}."


def try_channel(service: Service, channel: str, person: str, *, connect: bool = False) -> ChannelTest:
    """Send a test message to each destination of a person in a channel, or raise with what is wrong.

    With `connect`, the token of a chat is checked first, and then the person need not have an account in it.
    """
    notifier = service.notifier
    found = notifier.find(channel)
    account = ""
    if connect and isinstance(found, ConnectedChannel):
        _limit(service, person)
        account = plain(found.connect())[:MAX_ACCOUNT]
    own = [one for one in notifier.preferences.get(person).destinations if one.channel == channel]
    if not own and not account:
        raise InterlockError(f"you have no address in `{channel}`; add one under Settings → Notifications")
    for destination in own:
        _limit(service, person)
        notifier.test(person, destination)
    return ChannelTest(account=account, sent=len(own))


def _limit(service: Service, person: str) -> None:
    if service.notifier.test_limiter.take(person):
        raise RequestError(429, "too many test messages; wait a minute")

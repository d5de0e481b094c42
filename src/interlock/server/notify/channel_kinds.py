"""The kinds of channels: each is imported when the configuration first names it."""

from __future__ import annotations

from collections.abc import Callable

from interlock.audit.journal import Journal
from interlock.config.channels import ChannelSettings
from interlock.lazy import LazyTable
from interlock.server.notify.channel import Channel
from interlock.server.webhooks.address_policy import AddressPolicy

#: Creates a channel from its settings. Addresses that people enter themselves must pass the policy.
Factory = Callable[[ChannelSettings, AddressPolicy, Journal], Channel]

#: Each module has a table `CHANNELS` of the kinds that it makes.
FACTORIES: LazyTable[Factory] = LazyTable(
    __package__,
    {
        "apprise_channel:CHANNELS": ("apprise",),
        "slack:CHANNELS": ("slack",),
        "telegram:CHANNELS": ("telegram",),
    },
)

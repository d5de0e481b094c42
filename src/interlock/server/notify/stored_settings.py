"""The settings of a channel in the store, which hold its secrets: they are read, and never shown."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.config.channels import ChannelConfigError, ChannelSettings
from interlock.server.webhooks.address_policy import AddressPolicy


class StoredSettings(ChannelSettings, frozen=True, kw_only=True):
    """The settings of a stored channel. `unusable` says why nothing may be sent in it; an empty text if it may."""

    secrets: Mapping[str, str] = {}
    unusable: str = ""
    is_paused: bool = False

    def __repr__(self) -> str:
        """Return the settings without the secrets."""
        return f"StoredSettings(name={self.name!r}, kind={self.kind!r}, values={self.values!r})"

    def has_secret(self, secret: str) -> bool:
        """Whether the channel has a secret."""
        return secret in self.secrets

    def read_secret(self, secret: str) -> str:
        """Return a secret, or raise."""
        if secret not in self.secrets:
            raise ChannelConfigError(self.name, f"there is no {secret.replace('_', ' ').replace('url', 'URL')}")
        return self.secrets[secret]


def guard_for(settings: ChannelSettings, policy: AddressPolicy) -> AddressPolicy | None:
    """Return the policy that the API of a channel is held to, or None if a configuration file names its address.

    People who manage channels in the browser need not be able to reach everything that the server can.
    """
    return policy if isinstance(settings, StoredSettings) and "api_url" in settings.values else None

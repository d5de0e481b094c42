"""The providers of the configuration in force."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from urllib.parse import quote

from interlock.config.schema import Config
from interlock.config.sign_in import OidcSettings, SignInSettings
from interlock.errors import MissingError
from interlock.sanitise import plain
from interlock.server.oidc.provider import OidcProvider
from interlock.server.oidc.provider_http import ProviderError

_LOCAL_ONLY = SignInSettings()


class OidcProviders:
    """Holds a provider for as long as its settings stay the same, with what is cached about it."""

    def __init__(self, config: Callable[[], Config], url: str) -> None:
        self._config, self._url = config, url
        self._known: dict[str, OidcProvider] = {}

    @property
    def settings(self) -> SignInSettings:
        """How people sign in now."""
        return self._config().sign_in or _LOCAL_ONLY

    @property
    def offered(self) -> Mapping[str, OidcSettings]:
        """The providers that the sign-in page offers, by name."""
        return self.settings.oidc

    def get(self, name: str) -> OidcProvider:
        """Return a provider, or raise if the configuration has none of this name."""
        settings = self.offered.get(name)
        if settings is None:
            raise MissingError(f"there is no sign-in provider `{plain(name)[:40]}`")
        if find_spec("authlib") is None:
            raise ProviderError("sign-in with OpenID Connect needs `pip install 'interlock[oidc]'` on the server")
        known = self._known.get(name)
        if known is None or known.settings != settings:
            known = self._known[name] = OidcProvider(settings, f"{self._url}/sign-in/oidc/{quote(name)}/callback")
        return known

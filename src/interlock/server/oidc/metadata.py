"""The metadata of a provider: its discovery document and its public keys, cached for a while."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from interlock.config.sign_in import OidcSettings
from interlock.errors import InterlockError
from interlock.server.oidc.provider_http import ProviderError, ProviderHttp
from interlock.server.rate_limits import RateLimiter
from interlock.server.webhooks.address_policy import parse_webhook_url

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

#: How long the discovery document and the keys are used before they are fetched again.
CACHE_SECONDS = 3_600.0
#: How many keys of a provider are considered.
MAX_KEYS = 50
WELL_KNOWN = "/.well-known/openid-configuration"


class Metadata(msgspec.Struct, frozen=True):
    """The parts of a discovery document that are used."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None
    token_endpoint_auth_methods_supported: list[str] = msgspec.field(default_factory=lambda: ["client_secret_basic"])
    authorization_response_iss_parameter_supported: bool = False


class _KeyDocument(msgspec.Struct):
    keys: list[dict[str, Any]]


class ProviderMetadata:
    """The metadata and the keys of one provider."""

    def __init__(self, settings: OidcSettings, http: ProviderHttp) -> None:
        self._settings, self._http = settings, http
        self._lock = threading.Lock()
        self._metadata: tuple[float, Metadata] | None = None
        self._keys: tuple[float, KeySet] | None = None
        self._rotations = RateLimiter(1 / 12, 5)  # tokens with unknown keys must not become a flood of requests

    def get(self) -> Metadata:
        """Return the metadata, fetched if it is not cached."""
        with self._lock:
            if self._metadata is None or _is_old(self._metadata[0]):
                self._metadata = time.monotonic(), self._fetch()
            return self._metadata[1]

    def _fetch(self) -> Metadata:
        found = self._http.get(self._settings.issuer.rstrip("/") + WELL_KNOWN, Metadata)
        if found.issuer != self._settings.issuer:
            raise ProviderError(
                f"the discovery document of {self._settings.label} names another issuer than the configuration; copy "
                "the provider's `issuer` exactly"
            )
        for url in (found.authorization_endpoint, found.end_session_endpoint):
            if url is not None:
                self._check_page(url)
        return found

    def _check_page(self, url: str) -> None:
        """Raise unless a URL is one that people's browsers may be sent to."""
        message = f"the discovery document of {self._settings.label} has an endpoint that is not an https URL"
        try:
            parts = parse_webhook_url(url)
        except InterlockError:
            raise ProviderError(message) from None
        own = urlsplit(self._settings.issuer)
        if parts.scheme != "https" and (parts.scheme, parts.netloc) != (own.scheme, own.netloc):
            raise ProviderError(message)

    def keys(self, key_id: str | None) -> KeySet:
        """Return the keys of the provider; fetch them again if they are old, or if one with this id is missing."""
        address = self.get().jwks_uri
        with self._lock:
            if self._keys is None or _is_old(self._keys[0]) or self._is_rotated(self._keys[1], key_id):
                self._keys = time.monotonic(), _import_keys(self._http.get(address, _KeyDocument))
            return self._keys[1]

    def _is_rotated(self, known: KeySet, key_id: str | None) -> bool:
        if key_id is None or any(key.kid == key_id for key in known.keys):
            return False
        return not self._rotations.take("keys")


def _is_old(at: float) -> bool:
    return time.monotonic() - at > CACHE_SECONDS


def _import_keys(document: _KeyDocument) -> KeySet:
    """Return the signature keys of a document. Keys of other kinds are left out, symmetric ones above all."""
    from joserfc.errors import JoseError
    from joserfc.jwk import JWKRegistry, KeySet

    found = []
    for one in document.keys[:MAX_KEYS]:
        if one.get("kty") in ("RSA", "EC", "OKP") and one.get("use", "sig") == "sig" and "d" not in one:
            try:
                found.append(JWKRegistry.import_key(one))
            except (JoseError, ValueError, TypeError, KeyError):
                continue  # a curve or a parameter that the library does not know: other keys still count
    return KeySet(found)

"""Requests to a provider: with a deadline, a limit on the reply, and only to addresses that the settings allow."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TypeVar
from urllib.parse import urlencode

import msgspec

from interlock.config.sign_in import OidcSettings
from interlock.errors import InterlockError
from interlock.http_client import HttpError, HttpRequest, send
from interlock.sanitise import plain
from interlock.server.webhooks.address_policy import AddressPolicy

REQUEST_SECONDS = 10.0
MAX_REPLY = 500_000
Found = TypeVar("Found")


class ProviderError(InterlockError):
    """A sign-in failed at or because of the provider. The message holds no secret, and people may read it."""


class ProviderHttp:
    """Sends requests to the endpoints of one provider, and decodes the replies."""

    def __init__(self, settings: OidcSettings) -> None:
        self._label = settings.label
        setting = f"sign_in.oidc.{settings.name}.inside"
        self._policy = AddressPolicy(settings.inside, setting=setting)

    def get(self, url: str, kind: type[Found], token: str | None = None) -> Found:
        """Fetch a document."""
        headers = {"Accept": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return self._send("GET", url, headers, None, kind)

    def post(self, url: str, fields: Mapping[str, str], headers: Mapping[str, str], kind: type[Found]) -> Found:
        """Send a form, and return the reply."""
        form = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded", **headers}
        return self._send("POST", url, form, urlencode(fields).encode(), kind)

    def _send(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, kind: type[Found]) -> Found:
        try:
            target = self._policy.check(url)
            request = HttpRequest(method, target.path, headers, body, MAX_REPLY, errors=True)
            reply = send(target, request, deadline=time.monotonic() + REQUEST_SECONDS)
        except HttpError as error:
            raise ProviderError(error.failure.describe(self._label)) from None
        except InterlockError as error:
            raise ProviderError(f"{self._label}: {error}") from None
        if reply.failure is not None:
            raise ProviderError(reply.failure.describe(self._label))
        if reply.status != 200:
            raise ProviderError(f"{self._label} answered with status {reply.status}{_error_code(reply.body)}")
        try:
            return msgspec.json.decode(reply.body, type=kind)
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            raise ProviderError(f"{self._label} sent a reply that cannot be read") from None


class _ErrorReply(msgspec.Struct):
    error: str = ""


def _error_code(body: bytes) -> str:
    """Return the error code of an OAuth reply, for a message; the reply's other texts may quote the request."""
    try:
        code = msgspec.json.decode(body, type=_ErrorReply).error
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return ""
    return f" ({plain(code)[:60]})" if code else ""

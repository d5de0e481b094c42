"""Call the HTTP API of a chat service: JSON in and out, with a deadline. Errors quote no URL: it may hold a token."""

from __future__ import annotations

import time
from threading import Event
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from interlock.config.channels import ChannelSettings
from interlock.errors import ConfigError, InterlockError
from interlock.http_client import HttpConnections, HttpError, HttpReply, HttpRequest, HttpTarget, send
from interlock.server.notify.channel import ChannelError
from interlock.server.webhooks.address_policy import PORTS, AddressPolicy, parse_webhook_url
from interlock.version import VERSION

CALL_SECONDS = 10.0
MAX_REPLY = 1_000_000
TOO_MANY = 429
#: However long a service asks to wait, a message is tried again after this many seconds.
MAX_WAIT = 300.0


class ApiReply(NamedTuple):
    """A reply: its status, its JSON object, and the seconds to wait that its header names."""

    status: int
    body: dict[str, Any]
    wait: float | None


class ChatApi:
    """A chat service at the URL of its API. With a `policy`, only addresses are called that it allows."""

    def __init__(self, url: str, peer: str, policy: AddressPolicy | None = None) -> None:
        parts = parse_webhook_url(url)
        host, port = str(parts.hostname), parts.port or PORTS[parts.scheme]
        self.base, self._peer = parts.path.rstrip("/"), peer
        self._url, self._policy = url, policy
        self._target = HttpTarget(parts.scheme == "https", host, port, self.base)
        self._connections = HttpConnections(self._target)

    def call(
        self,
        path: str,
        body: dict[str, Any],
        headers: dict[str, str] | None = None,
        *,
        seconds: float = CALL_SECONDS,
        stop: Event | None = None,
    ) -> ApiReply:
        """Post a JSON object and return the reply, or raise `ChannelError`.

        Setting `stop` ends the call; a call with it uses a connection that stays open, and may arrive twice.
        """
        sent = {"content-type": "application/json; charset=utf-8", "user-agent": f"interlock/{VERSION}"}
        request = HttpRequest(
            "POST", path, {**sent, **(headers or {})}, msgspec.json.encode(body), MAX_REPLY, errors=True
        )
        self._check_address()
        try:
            reply = self._send(request, time.monotonic() + seconds, stop)
        except HttpError as error:
            raise ChannelError(error.failure.describe(self._peer)) from None
        if reply.failure is not None:
            raise ChannelError(reply.failure.describe(self._peer))
        given = reply.retry_after
        wait = min(float(given), MAX_WAIT) if given.isascii() and given.isdigit() else None
        return ApiReply(reply.status, _object(reply.body), wait)

    def _check_address(self) -> None:
        """Raise unless the policy allows the address. It is checked at each call, since names change."""
        if self._policy is None:
            return
        try:
            target = self._policy.check(self._url)
        except InterlockError as error:
            raise ChannelError(str(error)) from None
        if target != self._target:
            self._target, self._connections = target, HttpConnections(target)

    def _send(self, request: HttpRequest, deadline: float, stop: Event | None) -> HttpReply:
        if stop is None:
            return send(self._target, request, deadline=deadline)
        return self._connections.send(request, deadline=deadline, stop=stop)


def read_token(settings: ChannelSettings) -> str:
    """Return the token of a channel, or raise `ChannelError`: it may be there at the next attempt."""
    try:
        return settings.read_secret("token")
    except ConfigError as error:
        raise ChannelError(str(error)) from None


def _object(body: bytes) -> dict[str, Any]:
    """Return a body as a JSON object; an empty one for anything else."""
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


def origin_of(url: str) -> tuple[str, str, int]:
    """Return the scheme, host and port of a URL.

    >>> origin_of("https://hooks.slack.com/actions/T1/2")
    ('https', 'hooks.slack.com', 443)
    """
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or PORTS.get(parts.scheme, 0)

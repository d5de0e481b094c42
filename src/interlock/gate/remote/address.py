"""The URL of an Interlock server, and the API key for it."""

from __future__ import annotations

import os
import re
from urllib.parse import SplitResult, urlsplit

import msgspec

from interlock.config.addresses import is_loopback
from interlock.errors import ConfigError
from interlock.http_client import HttpTarget

URL_VARIABLE, KEY_VARIABLE = "INTERLOCK_URL", "INTERLOCK_KEY"
_KEY = re.compile(r"ilk_[\w-]{8,200}", re.ASCII)


class RemoteOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Timeouts and retries of requests to a server.

    Each attempt takes at most `timeout` seconds, and all attempts together at most `total_timeout`. With `allow_http`,
    the key may be sent in plain text to another machine; use it only on a trusted network.
    """

    timeout: float = 10.0
    total_timeout: float = 30.0
    attempts: int = 5
    allow_http: bool = False


class ServerAddress:
    """The URL of a server, and the API key, which is never shown."""

    def __init__(self, url: str | None, key: str | None, options: RemoteOptions) -> None:
        given = (url or os.environ.get(URL_VARIABLE, "")).strip()
        if not given:
            raise ConfigError(f'no server is set: use `Gate.remote("https://interlock.example")` or `{URL_VARIABLE}`')
        self.target = _parse(given, options)
        self.url = _format_target(self.target)
        self.key = (key or os.environ.get(KEY_VARIABLE, "")).strip()
        if not self.key:
            raise ConfigError(
                f"`{self.url}` needs a key: set `{KEY_VARIABLE}`, or write `Gate(url, key=…)`; "
                "`interlock keys create NAME` creates one"
            )
        if not _KEY.fullmatch(self.key):
            raise ConfigError(
                "the key is not an Interlock key: those begin with `ilk_`; `interlock keys create NAME` creates one"
            )

    def hide_key(self, text: str) -> str:
        """Return a text in which the key is masked."""
        return text.replace(self.key, "ilk_…")

    def __repr__(self) -> str:
        return f"<server {self.url}>"


def _parse(url: str, options: RemoteOptions) -> HttpTarget:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ConfigError("the address of the server is not a URL; write `https://interlock.example`") from None
    host = parts.hostname or ""
    shown = f"{parts.scheme}://{host}"
    if parts.scheme in ("sqlite", "postgresql", "postgres"):
        raise ConfigError(f"`{parts.scheme}://…` is a store; write `Gate(store=…)`")
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigError(f"`{shown}` is not the URL of a server; write `https://interlock.example`")
    if parts.username is not None or parts.password is not None:
        raise ConfigError(f"`{shown}` contains a user name or password; pass a key with `key=` instead")
    if parts.query or parts.fragment:
        raise ConfigError(f"`{shown}` has a query or a fragment; write the address alone")
    if parts.scheme == "http" and not options.allow_http and not is_loopback(host):
        raise ConfigError(
            f"`{shown}` would send the key in plain text; use `https://`, or, on a trusted network, "
            "`--insecure-http` on the command line and `Gate.remote(…, options=RemoteOptions(allow_http=True))`"
        )
    return _target(parts, host, port)


def _target(parts: SplitResult, host: str, port: int | None) -> HttpTarget:
    secure = parts.scheme == "https"
    return HttpTarget(secure, host, port or (443 if secure else 80), parts.path.rstrip("/"))


def _format_target(target: HttpTarget) -> str:
    host = f"[{target.host}]" if ":" in target.host else target.host
    port = "" if target.port == (443 if target.secure else 80) else f":{target.port}"
    return f"{'https' if target.secure else 'http'}://{host}{port}{target.path}"

"""The address and host names of the server, and whether they are safe."""

from __future__ import annotations

import socket
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from interlock.config.addresses import is_loopback
from interlock.config.settings import ServerSettings
from interlock.errors import InterlockError


class ListenOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where the server listens, and how its traffic is encrypted."""

    settings: ServerSettings
    tls_cert: Path | None = None
    tls_key: Path | None = None
    behind_proxy: bool = False

    @property
    def scheme(self) -> str:
        """The scheme that the server itself speaks."""
        return "https" if self.tls_cert else "http"

    @property
    def url(self) -> str:
        """The URL that people open."""
        host = f"[{self.settings.host}]" if ":" in self.settings.host else self.settings.host
        return self.settings.public_url or f"{self.scheme}://{host}:{self.settings.port}"

    @property
    def hosts(self) -> set[str]:
        """The host names that the server answers to."""
        public = urlsplit(self.url).hostname or ""
        own = {f"[{public}]" if ":" in public else public, self.settings.host}
        return own | ({"localhost", "127.0.0.1", "[::1]"} if is_loopback(self.settings.host) else set())

    def check(self) -> None:
        """Raise if the options contradict each other, or if keys and answers would be sent unencrypted."""
        url = urlsplit(self.url)
        if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment or url.path.strip("/"):
            raise InterlockError(f"a public URL has the form `https://name`, found `{self.url}`")
        if bool(self.tls_cert) != bool(self.tls_key):
            raise InterlockError("TLS needs both `--tls-cert` and `--tls-key`")
        for file in (self.tls_cert, self.tls_key):
            if file is not None and not file.is_file():
                raise InterlockError(f"there is no file `{file}`")
        if not is_loopback(self.settings.host) and not self.tls_cert and not self.behind_proxy:
            raise InterlockError(
                f"`{self.settings.host}` can be reached from other machines, and without TLS anybody on the network "
                "can read keys and forge answers; pass `--tls-cert` and `--tls-key`, or `--behind-proxy` if a proxy "
                "with TLS is in front and this port cannot be reached directly"
            )
        if self.behind_proxy and url.scheme != "https":
            raise InterlockError("behind a proxy, pass the address that people open as `--public-url https://…`")


def bind_socket(options: ListenOptions) -> socket.socket:
    """Return a socket bound to the configured address, or raise if the address cannot be used."""
    host, port = options.settings.host, options.settings.port
    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        raise InterlockError(f"cannot listen at {host}:{port}: {error.strerror}; try another `--port`") from None
    return bound

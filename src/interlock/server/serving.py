"""Serving: the address is checked, the server listens, and stops when it is told to."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import ipaddress
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from interlock.access.people import People
from interlock.access.roles import Role
from interlock.audit.identity import user_name
from interlock.config.settings import ServerSettings
from interlock.errors import ConflictError, InterlockError
from interlock.model import Action
from interlock.server import porch
from interlock.server.app import application
from interlock.server.porch import Porch
from interlock.server.service import Service

#: How long a connection may take to say what it wants.
HEAD_SECONDS = 15
#: How long the head of a request may be.
MAX_HEAD = 64_000
STOP_SECONDS = 5


class Listen(msgspec.Struct, frozen=True, kw_only=True):
    """Where the server listens, and how it is protected."""

    settings: ServerSettings
    tls_cert: Path | None = None
    tls_key: Path | None = None
    behind_proxy: bool = False

    @property
    def scheme(self) -> str:
        """How browsers reach it."""
        return "https" if self.tls_cert else "http"

    @property
    def url(self) -> str:
        """Where people find it."""
        host = f"[{self.settings.host}]" if ":" in self.settings.host else self.settings.host
        return self.settings.public_url or f"{self.scheme}://{host}:{self.settings.port}"

    @property
    def hosts(self) -> set[str]:
        """The names under which it answers."""
        named = urlsplit(self.url).hostname or ""
        own = {f"[{named}]" if ":" in named else named, self.settings.host}
        return own | ({"localhost", "127.0.0.1", "[::1]"} if is_loopback(self.settings.host) else set())

    def check(self) -> None:
        """Raise where what is said to the server could be read on the way."""
        url = urlsplit(self.url)
        if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment or url.path.strip("/"):
            raise InterlockError(f"a public URL is `https://name`, found `{self.url}`")
        if bool(self.tls_cert) != bool(self.tls_key):
            raise InterlockError("TLS takes both `--tls-cert` and `--tls-key`")
        for file in (self.tls_cert, self.tls_key):
            if file is not None and not file.is_file():
                raise InterlockError(f"there is no file `{file}`")
        if not is_loopback(self.settings.host) and not self.tls_cert and not self.behind_proxy:
            raise InterlockError(
                f"`{self.settings.host}` can be reached from other machines, and without TLS everybody between can "
                "read keys and forge answers; give `--tls-cert` and `--tls-key`, or say `--behind-proxy` if a proxy "
                "with TLS stands before it and nobody reaches this port past that"
            )
        if self.behind_proxy and url.scheme != "https":
            raise InterlockError("behind a proxy, say with `--public-url https://…` where people find the server")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Protocol(HttpToolsProtocol):
    """HTTP that waits neither for ever nor for endless headers."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._timer: asyncio.TimerHandle | None = None
        self._head = 0  # how much of a head has come, or -1 while a body comes
        self._wait(HEAD_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Count what comes before a request is said."""
        if self._head >= 0:
            self._head += len(data)
        super().data_received(data)
        if self._head > MAX_HEAD:
            self._hang_up()

    def on_message_begin(self) -> None:
        """Begin to wait for the rest of a head."""
        self._head = 0
        self._wait(HEAD_SECONDS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Go on with the body, which has a time of its own."""
        self._head = -1
        self._wait(porch.BODY_SECONDS + 1)  # the porch answers first
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Stop waiting: everything has come."""
        self._head = 0
        self._stop_waiting()
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the time."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(seconds, self._hang_up)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _hang_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()


class Server(uvicorn.Server):
    """A server that says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so. What is there by then stays, and need not be looked at for garbage again."""
        await super().startup(sockets)
        gc.collect()
        gc.freeze()
        if self.started:
            self._ready()


def serve(
    service: Service, listen: Listen, ready: Callable[[], None], sockets: list[socket.socket] | None = None
) -> None:
    """Serve until somebody says stop."""
    listen.check()
    service.gate.engine.decide(Action.shell("true"))  # what the first one would have to read is read by now
    porch = Porch(
        application(service),
        hosts=listen.hosts,
        max_body=listen.settings.max_body,
        secure=listen.url.startswith("https:"),
        answered=service.gauges.answered,
        behind_proxy=listen.behind_proxy,
    )
    config = uvicorn.Config(
        porch,
        host=listen.settings.host,
        port=listen.settings.port,
        http=Protocol,
        ws="none",
        loop="uvloop",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # the porch reads them: it believes only what the proxy itself has seen
        server_header=False,
        date_header=True,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=STOP_SECONDS,
        ssl_certfile=listen.tls_cert,
        ssl_keyfile=listen.tls_key,
    )
    Server(config, ready).run(sockets)


def welcome(service: Service) -> str:
    """Return a one-time link for whoever runs the server; they are its admin."""
    people: People = service.doors.people
    name = user_name()
    with contextlib.suppress(ConflictError):  # they were here before
        people.add(name, Role.ADMIN, name)
    return f"{service.url}/sign-in/{service.doors.sessions.link(name)}"


def free(listen: Listen) -> socket.socket:
    """Return the socket that is listened at, or raise where somebody else has it."""
    family = socket.AF_INET6 if ":" in listen.settings.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((listen.settings.host, listen.settings.port))
    except OSError as error:
        found.close()
        where = f"{listen.settings.host}:{listen.settings.port}"
        raise InterlockError(f"nobody can listen at {where}: {error.strerror}; try `--port`") from None
    return found

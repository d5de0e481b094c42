"""Run the application with Uvicorn until it is told to stop."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable

import uvicorn
from litestar import Litestar

from interlock.access.roles import Role
from interlock.audit.identity import user_name
from interlock.errors import ConflictError
from interlock.garbage_collector import collect_rarely
from interlock.model import Action
from interlock.server.app import create_app
from interlock.server.http_protocol import DeadlineProtocol
from interlock.server.listen_options import ListenOptions
from interlock.server.middleware import SecurityMiddleware
from interlock.server.service import Service

STOP_SECONDS = 5


class UvicornServer(uvicorn.Server):
    """A server that calls back when it is ready, and when it begins to stop."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None], on_stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready, self._on_stop = on_ready, on_stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen. Objects that exist by then live as long as the server, so the collector skips them."""
        await super().startup(sockets)
        collect_rarely()
        if self.started:
            self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, and wait a few seconds for open requests."""
        self._on_stop()
        await super().shutdown(sockets)


def serve(
    service: Service,
    options: ListenOptions,
    on_ready: Callable[[], None],
    sockets: list[socket.socket] | None = None,
    app: Litestar | None = None,
) -> None:
    """Serve until the process is told to stop; `app` is the service's application if there is one already."""
    options.check()
    service.gate.engine.decide(Action.shell("true"))  # load what the first decision needs before it is asked for
    guarded = SecurityMiddleware(
        app or create_app(service),
        hosts=options.hosts,
        max_body=options.settings.max_body,
        secure=options.url.startswith("https:"),
        count_response=service.prometheus.count_response,
        behind_proxy=options.behind_proxy,
    )
    config = uvicorn.Config(
        guarded,
        host=options.settings.host,
        port=options.settings.port,
        http=DeadlineProtocol,
        ws="none",
        loop="uvloop",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # the middleware reads them, and trusts only the last address
        server_header=False,
        date_header=True,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=STOP_SECONDS,
        ssl_certfile=options.tls_cert,
        ssl_keyfile=options.tls_key,
    )
    UvicornServer(config, on_ready, service.feed.end).run(sockets)


def admin_sign_in_link(service: Service) -> str:
    """Return a one-time sign-in link for the person who runs the server, and make them an admin if they are new."""
    return service.sign_in_link(add_admin(service))


def add_admin(service: Service) -> str:
    """Make the person who runs the server an admin if they are new, and return their name."""
    name = user_name()
    with contextlib.suppress(ConflictError):  # they were added before
        service.authenticator.people.add(name, Role.ADMIN, name)
    return name

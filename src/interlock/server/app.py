"""The application: routes, the door before them, and the porch before that."""

from __future__ import annotations

from typing import Any

from litestar import Litestar, Request, Router
from litestar.di import Provide
from litestar.enums import ScopeType
from litestar.handlers import HTTPRouteHandler
from litestar.middleware import ASGIMiddleware
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.types import ASGIApp, Receive, Scope, Send

from interlock.server.api import (
    access,
    approvals,
    audit,
    evaluate,
    events,
    health,
    hooks,
    metrics,
    policies,
    runs,
    webhooks,
)
from interlock.server.authentication import OPEN, check_address, check_form, check_right
from interlock.server.cookies import cookie
from interlock.server.pages.renderer import Pages
from interlock.server.pages.routes import site
from interlock.server.problems import Refused, handle
from interlock.server.service import Service
from interlock.version import VERSION

API = [
    *evaluate.ROUTES,
    *hooks.ROUTES,
    *events.ROUTES,
    *runs.ROUTES,
    *approvals.ROUTES,
    *policies.ROUTES,
    *metrics.ROUTES,
    *audit.ROUTES,
    *access.ROUTES,
    *webhooks.ROUTES,
]
_KEYS = "`interlock keys create` makes one."
_TELL = "Decides, before it runs, whether an AI agent's action may run. Times are microseconds since 1970, UTC."


class Door(ASGIMiddleware):
    """Finds out who a request comes from, and refuses what they may not even ask."""

    scopes = (ScopeType.HTTP,)

    def __init__(self, service: Service) -> None:
        self._service = service

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Let a request in."""
        request: Request[Any, Any, Any] = Request(scope, receive, send)
        if scope["query_string"]:
            check_address(request)
        doors = self._service.doors
        come = await doors.come_in(request)
        scope["user"] = None if come is None else come.caller
        if come is not None and come.secret is not None:
            scope["state"]["cookie"] = cookie(doors, come.secret)
        self._check_rate(request)
        if come is not None and come.caller.session_id is not None:
            await check_form(request, doors, come.caller)
        await next_app(scope, receive, send)

    def _check_rate(self, request: Request[Any, Any, Any]) -> None:
        caller = request.scope["user"]
        client = request.client
        who = caller.key_id or caller.session_id if caller is not None else f"at {client.host if client else ''}"
        seconds = self._service.calls.take(str(who))
        if seconds:
            raise Refused(429, "too many requests; wait a moment", {"retry-after": str(int(seconds) + 1)})


def application(service: Service, more: list[Any] | None = None) -> Litestar:
    """Return the application of a service. `more` are routes besides."""
    pages = Pages(service)
    app = Litestar(
        [Router("/v1", route_handlers=list(API)), *health.ROUTES, *site(pages), *(more or [])],
        dependencies={"service": Provide(lambda: service, sync_to_thread=False, use_cache=True)},
        middleware=[Door(service)],
        guards=[check_right],
        exception_handlers={Exception: handle},
        openapi_config=OpenAPIConfig(
            title="Interlock",
            version=VERSION,
            description=_TELL,
            openapi_router=Router("/openapi", route_handlers=[], opt={"right": OPEN}, include_in_schema=False),
            render_plugins=[JsonRenderPlugin(path="/openapi.json")],
            components=Components(
                security_schemes={"key": SecurityScheme(type="http", scheme="bearer", description=_KEYS)}
            ),
            security=[{"key": []}],
        ),
        lifespan=[lambda _app: service.running()],
        logging_config=None,
        debug=False,
    )
    app.state.pages = pages
    _check_rights(app)
    return app


def _check_rights(app: Litestar) -> None:
    """Raise where a route does not say what it takes: nothing is open because somebody forgot."""
    for route in app.routes:
        for handler in getattr(route, "route_handlers", ()):
            if handler.http_methods == {"OPTIONS"}:
                handler.opt["right"] = OPEN  # it says which methods there are, and nothing else
            if isinstance(handler, HTTPRouteHandler) and "right" not in handler.opt:
                raise RuntimeError(f"`{handler}` does not say in `right` what it takes")

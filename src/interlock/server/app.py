"""The application: the routes of the API and the pages, and authentication before them."""

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
    central,
    changes,
    channels,
    chat_slack,
    check,
    configuration,
    evaluate,
    events,
    grants,
    groups,
    health,
    hooks,
    identities,
    metrics,
    pauses,
    policies,
    policy_revisions,
    runs,
    stops,
    stream,
    suggestions,
    tools,
    triage,
    views,
    webhooks,
)
from interlock.server.authentication import client_address, reject_key_in_url
from interlock.server.authorization import IN_OUTAGE, OPEN, check_right
from interlock.server.cookies import session_cookie
from interlock.server.csrf import check_csrf
from interlock.server.notify.chats import Chats
from interlock.server.pages.renderer import PageRenderer
from interlock.server.pages.routes import page_routes
from interlock.server.problems import RequestError, handle_error
from interlock.server.service import Service
from interlock.version import VERSION

API = [
    *evaluate.ROUTES,
    *check.ROUTES,
    *hooks.ROUTES,
    *events.ROUTES,
    *tools.ROUTES,
    *runs.ROUTES,
    *approvals.ROUTES,
    *triage.ROUTES,
    *views.ROUTES,
    *policies.ROUTES,
    *policy_revisions.ROUTES,
    *metrics.ROUTES,
    *audit.ROUTES,
    *stream.ROUTES,
    *access.ROUTES,
    *groups.ROUTES,
    *identities.ROUTES,
    *webhooks.ROUTES,
    *channels.ROUTES,
    *changes.ROUTES,
    *grants.ROUTES,
    *suggestions.ROUTES,
    *stops.ROUTES,
    *pauses.ROUTES,
    *central.ROUTES,
    *chat_slack.ROUTES,
    *configuration.ROUTES,
]
_KEYS = "`interlock keys create` makes one."
_DESCRIPTION = "Decides, before it runs, whether an AI agent's action may run. Times are microseconds since 1970, UTC."


class AppParts:
    """The parts of an application that belong to its service. `bind` gives an application that has stopped another."""

    def __init__(self, service: Service) -> None:
        self.bind(service)

    def bind(self, service: Service) -> None:
        """Work on a service from now on."""
        self.service, self.pages, self.chats = service, PageRenderer(service), Chats(service)


class AuthenticationMiddleware(ASGIMiddleware):
    """Authenticates each request, limits its rate, and checks the CSRF token of requests with a session."""

    scopes = (ScopeType.HTTP,)

    def __init__(self, parts: AppParts) -> None:
        self._parts = parts

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Put the caller into `scope["user"]`, and pass the request on."""
        request: Request[Any, Any, Any] = Request(scope, receive, send)
        scope["state"]["seq"] = self._parts.service.feed.seq  # a page shows at least the records up to this one
        if scope["query_string"]:
            reject_key_in_url(request)
        authenticator = self._parts.service.authenticator
        in_outage = scope["route_handler"].opt.get(IN_OUTAGE, False)
        find = authenticator.authenticate_in_outage if in_outage else authenticator.authenticate
        identity = await find(request)
        scope["user"] = None if identity is None else identity.caller
        if identity is not None and identity.new_secret is not None:
            scope["state"]["cookie"] = session_cookie(authenticator, identity.new_secret)
        self._check_rate(request)
        if identity is not None and identity.caller.session_id is not None:
            await check_csrf(request, authenticator, identity.caller)
        await next_app(scope, receive, send)

    def _check_rate(self, request: Request[Any, Any, Any]) -> None:
        caller = request.scope["user"]
        who = caller.key_id or caller.session_id if caller is not None else f"at {client_address(request)}"
        seconds = self._parts.service.request_limiter.take(str(who))
        if seconds:
            raise RequestError(429, "too many requests; wait a moment", {"retry-after": str(int(seconds) + 1)})


def create_app(service: Service, more_routes: list[Any] | None = None) -> Litestar:
    """Return the application of a service, with more routes if some are given."""
    parts = AppParts(service)
    app = Litestar(
        [Router("/v1", route_handlers=list(API)), *health.ROUTES, *page_routes(), *(more_routes or [])],
        dependencies={
            "service": Provide(lambda: parts.service, sync_to_thread=False),
            "chats": Provide(lambda: parts.chats, sync_to_thread=False),
            "pages": Provide(lambda: parts.pages, sync_to_thread=False),
        },
        middleware=[AuthenticationMiddleware(parts)],
        guards=[check_right],
        exception_handlers={Exception: handle_error},
        openapi_config=OpenAPIConfig(
            title="Interlock",
            version=VERSION,
            description=_DESCRIPTION,
            openapi_router=Router("/openapi", route_handlers=[], opt={"right": OPEN}, include_in_schema=False),
            render_plugins=[JsonRenderPlugin(path="/openapi.json")],
            components=Components(
                security_schemes={"key": SecurityScheme(type="http", scheme="bearer", description=_KEYS)}
            ),
            security=[{"key": []}],
        ),
        lifespan=[lambda _app: parts.service.lifespan(), lambda _app: parts.chats.lifespan()],
        logging_config=None,
        debug=False,
    )
    app.state.parts = parts
    _require_rights(app)
    return app


def _require_rights(app: Litestar) -> None:
    """Raise if a route does not declare its `right`, so that no route is open by omission."""
    for route in app.routes:
        for handler in getattr(route, "route_handlers", ()):
            if handler.http_methods == {"OPTIONS"}:
                handler.opt["right"] = OPEN  # it only lists the methods of the route
            if isinstance(handler, HTTPRouteHandler) and "right" not in handler.opt:
                raise RuntimeError(f"`{handler}` does not declare the `right` that it requires")

"""The routes of all pages, and of their static files."""

from __future__ import annotations

from typing import Any

from litestar import Router
from litestar.di import Provide
from litestar.static_files import create_static_files_router

from interlock.server.authorization import OPEN
from interlock.server.pages import (
    actions,
    agents,
    api_reference,
    approvals,
    audit,
    machines,
    not_found,
    observe,
    overview,
    policies,
    run,
    runs,
    settings,
    sign_in,
    stops,
    try_it,
)
from interlock.server.pages.renderer import FOLDER, PageRenderer

_ROUTES = [
    *overview.ROUTES,
    *actions.ROUTES,
    *agents.ROUTES,
    *runs.ROUTES,
    *run.ROUTES,
    *stops.ROUTES,
    *approvals.ROUTES,
    *policies.ROUTES,
    *observe.ROUTES,
    *audit.ROUTES,
    *machines.ROUTES,
    *settings.ROUTES,
    *try_it.ROUTES,
    *sign_in.ROUTES,
    *api_reference.ROUTES,
    *not_found.ROUTES,
]


def page_routes(renderer: PageRenderer) -> list[Any]:
    """Return the routes of all pages."""
    static = create_static_files_router(
        "/static", directories=[FOLDER / "static"], opt={"right": OPEN}, include_in_schema=False, name="static"
    )
    provide = Provide(lambda: renderer, sync_to_thread=False, use_cache=True)
    return [static, Router("/", route_handlers=list(_ROUTES), dependencies={"pages": provide})]

"""All pages together, and the files that they need."""

from __future__ import annotations

from typing import Any

from litestar import Router
from litestar.di import Provide
from litestar.static_files import create_static_files_router

from interlock.server.doors import OPEN
from interlock.server.pages import approvals, audit, overview, policies, reference, runs, sign_in, trying
from interlock.server.pages.looks import FOLDER, Pages

_ROUTES = [
    *overview.ROUTES,
    *runs.ROUTES,
    *approvals.ROUTES,
    *policies.ROUTES,
    *audit.ROUTES,
    *trying.ROUTES,
    *sign_in.ROUTES,
    *reference.ROUTES,
]


def site(pages: Pages) -> list[Any]:
    """Return the routes of all pages."""
    static = create_static_files_router(
        "/static", directories=[FOLDER / "static"], opt={"right": OPEN}, include_in_schema=False, name="static"
    )
    provide = Provide(lambda: pages, sync_to_thread=False, use_cache=True)
    return [static, Router("/", route_handlers=list(_ROUTES), dependencies={"pages": provide})]

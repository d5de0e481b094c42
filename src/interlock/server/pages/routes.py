"""The routes of all pages, and of their static files."""

from __future__ import annotations

from typing import Any

from litestar import Router
from litestar.static_files import create_static_files_router

from interlock.server.authorization import OPEN
from interlock.server.pages import (
    actions,
    agents,
    api_reference,
    approvals,
    audit,
    bulk_answers,
    changes,
    channels,
    chat_accounts,
    configuration,
    coverage,
    discussion,
    glossary,
    grants,
    groups,
    health,
    inbox,
    keys,
    machines,
    not_found,
    notifications,
    observe,
    overview,
    pauses,
    people,
    policies,
    provider_sign_in,
    reports,
    retention,
    run,
    runs,
    settings,
    sign_in,
    sign_in_settings,
    stops,
    stored_channel,
    suggestions,
    try_it,
    views,
    web_app,
    webhooks,
)
from interlock.server.pages.renderer import FOLDER

_ROUTES = [
    *overview.ROUTES,
    *actions.ROUTES,
    *agents.ROUTES,
    *runs.ROUTES,
    *run.ROUTES,
    *stops.ROUTES,
    *pauses.ROUTES,
    *inbox.ROUTES,
    *bulk_answers.ROUTES,
    *discussion.ROUTES,
    *views.ROUTES,
    *approvals.ROUTES,
    *policies.ROUTES,
    *observe.ROUTES,
    *reports.ROUTES,
    *coverage.ROUTES,
    *audit.ROUTES,
    *grants.ROUTES,
    *suggestions.ROUTES,
    *machines.ROUTES,
    *notifications.ROUTES,
    *web_app.ROUTES,
    *chat_accounts.ROUTES,
    *channels.ROUTES,
    *stored_channel.ROUTES,
    *settings.ROUTES,
    *people.ROUTES,
    *keys.ROUTES,
    *webhooks.ROUTES,
    *retention.ROUTES,
    *configuration.ROUTES,
    *health.ROUTES,
    *changes.ROUTES,
    *try_it.ROUTES,
    *sign_in.ROUTES,
    *provider_sign_in.ROUTES,
    *groups.ROUTES,
    *sign_in_settings.ROUTES,
    *api_reference.ROUTES,
    *glossary.ROUTES,
    *not_found.ROUTES,
]


def page_routes() -> list[Any]:
    """Return the routes of all pages."""
    static = create_static_files_router(
        "/static", directories=[FOLDER / "static"], opt={"right": OPEN}, include_in_schema=False, name="static"
    )
    return [static, Router("/", route_handlers=list(_ROUTES))]

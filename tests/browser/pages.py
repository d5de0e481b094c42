"""The pages that the check of layout and accessibility visits: an address at least for every route of a page."""

from __future__ import annotations

#: The addresses of each route of a page. Names in braces are made by the test.
PAGES: dict[str, tuple[str, ...]] = {
    "/": ("/",),
    "/actions": ("/actions",),
    "/agents": ("/agents",),
    "/agents/{agent_path}": ("/agents/shop-agent",),
    "/approvals": ("/approvals?state=all", "/approvals?mine=1&sort=risk&group=0&age=5m&q=push"),
    "/approvals/answer": ("/approvals/answer?verdict=reject&id={request}",),
    "/approvals/{approval_id}": ("/approvals/{request}",),
    "/audit": ("/audit",),
    "/docs": ("/docs",),
    "/glossary": ("/glossary",),
    "/observe": ("/observe",),
    "/policies": ("/policies?sort=matches&order=desc",),
    "/policies/{policy_id}": ("/policies/new", "/policies/production-changes"),
    "/reports": ("/reports",),
    "/reports/coverage": ("/reports/coverage",),
    "/runs": ("/runs?sort=risk&level=risky",),
    "/runs/{run_path}": ("/runs/run-shop-1",),
    "/settings/changes/{record_id}/undo": ("/settings/changes/{change}/undo",),
    "/settings/channels": ("/settings/channels",),
    "/settings/channels/new": ("/settings/channels/new", "/settings/channels/new?kind=apprise"),
    "/settings/channels/{name}/edit": ("/settings/channels/mail/edit",),
    "/settings/chat-accounts": ("/settings/chat-accounts",),
    "/settings/configuration": ("/settings/configuration",),
    "/settings/grants": ("/settings/grants",),
    "/settings/groups": ("/settings/groups",),
    "/settings/groups/{name}": ("/settings/groups/sre",),
    "/settings/health": ("/settings/health",),
    "/settings/keys": ("/settings/keys",),
    "/settings/keys/new": ("/settings/keys/new",),
    "/settings/keys/{key_id}": ("/settings/keys/{key}",),
    "/settings/machines": ("/settings/machines",),
    "/settings/notifications": ("/settings/notifications",),
    "/settings/people": ("/settings/people",),
    "/settings/people/{name}": ("/settings/people/root",),
    "/settings/retention": ("/settings/retention",),
    "/settings/sign-in": ("/settings/sign-in",),
    "/settings/webhooks": ("/settings/webhooks",),
    "/settings/webhooks/new": ("/settings/webhooks/new",),
    "/settings/webhooks/{webhook_id}": ("/settings/webhooks/{webhook}",),
    "/stops": ("/stops?agent=shop-agent",),
    "/suggestions": ("/suggestions",),
    "/try": ("/try",),
    "/{path}": ("/nothing-here",),
}
#: Pages for those who are not signed in.
OPEN_PAGES: dict[str, tuple[str, ...]] = {
    "/sign-in": ("/sign-in",),
    "/sign-in/{secret}": ("/sign-in/{link}", "/sign-in/used"),
}
#: Routes that are visited elsewhere or that show no page, each with the reason.
NO_PAGES = {
    "/actions/export": "a file",
    "/actions/{record_id}": "leads to the action in its run",
    "/approvals/next": "leads to a request",
    "/audit/export": "a file",
    "/machines": "leads to the page in the settings",
    "/overview/export": "a file",
    "/policies/{policy_id}/values": "a part of a page",
    "/reports/{name}": "a file",
    "/settings": "leads to the first page of the settings",
    "/sign-in/oidc/{provider}": "leads to the provider",
    "/sign-in/oidc/{provider}/callback": "leads to the overview",
    "/sign-out/{provider}": "leads to the provider",
    "/suggestions/{suggestion_id}": "checked in test_suggestions.py, which has a history to suggest from",
}
#: Routes for programs begin like this.
FOR_PROGRAMS = (
    "/v1/",
    "/docs/",
    "/openapi",
    "/static/",
    "/metrics",
    "/healthz",
    "/readyz",
    "/manifest.webmanifest",
    "/service-worker.js",
)


def missing_pages(routes: set[str]) -> set[str]:
    """Return the routes of pages that no address visits."""
    known = {*PAGES, *OPEN_PAGES, *NO_PAGES}
    return {route for route in routes if not route.startswith(FOR_PROGRAMS) and route not in known}

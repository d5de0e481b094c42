"""The pages that every check of layout and accessibility visits."""

from __future__ import annotations

PAGES = (
    "/",
    "/approvals",
    "/approvals?state=all",
    "/runs",
    "/runs/run-shop-1",
    "/policies",
    "/policies/new",
    "/observe",
    "/audit",
    "/try",
    "/docs",
    "/settings/people",
    "/settings/people/root",
    "/settings/keys",
    "/settings/keys/new",
    "/settings/webhooks",
    "/settings/webhooks/new",
    "/settings/retention",
    "/settings/configuration",
    "/settings/machines",
    "/settings/health",
    "/nothing-here",
)

"""The pages that every check of layout and accessibility visits."""

from __future__ import annotations

PAGES = (
    "/",
    "/approvals",
    "/approvals?state=all",
    "/runs",
    "/runs/run-shop-1",
    "/runs?sort=risk&level=risky",
    "/actions",
    "/actions?verdict=stopped&sort=level",
    "/agents",
    "/agents/shop-agent",
    "/policies",
    "/policies/new",
    "/observe",
    "/audit",
    "/audit?kind=approvals",
    "/try",
    "/docs",
    "/settings/machines",
    "/nothing-here",
)

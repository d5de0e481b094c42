"""The pages that every check of layout and accessibility visits."""

from __future__ import annotations

PAGES = (
    "/",
    "/approvals",
    "/approvals?state=all",
    "/approvals?mine=1&sort=risk&group=0&age=5m&q=push",
    "/runs",
    "/runs/run-shop-1",
    "/policies",
    "/policies/new",
    "/observe",
    "/audit",
    "/try",
    "/docs",
    "/settings/machines",
    "/nothing-here",
)

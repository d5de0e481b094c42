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
    "/settings/machines",
    "/settings/grants",
    "/nothing-here",
)

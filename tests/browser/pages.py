"""The pages that every check of layout and accessibility visits."""

from __future__ import annotations

PAGES = (
    "/",
    "/approvals",
    "/approvals?state=all",
    "/runs",
    "/runs/run-shop-1",
    "/policies",
    "/policies?sort=matches&order=desc",
    "/policies/new",
    "/policies/production-changes",
    "/observe",
    "/audit",
    "/try",
    "/docs",
    "/settings/machines",
    "/nothing-here",
)

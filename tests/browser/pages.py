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
    "/glossary",
    "/settings/machines",
    "/settings/notifications",
    "/settings/chat-accounts",
    "/settings/groups",
    "/settings/sign-in",
    "/settings/grants",
    "/nothing-here",
)

"""The grants page: which approvals are remembered, how often they were used, and the button that revokes one."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any

from litestar import Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.approval.request import GrantScope
from interlock.errors import ApprovalError
from interlock.server.administration.recent_changes import recent_changes
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.pagination import cut_page
from interlock.store.clock import now
from interlock.store.paging import PageCursor, parse_cursor

PER_PAGE = 50
#: How long each scope counts, as the page says it.
SCOPES = {
    GrantScope.ONCE: "once",
    GrantScope.MINUTES: "for 15 minutes",
    GrantScope.RUN: "for one run",
    GrantScope.DAY: "for a day",
    GrantScope.ALWAYS: "until it expires",
}


@get("/settings/grants", opt={"right": Right.SEE}, include_in_schema=False)
async def show_grants(
    request: PageRequest,
    pages: PagesDependency,
    all_: Annotated[bool, QueryParameter(name="all")] = False,
    cursor: Annotated[str, QueryParameter(max_length=600)] = "",
) -> Response[str]:
    """Show the grants."""
    return await to_thread(_page, request, pages, everything=all_, cursor=cursor)


@post("/settings/grants/{grant_id:str}/revoke", opt={"right": Right.ANSWER}, include_in_schema=False)
async def revoke(request: PageRequest, pages: PagesDependency, grant_id: FromPath[str]) -> Response[Any]:
    """Revoke a grant."""

    def work() -> Response[Any]:
        try:
            pages.service.gate.grants.revoke(grant_id, request.user.name)
        except ApprovalError as error:
            return _page(request, pages, error=str(error))
        return Redirect("/settings/grants", status_code=303)

    return await to_thread(work)


def _page(
    request: PageRequest, pages: PageRenderer, *, everything: bool = False, cursor: str = "", error: str = ""
) -> Response[str]:
    after = parse_cursor(cursor) if cursor else None
    found = pages.service.gate.grants.list(everything=everything, limit=PER_PAGE + 1, after=after)
    grants, more = cut_page(found, PER_PAGE, lambda one: PageCursor(one.created_at, one.grant_id))
    return pages.render(
        request,
        "grants.html",
        status=422 if error else 200,
        grants=grants,
        more=more,
        everything=everything,
        at=now().wall,
        scopes=SCOPES,
        changes=recent_changes(pages.service, request.user.name, "grants"),
        error=error,
    )


ROUTES = [show_grants, revoke]

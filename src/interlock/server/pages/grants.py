"""The grants page: which approvals are remembered, how often they were used, and the button that revokes one."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any

from litestar import Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.approval.grants import Grant
from interlock.approval.request import GrantScope
from interlock.errors import ApprovalError, MissingError
from interlock.server.administration.recent_changes import recent_changes
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.pagination import cut_page
from interlock.store.clock import now
from interlock.store.paging import PageCursor, parse_cursor

PER_PAGE = 50
#: Which grants the page shows.
ACTIVE, ALL, ONE = "active", "all", "one"
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
    id_: Annotated[str, QueryParameter(name="id", max_length=80)] = "",
) -> Response[str]:
    """Show the grants, or the one that an action ran under."""
    if id_:
        return await to_thread(_show_one, request, pages, id_)
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


def _show_one(request: PageRequest, pages: PageRenderer, grant_id: str) -> Response[str]:
    found = pages.service.gate.grants.find(grant_id)
    if found is None:
        raise MissingError("there is no such grant; it may have been removed by retention")
    return _render(request, pages, grants=[found], shown=ONE)


def _page(
    request: PageRequest, pages: PageRenderer, *, everything: bool = False, cursor: str = "", error: str = ""
) -> Response[str]:
    after = parse_cursor(cursor) if cursor else None
    found = pages.service.gate.grants.list(everything=everything, limit=PER_PAGE + 1, after=after)
    grants, more = cut_page(found, PER_PAGE, lambda one: PageCursor(one.created_at, one.grant_id))
    return _render(request, pages, grants=grants, more=more, shown=ALL if everything else ACTIVE, error=error)


def _render(
    request: PageRequest,
    pages: PageRenderer,
    *,
    grants: list[Grant],
    shown: str,
    more: str | None = None,
    error: str = "",
) -> Response[str]:
    return pages.render(
        request,
        "grants.html",
        status=422 if error else 200,
        grants=grants,
        more=more,
        shown=shown,
        at=now().wall,
        scopes=SCOPES,
        changes=recent_changes(pages.service, request.user.name, "grants"),
        error=error,
    )


ROUTES = [show_grants, revoke]

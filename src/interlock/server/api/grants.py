"""`/v1/grants`: approvals that are remembered, for an action or for all of a shape."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated

from litestar import get, post
from litestar.params import FromPath, QueryParameter

from interlock.approval.grants import Grant
from interlock.approval.request import GrantScope
from interlock.model import Struct
from interlock.server.api.parameters import ANSWER, SEE, ApiRequest, CursorParameter, PageSize, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.pagination import cut_page
from interlock.server.schemas import Page
from interlock.store.clock import now
from interlock.store.paging import PageCursor, parse_cursor

All = Annotated[bool, QueryParameter(name="all", description="also those that expired or were revoked")]


class GrantWire(Struct, frozen=True, kw_only=True):
    """A grant. `text` states everything that it covers; `shape_id` is null if that is exactly one action."""

    grant_id: str
    state: str
    text: str
    shape_id: str | None
    scope: GrantScope
    run_id: str
    agent_id: str | None
    workspace: str | None
    granted_by: str
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    uses: int
    last_used_at: int | None
    approval_id: str | None


def grant_wire(grant: Grant) -> GrantWire:
    """Return the response for a grant."""
    shared = {name: getattr(grant, name) for name in GrantWire.__struct_fields__ if name in grant.__struct_fields__}
    return GrantWire(
        **shared,
        state=grant.state(now().wall),
        text=grant.shown,
        shape_id=None if grant.shape is None else grant.shape.shape_id,
        approval_id=grant.request_id,
    )


@get("/grants", opt={"right": SEE}, responses=problem_responses(), summary="Grants, newest first", tags=["grants"])
async def list_grants(
    service: ServiceDependency, limit: PageSize = 50, cursor: CursorParameter = None, all_: All = False
) -> Page[GrantWire]:
    """List the grants."""
    after = parse_cursor(cursor) if cursor else None
    found = await to_thread(service.gate.grants.list, everything=all_, limit=limit + 1, after=after)
    grants, next_cursor = cut_page(found, limit, lambda one: PageCursor(one.created_at, one.grant_id))
    return Page(items=[grant_wire(grant) for grant in grants], next=next_cursor)


@post(
    "/grants/{grant_id:str}/revoke",
    opt={"right": ANSWER},
    status_code=200,
    responses=problem_responses(),
    summary="Revoke a grant",
    description="The actions that it covered need approval again.",
    tags=["grants"],
)
async def revoke_grant(request: ApiRequest, service: ServiceDependency, grant_id: FromPath[str]) -> GrantWire:
    """Revoke a grant."""
    return grant_wire(await to_thread(service.gate.grants.revoke, grant_id, request.user.name))


ROUTES = [list_grants, revoke_grant]

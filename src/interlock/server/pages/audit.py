"""The record: searched, followed, proved and exported."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.params import QueryParameter

from interlock.access.roles import Right
from interlock.audit.read import FAMILIES, StoredRecord
from interlock.errors import InterlockError
from interlock.server.api.audit import Verified, proof_of, verified
from interlock.server.api.shared import threaded
from interlock.server.pages.looks import Pages, Shown
from interlock.server.pages.runs import found_in
from interlock.server.timeline import item_of


@get("/audit", opt={"right": Right.SEE}, include_in_schema=False)
async def audit(
    request: Request[Any, Any, Any],
    pages: Shown,
    kind: Annotated[str, QueryParameter(max_length=40)] = "",
    run: Annotated[str, QueryParameter(max_length=200)] = "",
    q: Annotated[str, QueryParameter(max_length=200)] = "",
    before: Annotated[int, QueryParameter(ge=0, lt=2**62)] = 0,
) -> Response[str]:
    """Show the record, the newest first."""
    return await threaded(_page, request, pages, kind, run, q, before)


@post("/audit", opt={"right": Right.SEE}, status_code=200, include_in_schema=False)
async def prove(request: Request[Any, Any, Any], pages: Shown) -> Response[str]:
    """Prove the record, at the press of a button: a page that follows it does not do so again each time."""
    proof = verified(await proof_of(pages.service))
    return await threaded(lambda: _page(request, pages, proof=proof))


def _page(
    request: Request[Any, Any, Any],
    pages: Pages,
    kind: str = "",
    run: str = "",
    q: str = "",
    before: int = 0,
    proof: Verified | None = None,
) -> Response[str]:
    error, further = "", None
    lines: list[StoredRecord] = []
    try:
        database = pages.service.journal.database
        lines, further = found_in(database, run or None, q, "", before or 2**62, kind=kind or None)
    except InterlockError as wrong:
        error = str(wrong)
    return pages.render(
        request,
        "audit.html",
        status=422 if error else 200,
        items=[item_of(line.record) for line in reversed(lines)],
        further=further,
        asked={"kind": kind, "run": run, "q": q},
        families=FAMILIES,
        proof=proof,
        newest=not before,
        error=error,
    )


ROUTES = [audit, prove]

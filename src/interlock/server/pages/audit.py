"""The audit page: search, verify and export the records."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated

from litestar import Response, get, post
from litestar.params import QueryParameter

from interlock.access.roles import Right
from interlock.audit.read import FAMILIES, StoredRecord
from interlock.errors import InterlockError
from interlock.server.api.audit import VerificationResult, verification_result, verify_chain
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.pages.runs import search_records
from interlock.server.timeline import item_of


@get("/audit", opt={"right": Right.SEE}, include_in_schema=False)
async def audit(
    request: PageRequest,
    pages: PagesDependency,
    kind: Annotated[str, QueryParameter(max_length=40)] = "",
    run: Annotated[str, QueryParameter(max_length=200)] = "",
    q: Annotated[str, QueryParameter(max_length=200)] = "",
    before: Annotated[int, QueryParameter(ge=0, lt=2**62)] = 0,
) -> Response[str]:
    """Show the records, newest first."""
    return await to_thread(_page, request, pages, kind, run, q, before)


@post("/audit", opt={"right": Right.SEE}, status_code=200, include_in_schema=False)
async def verify(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Verify the chain when the button is pressed, and not again with every live update of the page."""
    proof = verification_result(await verify_chain(pages.service))
    return await to_thread(lambda: _page(request, pages, proof=proof))


def _page(
    request: PageRequest,
    pages: PageRenderer,
    kind: str = "",
    run: str = "",
    q: str = "",
    before: int = 0,
    proof: VerificationResult | None = None,
) -> Response[str]:
    error, continue_at = "", None
    lines: list[StoredRecord] = []
    try:
        database = pages.service.journal.database
        lines, continue_at = search_records(database, run or None, q, "", before or 2**62, kind=kind or None)
    except InterlockError as raised:
        error = str(raised)
    return pages.render(
        request,
        "audit.html",
        status=422 if error else 200,
        items=[item_of(line.record) for line in reversed(lines)],
        continue_at=continue_at,
        query={"kind": kind, "run": run, "q": q},
        families=FAMILIES,
        proof=proof,
        newest=not before,
        error=error,
    )


ROUTES = [audit, verify]

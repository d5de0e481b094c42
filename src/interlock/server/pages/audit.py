"""The record: searched, followed, proved and exported."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Request, Response, get
from litestar.params import FromQuery, QueryParameter

from interlock.access.roles import Right
from interlock.audit.read import FAMILIES, Line
from interlock.errors import InterlockError
from interlock.server.api.audit import proof_of, verified
from interlock.server.api.shared import threaded
from interlock.server.pages.looks import Shown
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
    verify: FromQuery[bool] = False,
) -> Response[str]:
    """Show the record, the newest first."""

    def work() -> Response[str]:
        service = pages.service
        error, further = "", None
        lines: list[Line] = []
        try:
            lines, further = found_in(service.journal.database, run or None, q, "", before or 2**62, kind=kind or None)
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
            proof=verified(proof_of(service)) if verify else None,
            newest=not before,
            error=error,
        )

    return await threaded(work)


ROUTES = [audit]

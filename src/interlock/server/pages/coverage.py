"""The page of coverage: what never matched, what was only partly read, and what was not known."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated

from litestar import Response, get
from litestar.params import QueryParameter

from interlock.access.roles import Right
from interlock.learning.coverage import MAX_DAYS, coverage_report
from interlock.server.pages.renderer import PageRequest, PagesDependency


@get("/reports/coverage", opt={"right": Right.SEE}, include_in_schema=False)
async def show_coverage(
    request: PageRequest, pages: PagesDependency, days: Annotated[int, QueryParameter(ge=1, le=MAX_DAYS)] = 30
) -> Response[str]:
    """Show the coverage of the last days."""

    def work() -> Response[str]:
        configuration = pages.service.gate.configuration
        policies = configuration.engine.policies
        report = coverage_report(pages.service.journal, policies, configuration.config.knowledge, days)
        return pages.render(request, "coverage.html", report=report, days=days)

    return await to_thread(work)


ROUTES = [show_coverage]

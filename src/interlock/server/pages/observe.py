"""The page of observed actions: which would have been stopped, and how to enforce the verdicts."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated

from litestar import Response, get
from litestar.params import QueryParameter

from interlock.access.roles import Right
from interlock.metrics.observe_report import MAX_DAYS, observe_report
from interlock.metrics.observed_callers import list_observed
from interlock.server.pages.renderer import PageRequest, PagesDependency
from interlock.store.clock import now

Days = Annotated[int, QueryParameter(ge=1, le=MAX_DAYS)]


@get("/observe", opt={"right": Right.SEE}, include_in_schema=False)
async def show_report(
    request: PageRequest,
    pages: PagesDependency,
    days: Days = 7,
    agent: Annotated[str, QueryParameter(max_length=200)] = "",
) -> Response[str]:
    """Show the observed actions that would have been stopped."""

    def work() -> Response[str]:
        service = pages.service
        report = observe_report(service.journal, days, agent.strip() or None)
        keys = service.authenticator.keys.list()
        observed = list_observed(service.gate.config.observe, keys, now().wall)
        return pages.render(request, "observe.html", report=report, observed=observed, days=days, agent=agent)

    return await to_thread(work)


ROUTES = [show_report]

"""The page of a server's health: problems first, each with what to do."""

from __future__ import annotations

from asyncio import to_thread

from litestar import Response, get

from interlock.access.roles import Right
from interlock.server.administration.health import GOOD, check_health
from interlock.server.pages.renderer import PageRequest, PagesDependency


@get("/settings/health", opt={"right": Right.SEE}, include_in_schema=False)
async def show_health(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the health of the server."""

    def work() -> Response[str]:
        checks = check_health(pages.service)
        wrong = [check for check in checks if check.state != GOOD]
        return pages.render(request, "health.html", checks=checks, wrong=wrong)

    return await to_thread(work)


ROUTES = [show_health]

"""The machines page: which machine has which version of the bundle."""

from __future__ import annotations

from asyncio import to_thread

from litestar import Response, get
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.server.pages.renderer import PageRequest, PagesDependency
from interlock.store.clock import MICROSECONDS, now
from interlock.version import VERSION

#: A machine that has not reported for this long is highlighted.
SILENT_DAYS = 7


@get("/settings/machines", opt={"right": Right.SEE}, include_in_schema=False)
async def show_machines(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the machines, those with a problem first."""

    def work() -> Response[str]:
        bundle = pages.service.current_bundle().bundle
        silent = now().wall - SILENT_DAYS * 86_400 * MICROSECONDS
        rows = [(one, one.bundle == bundle.version, one.seen_at < silent) for one in pages.service.machines.list()]
        rows.sort(key=lambda row: (row[1] and not row[0].error and not row[2], -row[0].seen_at))
        return pages.render(request, "machines.html", rows=rows, bundle=bundle, url=pages.service.url, version=VERSION)

    return await to_thread(work)


@get("/machines", opt={"right": Right.SEE}, include_in_schema=False)
async def old_machines() -> Redirect:
    """Redirect from the former address of the page to its present one."""
    return Redirect("/settings/machines", status_code=301)


ROUTES = [show_machines, old_machines]

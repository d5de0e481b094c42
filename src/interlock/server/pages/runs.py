"""The list of runs."""

from __future__ import annotations

from asyncio import to_thread
from urllib.parse import urlencode

from litestar import Response, get

from interlock.access.roles import Right
from interlock.errors import InterlockError
from interlock.metrics.action_index import MAX_FOR_A_PAGE, index_new_actions
from interlock.metrics.run_list import SORTS, ListedRun, RunFilter, read_runs
from interlock.server.pages.action_links import text_parameter
from interlock.server.pages.actions import LEVEL_NAMES
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.pages.time_range import form_time, link_time, parse_range, zone_name, zone_of


@get("/runs", opt={"right": Right.SEE}, include_in_schema=False)
async def list_runs(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the runs."""
    return await to_thread(_list_page, request, pages)


def _list_page(request: PageRequest, pages: PageRenderer) -> Response[str]:
    zone, wanted, sort, cursor, error = zone_of(request), RunFilter(), "newest", "", ""
    runs: list[ListedRun] = []
    more: str | None = None
    left = index_new_actions(pages.service.journal, MAX_FOR_A_PAGE)
    try:
        wanted, cursor = _run_filter(request), text_parameter(request, "cursor", 600)
        sort = text_parameter(request, "sort") if text_parameter(request, "sort") in SORTS else "newest"
        with pages.service.journal.database.read() as connection:
            runs, more = read_runs(connection, wanted, sort, cursor)
    except InterlockError as raised:
        error = str(raised)
    query = _query(wanted)
    return pages.render(
        request,
        "runs.html",
        status=422 if error else 200,
        error=error,
        runs=runs,
        more=urlencode({**query, "sort": sort, "cursor": more}) if more else "",
        sorted_by={name: urlencode({**query, "sort": name}) for name in SORTS},
        wanted=wanted,
        sort=sort,
        left=left,
        first=not cursor,
        is_filtered=bool(query),
        begins=form_time(wanted.start, zone),
        ends=form_time(wanted.end, zone),
        zone=zone_name(zone),
        states={name: name for name in ("open", "paused", "ended", "failed")},
        levels=LEVEL_NAMES,
    )


#: The name of each parameter, by the field of the filter.
_PARAMETERS = {
    "begins": "q",
    "agent_id": "agent",
    "state": "state",
    "environment": "environment",
    "level": "level",
    "person": "person",
}


def _run_filter(request: PageRequest) -> RunFilter:
    times = parse_range(text_parameter(request, "from"), text_parameter(request, "to"), zone_of(request))
    given = {field: text_parameter(request, name) for field, name in _PARAMETERS.items()}
    return RunFilter(start=times.start, end=times.end, **given)


def _query(wanted: RunFilter) -> dict[str, str]:
    """Return a filter as the parameters of a URL."""
    given = {name: getattr(wanted, field) for field, name in _PARAMETERS.items()}
    times = {"from": wanted.start, "to": wanted.end}
    given |= {name: link_time(at) for name, at in times.items() if at is not None}
    return {name: value for name, value in given.items() if value}


ROUTES = [list_runs]

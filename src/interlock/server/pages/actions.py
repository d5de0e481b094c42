"""The actions: the list that every number links to, its export, and the link to one action."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Iterator
from typing import Any

import msgspec
from litestar import Response, get
from litestar.params import FromPath
from litestar.response import Redirect, Stream

from interlock.access.roles import Right
from interlock.audit.export import as_jsonl, csv_line, iso_time
from interlock.errors import InterlockError, MissingError
from interlock.metrics.action_filter import LEVELS, REQUESTS, VERDICTS, ActionFilter
from interlock.metrics.action_index import MAX_FOR_A_PAGE, index_new_actions
from interlock.metrics.action_list import (
    NEWEST,
    SORTS,
    ActionCount,
    ActionPage,
    ListedAction,
    count_matching,
    export_actions,
)
from interlock.metrics.action_list import read_actions as read_page
from interlock.server.api.audit import in_chunks
from interlock.server.api.metrics import find_stamped
from interlock.server.pages.action_links import filter_of, query_of, text_parameter
from interlock.server.pages.links import run_link
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.pages.time_range import form_time, zone_name, zone_of
from interlock.store.clock import now

#: What each choice is called.
VERDICT_NAMES = {name: name.replace("_", " ") for name in VERDICTS} | {
    "stopped": "blocked or needed approval",
    "ran": "ran without approval",
}
LEVEL_NAMES = {name: name for name in LEVELS} | {"risky": "high or critical"}
REQUEST_NAMES = {name: name for name in REQUESTS} | {"any": "any state", "stamped": "rubber-stamped"}
COLUMNS = "time verdict level score agent tool text environment person run request grant rules because record".split()
_MEDIA = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}


@get("/actions", opt={"right": Right.SEE}, include_in_schema=False)
async def list_actions(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the actions that match a filter."""
    return await to_thread(_page, request, pages)


def _page(request: PageRequest, pages: PageRenderer) -> Response[str]:
    zone, error, wanted, sort = zone_of(request), "", ActionFilter(), NEWEST
    found, total, cursor = ActionPage([], None), ActionCount(0, is_all=True), ""
    left = index_new_actions(pages.service.journal, MAX_FOR_A_PAGE)
    try:
        wanted, sort, cursor = _read_filter(request, pages), _sort(request), text_parameter(request, "cursor", 80)
        with pages.service.journal.database.read() as connection:
            found = read_page(connection, wanted, sort, cursor)
            total = count_matching(connection, wanted)
    except InterlockError as raised:
        error = str(raised)
    return pages.render(
        request,
        "actions.html",
        status=422 if error else 200,
        error=error,
        wanted=wanted,
        sort=sort,
        items=found.items,
        more=query_of(wanted, sort="" if sort == NEWEST else sort, cursor=found.next) if found.next else "",
        total=total,
        left=left,
        exported=query_of(wanted, sort="" if sort == NEWEST else sort),
        is_filtered=wanted != ActionFilter(),
        newest=not cursor and sort == NEWEST,
        begins=form_time(wanted.start, zone),
        ends=form_time(wanted.end, zone),
        zone=zone_name(zone),
        sorts=SORTS,
        verdicts=VERDICT_NAMES,
        levels=LEVEL_NAMES,
        requests=REQUEST_NAMES,
    )


def _read_filter(request: PageRequest, pages: PageRenderer) -> ActionFilter:
    """Return the filter in a request, with the run whose id begins as given, and the requests that are meant."""
    wanted = filter_of(request)
    if wanted.run_id:
        wanted = msgspec.structs.replace(wanted, run_id=pages.service.gate.runs.complete_id(wanted.run_id))
    if wanted.request == "stamped":
        end = now().wall if wanted.end is None else wanted.end
        wanted = msgspec.structs.replace(wanted, stamped=find_stamped(pages.service, wanted.start or 0, end))
    return wanted


def _sort(request: PageRequest) -> str:
    given = text_parameter(request, "sort")
    return given if given in SORTS else NEWEST


@get("/actions/export", opt={"right": Right.SEE}, include_in_schema=False)
async def export(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Export the actions that match a filter."""
    format_ = text_parameter(request, "format") or "csv"
    if format_ not in _MEDIA:
        raise InterlockError(f"unknown format `{format_}`; use `csv` or `jsonl`")
    wanted, journal = await to_thread(_read_filter, request, pages), pages.service.journal
    await to_thread(index_new_actions, journal)
    found = export_actions(journal.database, wanted, _sort(request))
    lines = _as_csv(found) if format_ == "csv" else as_jsonl(action.line for action in found)
    headers = {
        "content-type": _MEDIA[format_],
        "content-disposition": f'attachment; filename="interlock-actions.{format_}"',
    }
    return Stream(in_chunks(lines), headers=headers)


def _as_csv(found: Iterator[ListedAction]) -> Iterator[str]:
    yield csv_line(COLUMNS)
    for action in found:
        record, data = action.line.record, action.line.record.data
        yield csv_line(
            (
                iso_time(record.at),
                record.outcome,
                data.get("level"),
                data.get("score"),
                record.agent_id,
                record.name,
                data.get("text"),
                action.environment,
                action.person,
                record.run_id,
                action.request,
                action.granted_under,
                " ".join(data.get("rules") or ()),
                data.get("because"),
                record.record_id,
            )
        )


@get("/actions/{record_id:str}", opt={"right": Right.SEE}, include_in_schema=False)
async def show_action(pages: PagesDependency, record_id: FromPath[str]) -> Redirect:
    """Redirect to an action in the timeline of its run."""

    def work() -> tuple[str, int]:
        query = "SELECT run_id, seq FROM interlock_records WHERE record_id = :id AND run_id IS NOT NULL"
        with pages.service.journal.database.read() as connection:
            rows = connection.tuples(query, id=record_id)
        if not rows:
            raise MissingError("there is no such action; it may have been removed by retention")
        return rows[0][0], rows[0][1]

    run_id, seq = await to_thread(work)
    return Redirect(f"{run_link(run_id)}?around={seq}#r{seq}", status_code=303)


ROUTES = [list_actions, export, show_action]

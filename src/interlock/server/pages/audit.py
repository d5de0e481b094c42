"""The audit page: search, verify and export the records."""

from __future__ import annotations

from asyncio import to_thread
from typing import Any
from urllib.parse import urlencode

from litestar import Response, get, post
from litestar.response import Stream

from interlock.access.roles import Right
from interlock.audit.cited_calls import is_silent
from interlock.audit.export import FORMATS
from interlock.audit.kind_groups import GROUPS
from interlock.audit.permissions import find_permissions
from interlock.audit.read import StoredRecord
from interlock.audit.run_ids import shorten_ids
from interlock.errors import InterlockError
from interlock.levels import Verdict
from interlock.metrics.action_list import find_requests, find_workspaces
from interlock.server.api.audit import MEDIA, VerificationResult, in_chunks, verification_result, verify_chain
from interlock.server.pages.action_links import text_parameter
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.pages.time_range import form_time, link_time, parse_range, zone_name, zone_of
from interlock.server.record_search import ANSWERS, END, RecordSearch, export_records, search_records
from interlock.server.timeline import item_of

#: The name of each parameter, by the field of the search.
_PARAMETERS = {
    "q": "q",
    "kind": "kind",
    "run_id": "run",
    "agent_id": "agent",
    "person": "person",
    "verdict": "verdict",
}


@get("/audit", opt={"right": Right.SEE}, include_in_schema=False)
async def audit(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the records, newest first."""
    return await to_thread(_page, request, pages)


@post("/audit", opt={"right": Right.SEE}, status_code=200, include_in_schema=False)
async def verify(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Verify the chain when the button is pressed, and not again with every live update of the page."""
    proof = verification_result(await verify_chain(pages.service))
    return await to_thread(lambda: _page(request, pages, proof))


@get("/audit/export", opt={"right": Right.SEE}, include_in_schema=False)
async def export(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Export the records that the page shows with the same parameters."""
    format_ = text_parameter(request, "format") or "csv"
    if format_ not in FORMATS:
        raise InterlockError(f"unknown format `{format_}`; use {', '.join(f'`{name}`' for name in FORMATS)}")
    database, wanted = pages.service.journal.database, await to_thread(_search, request, pages)
    lines = (
        line
        for line in export_records(database, wanted)
        if wanted.kind or not is_silent(line.record.kind, line.record.outcome)
    )
    name = f"interlock-audit.{'csv' if format_ == 'csv' else 'jsonl'}"
    headers = {"content-type": MEDIA[format_], "content-disposition": f'attachment; filename="{name}"'}
    return Stream(in_chunks(FORMATS[format_](lines)), headers=headers)


def _search(request: PageRequest, pages: PageRenderer) -> RecordSearch:
    """Return the search in the parameters of a request, or raise. The id of a run may be abbreviated."""
    times = parse_range(text_parameter(request, "from"), text_parameter(request, "to"), zone_of(request))
    given = {field: text_parameter(request, name) for field, name in _PARAMETERS.items()}
    if given["run_id"]:
        given["run_id"] = pages.service.gate.runs.complete_id(given["run_id"])
    return RecordSearch(start=times.start, end=times.end, **given)


def _query(wanted: RecordSearch, **more: object) -> str:
    """Return a search as the parameters of a URL."""
    given: dict[str, object] = {name: getattr(wanted, field) for field, name in _PARAMETERS.items()}
    times = {"from": wanted.start, "to": wanted.end}
    given |= {name: link_time(at) for name, at in times.items() if at is not None}
    return urlencode({name: value for name, value in {**given, **more}.items() if value})


def _page(request: PageRequest, pages: PageRenderer, proof: VerificationResult | None = None) -> Response[str]:
    database, zone = pages.service.journal.database, zone_of(request)
    wanted, error, continue_at, before = RecordSearch(), "", None, ""
    lines: list[StoredRecord] = []
    try:
        wanted, before = _search(request, pages), text_parameter(request, "before", 18)
        found, continue_at = search_records(database, wanted, int(before) if before.isdigit() else END)
        lines = [line for line in found if wanted.kind or not is_silent(line.record.kind, line.record.outcome)]
    except InterlockError as raised:
        error = str(raised)
    with database.read() as connection:
        runs = [line.record.run_id for line in lines if line.record.run_id]
        short, places = shorten_ids(connection, runs), find_workspaces(connection, runs)
        requests = find_requests(connection, [line.record.seq for line in lines])
        permissions = find_permissions(connection, (line.record for line in lines))
    return pages.render(
        request,
        "audit.html",
        status=422 if error else 200,
        items=[item_of(line.record) for line in reversed(lines)],
        short=short,
        places=places,
        requests=requests,
        permissions=permissions,
        older=_query(wanted, before=continue_at) if continue_at else "",
        exported=_query(wanted),
        wanted=wanted,
        groups={name: group.title for name, group in GROUPS.items()},
        verdicts={verdict.value: verdict.value.replace("_", " ") for verdict in Verdict} | ANSWERS,
        is_filtered=wanted != RecordSearch(),
        begins=form_time(wanted.start, zone),
        ends=form_time(wanted.end, zone),
        zone=zone_name(zone),
        proof=proof,
        newest=not before,
        error=error,
    )


ROUTES = [audit, verify, export]

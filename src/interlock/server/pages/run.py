"""The page of one run: what it is, its totals, and its timeline."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any

import msgspec
from litestar import Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.approval.request_filter import RequestFilter
from interlock.audit.cited_calls import is_silent, load_causes
from interlock.audit.permissions import find_permissions
from interlock.audit.read import StoredRecord
from interlock.audit.run_ids import shorten_ids
from interlock.audit.runs import Run
from interlock.levels import Verdict
from interlock.metrics.action_filter import ActionFilter
from interlock.metrics.action_index import MAX_FOR_A_PAGE, index_new_actions
from interlock.metrics.action_list import find_requests
from interlock.metrics.totals import RUN, Totals, find_totals
from interlock.server.pages.action_links import actions_link
from interlock.server.pages.links import run_id_from_path, run_link
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.record_search import END, ITEMS, RecordSearch, search_records
from interlock.server.timeline import timeline_items
from interlock.server.triage import request_list

#: How many pending requests of the run are listed above its timeline.
MAX_WAITING = 10
SearchText = Annotated[str, QueryParameter(max_length=200)]


@get("/runs/{run_path:path}", opt={"right": Right.SEE}, include_in_schema=False)
async def show_run(
    request: PageRequest,
    pages: PagesDependency,
    run_path: FromPath[str],
    verdict: Annotated[str, QueryParameter(max_length=20)] = "",
    q: SearchText = "",
    before: Annotated[int, QueryParameter(ge=0, lt=2**62)] = 0,
    around: Annotated[int, QueryParameter(ge=0, lt=2**62)] = 0,
) -> Response[str]:
    """Show a run, newest first; `around` shows the part of it around one record."""
    return await to_thread(_page, request, pages, run_id_from_path(run_path), verdict, q, before, around)


def _page(
    request: PageRequest, pages: PageRenderer, run_id: str, verdict: str, q: str, before: int, around: int
) -> Response[str]:
    service = pages.service
    run = service.gate.runs.get(run_id)
    start = around + ITEMS if around else before or END
    index_new_actions(service.journal, MAX_FOR_A_PAGE)
    database = service.journal.database
    lines, continue_at = search_records(database, RecordSearch(run_id=run.run_id, q=q, verdict=verdict), start)
    items = timeline_items(lines, load_causes(database, lines))
    with database.read() as connection:
        totals = find_totals(connection, RUN, run.run_id)
        requests = find_requests(connection, [line.record.seq for line in lines])
        permissions = find_permissions(connection, (line.record for line in lines))
        short_id = shorten_ids(connection, [run.run_id])[run.run_id]
    return pages.render(
        request,
        "run.html",
        run=run,
        short_id=short_id,
        metadata=[(name, _as_text(value)) for name, value in run.metadata.items()],
        totals=totals,
        figures=_figures(run, totals),
        items=[item for item in reversed(items) if not is_silent(item.kind, item.outcome)],
        requests=requests,
        permissions=permissions,
        cwds=_folders(run, lines),
        waiting=request_list(pages.service, request.user).page(RequestFilter(run=run.run_id, sort="risk"), MAX_WAITING)[
            0
        ],
        continue_at=continue_at,
        query={"verdict": verdict, "q": q},
        verdict_names=[one.value for one in Verdict],
        around=around,
        is_filtered=bool(q or verdict),
        newest=start == END,
    )


def _folders(run: Run, lines: list[StoredRecord]) -> dict[int, str]:
    """Return the folders in which actions ran, where they are recorded and differ from the workspace."""
    actions = {line.record.seq: line.record.data.get("action") for line in lines if line.record.kind == "decision"}
    folders = {seq: str(action.get("cwd") or "") for seq, action in actions.items() if isinstance(action, dict)}
    return {seq: folder for seq, folder in folders.items() if folder and folder != run.workspace}


def _figures(run: Run, totals: Totals) -> list[tuple[str, int, str]]:
    """Return the numbers of a run, each with the link to its actions."""
    rows: list[tuple[str, int, dict[str, Any]]] = [
        ("Actions", totals.actions, {}),
        ("High or critical", totals.risky, {"level": "risky"}),
        ("Needed approval", totals.asked, {"verdict": "require_approval"}),
        ("Blocked", totals.blocked, {"verdict": "block"}),
    ]
    return [(name, number, actions_link(ActionFilter(run_id=run.run_id, **given))) for name, number, given in rows]


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


@post("/runs/resume", opt={"right": Right.ANSWER}, include_in_schema=False)
async def resume_run(request: PageRequest, pages: PagesDependency) -> Redirect:
    """Resume a paused run."""
    run_id = str((await request.form()).get("run", ""))
    await to_thread(pages.service.resume_run, request.user, run_id)
    return Redirect(run_link(run_id), status_code=303)


ROUTES = [show_run, resume_run]

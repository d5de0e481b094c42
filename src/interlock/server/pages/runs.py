"""The run pages: the list, and one run with its timeline."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any

import msgspec
from litestar import Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.approval.request_filter import RequestFilter
from interlock.audit.causes import load_causes
from interlock.audit.read import RecordFilter, StoredRecord, parse_record, read_page
from interlock.errors import MissingError
from interlock.levels import Verdict
from interlock.server.pages.links import run_id_from_path, run_link
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.pagination import cut_page
from interlock.server.timeline import items_of
from interlock.server.triage import request_list
from interlock.store.database import Database
from interlock.store.paging import PageCursor, parse_cursor

PER_PAGE = 50
ITEMS = 100
MAX_WAITING = 10
#: How many records one search reads; the link below the results continues it.
MAX_SEARCHED = 20_000
SearchText = Annotated[str, QueryParameter(max_length=200)]


@get("/runs", opt={"right": Right.SEE}, include_in_schema=False)
async def list_runs(
    request: PageRequest,
    pages: PagesDependency,
    cursor: Annotated[str, QueryParameter(max_length=600)] = "",
    agent: SearchText = "",
    state_: Annotated[str, QueryParameter(name="state", max_length=20)] = "",
    q: SearchText = "",
) -> Response[str]:
    """Show the runs."""

    def work() -> Response[str]:
        after = parse_cursor(cursor) if cursor else None
        filters = {"agent_id": agent or None, "state": state_ or None, "begins": q or None}
        found = pages.service.gate.runs.list(PER_PAGE + 1, after=after, **filters)
        runs, more = cut_page(found, PER_PAGE, lambda one: PageCursor(one[0].started_at, one[0].run_id))
        query = {"agent": agent, "state": state_, "q": q}
        return pages.render(request, "runs.html", runs=runs, more=more, query=query, first=not cursor)

    return await to_thread(work)


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
    return await to_thread(_run_page, request, pages, run_id_from_path(run_path), verdict, q, before, around)


def _run_page(
    request: PageRequest, pages: PageRenderer, run_id: str, verdict: str, q: str, before: int, around: int
) -> Response[str]:
    service = pages.service
    run = service.gate.runs.get(run_id)
    start = around + ITEMS if around else before or 2**62
    is_filtered = bool(q or verdict)
    lines, continue_at = search_records(service.journal.database, run.run_id, q, verdict, start)
    items = list(reversed(items_of(lines, load_causes(service.journal.database, lines))))
    return pages.render(
        request,
        "run.html",
        run=run,
        metadata=[(name, _as_text(value)) for name, value in run.metadata.items()],
        actions=service.gate.runs.actions(run.run_id),
        items=items,
        waiting=request_list(service, request.user).page(RequestFilter(run=run.run_id, sort="risk"), MAX_WAITING)[0],
        continue_at=continue_at,
        query={"verdict": verdict, "q": q},
        verdict_names=[one.value for one in Verdict],
        around=around,
        is_filtered=is_filtered,
        newest=start == 2**62,
    )


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def search_records(
    database: Database, run_id: str | None, q: str, verdict: str, before: int, kind: str | None = None
) -> tuple[list[StoredRecord], int | None]:
    """Return the newest records before one that contain a text, and where to continue if the search is not done.

    One search reads a limited number of records, so that it is fast however many there are.
    """
    wanted = RecordFilter(run_id=run_id, kind="decision" if verdict else kind)
    if not q and not verdict:
        lines = read_page(database, wanted, before=before, limit=ITEMS)
        return lines, lines[0].record.seq if len(lines) == ITEMS else None
    where = wanted.where.add("seq < :before", before=before)
    searched = f"SELECT seq FROM interlock_records {where} ORDER BY seq DESC LIMIT :most"
    with database.read() as connection:
        seqs = connection.values(searched, most=MAX_SEARCHED, **where.given)
        if not seqs:
            return [], None
        where.add("seq >= :first", first=seqs[-1])
        if verdict:
            where.contains("body", "verdict", f'"outcome":"{verdict}"')
        if q:
            where.contains("body", "q", _as_json_text(q))
        query = f"SELECT body, hash FROM interlock_records {where} ORDER BY seq DESC LIMIT :most"
        rows = connection.tuples(query, most=ITEMS, **where.given)
    lines = [parse_record(*row) for row in reversed(rows)]
    if len(lines) == ITEMS:
        return lines, lines[0].record.seq
    return lines, seqs[-1] if len(seqs) == MAX_SEARCHED else None


def _as_json_text(text: str) -> str:
    """Return a text as it is written inside a JSON string."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


@post("/runs/resume", opt={"right": Right.ANSWER}, include_in_schema=False)
async def resume_run(request: PageRequest, pages: PagesDependency) -> Redirect:
    """Resume a paused run."""
    run_id = str((await request.form()).get("run", ""))
    await to_thread(pages.service.resume_run, request.user, run_id)
    return Redirect(run_link(run_id), status_code=303)


@get("/actions/{record_id:str}", opt={"right": Right.SEE}, include_in_schema=False)
async def show_action(pages: PagesDependency, record_id: FromPath[str]) -> Redirect:
    """Redirect to an action in the timeline of its run."""

    def work() -> tuple[str, int]:
        query = "SELECT run_id, seq FROM interlock_records WHERE record_id = :id AND run_id IS NOT NULL"
        with pages.service.journal.database.read() as connection:
            rows = connection.tuples(query, id=record_id)
        if not rows:
            raise MissingError("there is no such action; it may have been pruned")
        return rows[0][0], rows[0][1]

    run_id, seq = await to_thread(work)
    return Redirect(f"{run_link(run_id)}?around={seq}#r{seq}", status_code=303)


ROUTES = [list_runs, show_run, resume_run, show_action]

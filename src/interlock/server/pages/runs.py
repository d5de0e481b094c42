"""The runs, and one of them as a timeline."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.params import FromPath, QueryParameter
from litestar.response import Redirect

from interlock.access.roles import Right
from interlock.audit.read import RecordFilter, StoredRecord, parse_record, read_page
from interlock.errors import MissingError
from interlock.levels import Verdict
from interlock.server.api.shared import threaded
from interlock.server.pages.looks import Pages, Shown, run_link, run_named
from interlock.server.timeline import items_of
from interlock.store.database import Database
from interlock.store.paging import PageCursor, parse_cursor

PER_PAGE = 50
ITEMS = 100
#: How many records one search looks through; the next click looks further.
MAX_LOOKED = 20_000
Word = Annotated[str, QueryParameter(max_length=200)]


@get("/runs", opt={"right": Right.SEE}, include_in_schema=False)
async def list_runs(
    request: Request[Any, Any, Any],
    pages: Shown,
    cursor: Annotated[str, QueryParameter(max_length=600)] = "",
    agent: Word = "",
    state_: Annotated[str, QueryParameter(name="state", max_length=20)] = "",
    q: Word = "",
) -> Response[str]:
    """Show the runs."""

    def work() -> Response[str]:
        after = parse_cursor(cursor) if cursor else None
        narrowed = {"agent_id": agent or None, "state": state_ or None, "begins": q or None}
        found = pages.service.gate.runs.list(PER_PAGE + 1, after=after, **narrowed)
        last = found[PER_PAGE - 1][0] if len(found) > PER_PAGE else None
        more = str(PageCursor(last.started_at, last.run_id)) if last else None
        asked = {"agent": agent, "state": state_, "q": q}
        return pages.render(request, "runs.html", runs=found[:PER_PAGE], more=more, asked=asked, first=not cursor)

    return await threaded(work)


@get("/runs/{run_path:path}", opt={"right": Right.SEE}, include_in_schema=False)
async def show_run(
    request: Request[Any, Any, Any],
    pages: Shown,
    run_path: FromPath[str],
    verdict: Annotated[str, QueryParameter(max_length=20)] = "",
    q: Word = "",
    before: Annotated[int, QueryParameter(ge=0, lt=2**62)] = 0,
    around: Annotated[int, QueryParameter(ge=0, lt=2**62)] = 0,
) -> Response[str]:
    """Show a run, the newest first; `around` shows where one action stands."""
    return await threaded(_run_page, request, pages, run_named(run_path), verdict, q, before, around)


def _run_page(
    request: Request[Any, Any, Any], pages: Pages, run_id: str, verdict: str, q: str, before: int, around: int
) -> Response[str]:
    service = pages.service
    run = service.gate.runs.get(run_id)
    start = around + ITEMS if around else before or 2**62
    narrowed = bool(q or verdict)
    lines, further = found_in(service.journal.database, run.run_id, q, verdict, start)
    items = list(reversed(items_of(lines)))
    return pages.render(
        request,
        "run.html",
        run=run,
        actions=service.gate.runs.actions(run.run_id),
        items=items,
        further=further,
        asked={"verdict": verdict, "q": q},
        verdict_names=[one.value for one in Verdict],
        around=around,
        narrowed=narrowed,
        newest=start == 2**62,
    )


def found_in(
    database: Database, run_id: str | None, q: str, verdict: str, before: int, kind: str | None = None
) -> tuple[list[StoredRecord], int | None]:
    """Return the newest records before one that hold a word, and where the search goes on if it is not done.

    One search looks through so many records and no more, so that it is quick however many there are.
    """
    wanted = RecordFilter(run_id=run_id, kind="decision" if verdict else kind)
    if not q and not verdict:
        lines = read_page(database, wanted, before=before, limit=ITEMS)
        return lines, lines[0].record.seq if len(lines) == ITEMS else None
    where = wanted.where.add("seq < :before", before=before)
    looked = f"SELECT seq FROM interlock_records {where} ORDER BY seq DESC LIMIT :most"
    with database.read() as connection:
        seqs = connection.values(looked, most=MAX_LOOKED, **where.given)
        if not seqs:
            return [], None
        where.add("seq >= :first", first=seqs[-1])
        if verdict:
            where.contains("body", "verdict", f'"outcome":"{verdict}"')
        if q:
            where.contains("body", "q", _quoted(q))
        query = f"SELECT body, hash FROM interlock_records {where} ORDER BY seq DESC LIMIT :most"
        rows = connection.tuples(query, most=ITEMS, **where.given)
    lines = [parse_record(*row) for row in reversed(rows)]
    if len(lines) == ITEMS:
        return lines, lines[0].record.seq
    return lines, seqs[-1] if len(seqs) == MAX_LOOKED else None


def _quoted(text: str) -> str:
    """Return a text as it stands inside JSON."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


@post("/runs/resume", opt={"right": Right.ANSWER}, include_in_schema=False)
async def resume(request: Request[Any, Any, Any], pages: Shown) -> Redirect:
    """Let a paused run go on."""
    run_id = str((await request.form()).get("run", ""))
    await threaded(pages.service.resume, request.user, run_id)
    return Redirect(run_link(run_id), status_code=303)


@get("/actions/{record_id:str}", opt={"right": Right.SEE}, include_in_schema=False)
async def show_action(pages: Shown, record_id: FromPath[str]) -> Redirect:
    """Lead to an action where it stands in its run."""

    def work() -> tuple[str, int]:
        query = "SELECT run_id, seq FROM interlock_records WHERE record_id = :id AND run_id IS NOT NULL"
        with pages.service.journal.database.read() as connection:
            rows = connection.tuples(query, id=record_id)
        if not rows:
            raise MissingError("there is no such action, or it was pruned")
        return rows[0][0], rows[0][1]

    run_id, seq = await threaded(work)
    return Redirect(f"{run_link(run_id)}?around={seq}#r{seq}", status_code=303)


ROUTES = [list_runs, show_run, resume, show_action]

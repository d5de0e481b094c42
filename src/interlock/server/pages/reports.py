"""The page of weekly reports, and a week as a file."""

from __future__ import annotations

from asyncio import to_thread
from datetime import tzinfo
from typing import Any

from litestar import Response, get
from litestar.params import FromPath

from interlock.access.roles import Right
from interlock.errors import MissingError
from interlock.learning.report_html import report_body, report_html
from interlock.learning.report_links import ReportLinks
from interlock.learning.report_markdown import report_markdown
from interlock.learning.report_words import title
from interlock.learning.week import Week, last_week, parse_week, week_of
from interlock.learning.week_report import UNNAMED, WeekReport, week_report
from interlock.metrics.action_filter import ActionFilter
from interlock.metrics.action_list import MAX_COUNTED, count_matching
from interlock.metrics.local_window import LocalWindow
from interlock.sanitise import plain
from interlock.server.pages.action_links import actions_link, text_parameter
from interlock.server.pages.derivation import catch_up_on_usage
from interlock.server.pages.renderer import PageRequest, PagesDependency
from interlock.server.pages.time_range import zone_of
from interlock.server.service import Service
from interlock.store.clock import now
from interlock.store.connection import Connection

_FORMATS = {"md": (report_markdown, "text/markdown; charset=utf-8"), "html": (report_html, "text/html; charset=utf-8")}


@get("/reports", opt={"right": Right.SEE}, include_in_schema=False)
async def show_week(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the report on a week, by default the last one that is over."""

    def work() -> Response[str]:
        zone, at = zone_of(request), now().wall
        named = text_parameter(request, "week")
        week = parse_week(named) if named else last_week(at, zone)
        left = catch_up_on_usage(pages.service.journal)
        report = _load(pages.service, week, zone)
        with pages.service.journal.database.read() as connection:
            links = _links(connection, report, week.window(zone))
        later = week.after if week.after.monday <= week_of(at, zone).monday else None
        return pages.render(
            request,
            "report.html",
            title=title(report),
            left=left,
            body=report_body(report, links),
            is_empty=not report.figures.actions,
            current=str(week_of(at, zone)),
            week=str(week),
            before=str(week.before),
            after="" if later is None else str(later),
        )

    return await to_thread(work)


@get("/reports/{name:str}", opt={"right": Right.SEE}, include_in_schema=False)
async def download_week(request: PageRequest, pages: PagesDependency, name: FromPath[str]) -> Response[str]:
    """Return the report on a week as a file: `2026-W46.md` or `2026-W46.html`."""
    week, _, ending = name.rpartition(".")
    if ending not in _FORMATS:
        raise MissingError(f"there is no report `{plain(name)[:40]}`; its name is a week and `.md` or `.html`")
    render, media = _FORMATS[ending]
    await to_thread(catch_up_on_usage, pages.service.journal)
    report = await to_thread(_load, pages.service, parse_week(week), zone_of(request))
    headers = {"content-disposition": f'attachment; filename="interlock-{report.week}.{ending}"'}
    return Response(render(report), headers=headers, media_type=media)


def _links(connection: Connection, report: WeekReport, window: LocalWindow) -> ReportLinks:
    """Return the links of the numbers of a report to the actions that they count.

    The causes of actions that were recorded by an older version are not in the index, so these have no link.
    """
    whole: dict[str, Any] = {"start": report.start, "end": report.end}
    counted = report.figures
    requests = ActionFilter(**whole, request="any")
    figures = {
        name: actions_link(wanted)
        for name, number, wanted in (
            ("Actions", counted.actions, ActionFilter(**whole)),
            ("Interruptions per 100 actions", counted.requests, requests),
            ("Approval requests", counted.requests, requests),
            ("Blocked actions", counted.blocked, ActionFilter(**whole, verdict="block")),
            ("Expired requests", counted.expired, ActionFilter(**whole, request="expired")),
            ("Answers given without reading", counted.unread_answers, ActionFilter(**whole, request="stamped")),
        )
        if number
    }
    days = [actions_link(ActionFilter(start=start, end=end, verdict="stopped")) for start, end in window.bounds]
    agents = {row.name: actions_link(_of_agent(row.name, whole)) for row in report.agents}
    causes = {
        row.name: actions_link(wanted)
        for row in report.stopped_by
        if _count(connection, wanted := ActionFilter(**whole, cause=row.name)) >= min(row.count, MAX_COUNTED)
    }
    return ReportLinks(figures=figures, days=days, agents=agents, causes=causes)


def _count(connection: Connection, wanted: ActionFilter) -> int:
    return count_matching(connection, wanted).number


def _of_agent(name: str, whole: dict[str, Any]) -> ActionFilter:
    is_unnamed = name == UNNAMED
    return ActionFilter(**whole, verdict="stopped", agent_id="" if is_unnamed else name, unnamed=is_unnamed)


def _load(service: Service, week: Week, zone: tzinfo) -> WeekReport:
    last = service.suggestions.last
    return week_report(service.journal, week, zone, last.items if last else ())


ROUTES = [show_week, download_week]

"""The overview page: pending requests, and risk over time. Every number links to the actions behind it."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Iterator
from datetime import UTC
from typing import Any

from litestar import Response, get

from interlock.access.roles import Right
from interlock.access.second_person import recent_second_person
from interlock.approval.request_filter import RequestFilter
from interlock.audit.export import csv_line, iso_time
from interlock.audit.stops import Stops
from interlock.errors import InterlockError
from interlock.levels import Level
from interlock.metrics.action_filter import ActionFilter
from interlock.metrics.approvals import ApprovalMetrics
from interlock.metrics.comparison import EarlierFigures, earlier_figures
from interlock.metrics.counters import DAY, HOUR, MINUTE
from interlock.metrics.local_window import LocalWindow, make_local_window
from interlock.metrics.risk import RiskMetrics, risk_metrics
from interlock.model import Struct
from interlock.server.api.metrics import load_approval_metrics
from interlock.server.pages.action_links import actions_link, text_parameter
from interlock.server.pages.derivation import catch_up
from interlock.server.pages.overview_lists import agent_bars, figures, policy_bars, tool_bars
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.pages.time_range import form_time, link_time, parse_range, range_label, zone_name, zone_of
from interlock.server.service import Service
from interlock.server.triage import request_list
from interlock.store.clock import MICROSECONDS, now

#: How long before now each span begins: with the bucket that is not over yet, it is as long as its name says.
SPANS = {"hour": HOUR - MINUTE, "day": DAY - HOUR, "week": 6 * DAY, "month": 29 * DAY, "quarter": 89 * DAY}
MAX_WAITING = 5


class OverviewData(Struct, frozen=True, kw_only=True):
    """Everything that the overview shows of a time span, as its JSON export has it."""

    span: str
    window: LocalWindow
    risk: RiskMetrics
    approvals: ApprovalMetrics
    before: EarlierFigures


@get("/", opt={"right": Right.SEE}, include_in_schema=False)
async def overview(request: PageRequest, pages: PagesDependency) -> Response[str]:
    """Show the overview."""
    return await to_thread(_page, request, pages)


def _page(request: PageRequest, pages: PageRenderer) -> Response[str]:
    service, zone, error = pages.service, zone_of(request), ""
    left = catch_up(service.journal)
    try:
        data = _load(service, request)
    except InterlockError as raised:
        error, data = str(raised), _load(service, None)
    risk, window = data.risk, data.window.window
    waiting, more = request_list(service, request.user).page(RequestFilter(sort="risk"), MAX_WAITING)
    whole = ActionFilter(start=window.start, end=window.end)
    return pages.render(
        request,
        "overview.html",
        status=422 if error else 200,
        error=error,
        left=left,
        url=service.url,
        problems=service.problems,
        no_longer_alone=recent_second_person(
            service.authenticator.people, request.user.name, service.gate.config.approvals.one_person, now().wall
        ),
        stops=Stops(service.journal).list(),
        span=data.span,
        spans=SPANS,
        begins="" if data.span else form_time(window.start, zone),
        ends="" if data.span else form_time(window.end, zone),
        zone=zone_name(zone),
        range_label=range_label(window.start, window.end, zone),
        exported=f"span={data.span}" if data.span else f"from={link_time(window.start)}&to={link_time(window.end)}",
        risk=risk,
        waiting=waiting,
        has_more=more is not None,
        empty=not risk.actions and not service.gate.runs.list(1),
        figures=figures(data.risk, data.approvals, data.before, whole),
        before=data.before,
        bar_links=[actions_link(ActionFilter(start=start, end=end)) for start, end in data.window.bounds],
        level_links={level.value: actions_link(_of(whole, level=level.value)) for level in Level},
        tools=tool_bars(risk, whole),
        agents=agent_bars(risk, whole),
        policies=policy_bars(risk, whole),
    )


def _of(whole: ActionFilter, **more: Any) -> ActionFilter:
    return ActionFilter(start=whole.start, end=whole.end, **more)


def _load(service: Service, request: PageRequest | None) -> OverviewData:
    """Return what the overview shows of the time span that a request names, by default the last day."""
    at = now().wall
    span, window = _window(request, at)
    with service.journal.database.read() as connection:
        risk = risk_metrics(connection, window.window, window.starts)
        before = earlier_figures(connection, *window.before(at))
    approvals = load_approval_metrics(service, window.window)
    return OverviewData(span=span, window=window, risk=risk, approvals=approvals, before=before)


def _window(request: PageRequest | None, at: int) -> tuple[str, LocalWindow]:
    """Return the name of the chosen span, empty for one of the reader's own, and its window."""
    if request is None:
        return "day", make_local_window(at - SPANS["day"] * MICROSECONDS, at, UTC, at)
    zone = zone_of(request)
    times = parse_range(text_parameter(request, "from"), text_parameter(request, "to"), zone)
    if times.start is not None or times.end is not None:
        end = at if times.end is None else times.end
        start = end - DAY * MICROSECONDS if times.start is None else times.start
        return "", make_local_window(start, end, zone, at)
    span = text_parameter(request, "span")
    span = span if span in SPANS else "day"
    return span, make_local_window(at - SPANS[span] * MICROSECONDS, at, zone, at)


@get("/overview/export", opt={"right": Right.SEE}, include_in_schema=False)
async def export(request: PageRequest, pages: PagesDependency) -> Response[Any]:
    """Export what the overview shows."""
    format_ = text_parameter(request, "format") or "csv"
    if format_ not in ("csv", "json"):
        raise InterlockError(f"unknown format `{format_}`; use `csv` or `json`")
    await to_thread(catch_up, pages.service.journal)
    data = await to_thread(_load, pages.service, request)
    headers = {"content-disposition": f'attachment; filename="interlock-overview.{format_}"'}
    if format_ == "json":
        return Response(data, headers=headers, media_type="application/json")
    return Response("".join(_as_csv(data)), headers=headers, media_type="text/csv; charset=utf-8")


def _as_csv(data: OverviewData) -> Iterator[str]:
    """Yield the chart and the lists as one table; `what` says to which of them a row belongs."""
    levels = [level.value for level in Level]
    yield csv_line(["what", "name", "from", "to", "actions", "stopped", *levels])
    window, risk = data.window.window, data.risk
    whole = iso_time(window.start), iso_time(window.end)
    yield csv_line(["total", "", *whole, risk.actions, risk.stopped, *(risk.distribution[level] for level in levels)])
    for point, (start, end) in zip(risk.timeseries, data.window.bounds, strict=True):
        stopped = point.verdicts["block"] + point.verdicts["require_approval"]
        counts = (point.levels[level] for level in levels)
        yield csv_line([window.bucket, "", iso_time(start), iso_time(end), point.total, stopped, *counts])
    for agent in risk.agents:
        counts = (agent.levels[level] for level in levels)
        yield csv_line(["agent", agent.agent_id, *whole, agent.actions, agent.stopped, *counts])
    for tool in risk.top_tools:
        yield csv_line(["tool", tool.tool_name, *whole, tool.actions, tool.stopped, *[""] * len(levels)])
    for policy in risk.policies:
        yield csv_line(["policy", policy.policy_id, *whole, policy.matches, *[""] * (len(levels) + 1)])


ROUTES = [overview, export]

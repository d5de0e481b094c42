"""The overview page: pending requests, and risk over time."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Literal

from litestar import Response, get
from litestar.params import QueryParameter

from interlock.access.roles import Right
from interlock.approval.request_filter import RequestFilter
from interlock.audit.stops import Stops
from interlock.metrics.approvals import ApprovalMetrics
from interlock.metrics.counters import DAY, HOUR
from interlock.metrics.risk import AgentRisk, PolicyMatchRate, RiskMetrics, ToolRisk
from interlock.metrics.window import make_window
from interlock.server.api.metrics import load_approval_metrics, load_risk_metrics
from interlock.server.pages.charts import Bar
from interlock.server.pages.formatting import percent
from interlock.server.pages.renderer import PageRenderer, PageRequest, PagesDependency
from interlock.server.service import Service
from interlock.server.triage import request_list
from interlock.store.clock import MICROSECONDS, now

SPANS = {"hour": HOUR, "day": DAY, "week": 7 * DAY, "month": 30 * DAY, "quarter": 90 * DAY}
MAX_WAITING = 5
Span = Annotated[Literal["hour", "day", "week", "month", "quarter"], QueryParameter(name="span")]


@get("/", opt={"right": Right.SEE}, include_in_schema=False)
async def overview(request: PageRequest, pages: PagesDependency, span: Span = "day") -> Response[str]:
    """Show the overview."""
    return await to_thread(_page, request, pages, span)


def _page(request: PageRequest, pages: PageRenderer, span: str) -> Response[str]:
    service = pages.service
    end = now().wall
    risk = load_risk_metrics(service, make_window(end - SPANS[span] * MICROSECONDS, end, None, end))
    approvals = load_approval_metrics(service, risk.window)
    return pages.render(
        request,
        "overview.html",
        url=service.url,
        problems=service.problems,
        stops=Stops(service.journal).list(),
        span=span,
        spans=SPANS,
        risk=risk,
        waiting=request_list(service, request.user).page(RequestFilter(sort="risk"), MAX_WAITING)[0],
        empty=not risk.actions and not _has_runs(service),
        tools=[_tool_bar(tool) for tool in risk.top_tools[:8]],
        agents=[_agent_bar(agent) for agent in risk.agents[:8]],
        policies=[_policy_bar(policy) for policy in risk.policies[:8]],
        figures=_figures(risk, approvals),
        tool_rows=[(one.tool_name, one.actions, one.risky, one.stopped, one.mean_score) for one in risk.top_tools],
        agent_rows=[_agent_row(one) for one in risk.agents],
        policy_rows=[(one.policy_id, one.matches, f"{one.rate:.1%}") for one in risk.policies],
    )


def _agent_row(agent: AgentRisk) -> tuple[object, ...]:
    return agent.agent_id or "–", agent.actions, round(agent.risk * 100, 1), agent.stopped, agent.mean_score


def _has_runs(service: Service) -> bool:
    return bool(service.gate.runs.list(1))


def _figures(risk: RiskMetrics, approvals: ApprovalMetrics) -> list[tuple[str, str, str]]:
    waited = f"median {approvals.waiting.median:g} s to an answer" if approvals.waiting else "none answered"
    stopped = f"{percent(risk.stopped / risk.actions)} of all actions" if risk.actions else "no actions"
    return [
        ("Actions", f"{risk.actions:,}", f"{risk.verdicts['allow'] + risk.verdicts['warn']:,} ran without approval"),
        ("Stopped", f"{risk.stopped:,}", stopped),
        ("Blocked", f"{risk.verdicts['block']:,}", "could not be approved"),
        ("Approvals", f"{approvals.total:,}", waited),
        ("Expired", f"{approvals.states['expired']:,}", "not answered in time"),
        ("Rubber stamps", f"{approvals.rubber_stamps:,}", "approved faster than the request can be read"),
    ]


def _tool_bar(tool: ToolRisk) -> Bar:
    tooltip = (
        f"{tool.tool_name}: {tool.risky:,} risky of {tool.actions:,}, {tool.stopped:,} stopped, mean {tool.mean_score}"
    )
    return Bar(tool.tool_name, tool.risky, tooltip, "high" if tool.risky else "safe")


def _agent_bar(agent: AgentRisk) -> Bar:
    name = agent.agent_id or "no name"
    tooltip = f"{name}: {agent.risk:.1%} of {agent.actions:,} actions were risky, {agent.stopped:,} stopped"
    level = "critical" if agent.risk >= 0.2 else "high" if agent.risk >= 0.05 else "medium" if agent.risk else "safe"
    return Bar(name, round(agent.risk * 100, 1), tooltip, level)


_SEVERITY = {"block": "critical", "require_approval": "high", "warn": "medium", "allow": "low"}


def _policy_bar(policy: PolicyMatchRate) -> Bar:
    tooltip = f"{policy.policy_id}: matched {policy.matches:,} times, {policy.rate:.1%} of all actions"
    return Bar(policy.policy_id, policy.matches, tooltip, _SEVERITY.get(policy.action, "plain"))


ROUTES = [overview]

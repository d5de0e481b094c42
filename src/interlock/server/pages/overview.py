"""The overview: what needs somebody now, and how risky it was."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from litestar import Request, Response, get
from litestar.params import QueryParameter

from interlock.access.roles import Right
from interlock.approval.request import ApprovalState
from interlock.metrics.asked import Asked
from interlock.metrics.counting import DAY, HOUR
from interlock.metrics.risk import Profile, Rate, Risk, Tool, window
from interlock.server.api.metrics import asked_of, risk_of
from interlock.server.api.shared import threaded
from interlock.server.pages.charts import Bar
from interlock.server.pages.looks import Pages, Shown, percent
from interlock.server.service import Service
from interlock.store.clock import MICROSECONDS, now

SPANS = {"hour": HOUR, "day": DAY, "week": 7 * DAY, "month": 30 * DAY, "quarter": 90 * DAY}
MAX_WAITING = 5
Span = Annotated[Literal["hour", "day", "week", "month", "quarter"], QueryParameter(name="span")]


@get("/", opt={"right": Right.SEE}, include_in_schema=False)
async def overview(request: Request[Any, Any, Any], pages: Shown, span: Span = "day") -> Response[str]:
    """Show the overview."""
    return await threaded(_page, request, pages, span)


def _page(request: Request[Any, Any, Any], pages: Pages, span: str) -> Response[str]:
    service = pages.service
    end = now().wall
    risk = risk_of(service, window(end - SPANS[span] * MICROSECONDS, end, None, end))
    asked = asked_of(service, risk.window)
    return pages.render(
        request,
        "overview.html",
        url=service.url,
        span=span,
        spans=SPANS,
        risk=risk,
        asked=asked,
        waiting=service.gate.approvals.list(ApprovalState.PENDING, MAX_WAITING),
        empty=not risk.actions and not _any(service),
        tools=[_tool(tool) for tool in risk.top_tools[:8]],
        agents=[_agent(agent) for agent in risk.agents[:8]],
        policies=[_policy(policy) for policy in risk.policies[:8]],
        figures=_figures(risk, asked),
        tool_rows=[(one.tool_name, one.actions, one.risky, one.stopped, one.mean_score) for one in risk.top_tools],
        agent_rows=[_agent_row(one) for one in risk.agents],
        policy_rows=[(one.policy_id, one.matches, f"{one.rate:.1%}") for one in risk.policies],
    )


def _agent_row(agent: Profile) -> tuple[object, ...]:
    return agent.agent_id or "–", agent.actions, round(agent.risk * 100, 1), agent.stopped, agent.mean_score


def _any(service: Service) -> bool:
    return bool(service.gate.runs.list(1))


def _figures(risk: Risk, asked: Asked) -> list[tuple[str, str, str]]:
    waited = f"median {asked.waiting.median:g} s to an answer" if asked.waiting else "none was answered"
    stopped = f"{percent(risk.stopped / risk.actions)} of all" if risk.actions else "nothing to stop"
    stamps = f"{asked.rubber_stamps} quicker than reading" if asked.rubber_stamps else "none quicker than reading"
    return [
        ("Actions", f"{risk.actions:,}", f"{risk.verdicts['allow'] + risk.verdicts['warn']:,} ran without a question"),
        ("Stopped", f"{risk.stopped:,}", stopped),
        ("Blocked", f"{risk.verdicts['block']:,}", "nobody could have approved these"),
        ("Approvals", f"{asked.total:,}", waited),
        ("Ran out", f"{asked.states['expired']:,}", "nobody answered in time"),
        ("Rubber stamps", f"{asked.rubber_stamps:,}", stamps),
    ]


def _tool(tool: Tool) -> Bar:
    told = (
        f"{tool.tool_name}: {tool.risky:,} risky of {tool.actions:,}, {tool.stopped:,} stopped, mean {tool.mean_score}"
    )
    return Bar(tool.tool_name, tool.risky, told, "high" if tool.risky else "safe")


def _agent(agent: Profile) -> Bar:
    name = agent.agent_id or "no name"
    told = f"{name}: {agent.risk:.1%} of {agent.actions:,} actions were risky, {agent.stopped:,} stopped"
    level = "critical" if agent.risk >= 0.2 else "high" if agent.risk >= 0.05 else "medium" if agent.risk else "safe"
    return Bar(name, round(agent.risk * 100, 1), told, level)


_SEVERITY = {"block": "critical", "require_approval": "high", "warn": "medium", "allow": "low"}


def _policy(policy: Rate) -> Bar:
    told = f"{policy.policy_id}: matched {policy.matches:,} times, {policy.rate:.1%} of all actions"
    return Bar(policy.policy_id, policy.matches, told, _SEVERITY.get(policy.action, "plain"))


ROUTES = [overview]

"""The figures and lists of the overview, each number with the link to its actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from interlock.metrics.action_filter import ActionFilter
from interlock.metrics.approvals import ApprovalMetrics
from interlock.metrics.comparison import EarlierFigures, describe_change
from interlock.metrics.counters import OTHERS
from interlock.metrics.risk import AgentRisk, PolicyMatchRate, RiskMetrics, ToolRisk
from interlock.server.pages.action_links import actions_link
from interlock.server.pages.charts import Bar
from interlock.server.pages.formatting import duration, percent
from interlock.server.pages.links import agent_link
from interlock.store.clock import MICROSECONDS

MAX_BARS = 8


class Figure(NamedTuple):
    """A figure: its name, number, what it says, its link, and how it has changed."""

    name: str
    number: int
    words: str
    link: str
    change: str


class BarList(NamedTuple):
    """A list of bars, and the same as the rows of a table; the first cell of a row is text and link."""

    bars: list[Bar]
    heads: tuple[str, ...]
    rows: Sequence[tuple[tuple[str, str], tuple[object, ...]]]


def figures(risk: RiskMetrics, approvals: ApprovalMetrics, before: EarlierFigures, shown: ActionFilter) -> list[Figure]:
    """Return the figures of a window."""
    ran = risk.verdicts["allow"] + risk.verdicts["warn"]
    waiting = approvals.waiting
    waited = f"answered in {duration(int(waiting.median * MICROSECONDS))} (median)" if waiting else "none answered"
    stopped = f"{percent(risk.stopped / risk.actions)} of all actions" if risk.actions else "no actions"
    blocked, expired = risk.verdicts["block"], approvals.states["expired"]
    stamps, stamped = approvals.rubber_stamps, "approved faster than the request can be read"
    rows: list[tuple[str, int, str, dict[str, Any], int | None]] = [
        ("Actions", risk.actions, f"{ran:,} ran without approval", {}, before.actions),
        ("Stopped", risk.stopped, stopped, {"verdict": "stopped"}, before.stopped),
        ("Blocked", blocked, "could not be approved", {"verdict": "block"}, before.blocked),
        ("Approval requests", approvals.total, waited, {"request": "any"}, before.requests),
        ("Expired", expired, "not answered in time", {"request": "expired"}, before.expired),
        ("Rubber stamps", stamps, stamped, {"request": "stamped"}, None),
    ]
    return [
        Figure(name, number, words, actions_link(_of(shown, **given)), _change(number, earlier, before))
        for name, number, words, given, earlier in rows
    ]


def _change(number: int, earlier: int | None, before: EarlierFigures) -> str:
    return describe_change(number, earlier) if before.complete and earlier is not None else ""


def _of(shown: ActionFilter, **more: Any) -> ActionFilter:
    return ActionFilter(start=shown.start, end=shown.end, **more)


def tool_bars(risk: RiskMetrics, shown: ActionFilter) -> BarList:
    """Return the tools with the most risky actions."""
    heads = ("tool", "actions", "high or critical", "stopped", "mean score")
    rows = [
        ((tool.tool_name, _tool_link(tool, shown)), (tool.actions, tool.risky, tool.stopped, tool.mean_score))
        for tool in risk.top_tools
    ]
    return BarList([_tool_bar(tool, shown) for tool in risk.top_tools[:MAX_BARS]], heads, rows)


def _tool_link(tool: ToolRisk, shown: ActionFilter, **more: str) -> str:
    return "" if tool.tool_name in ("", OTHERS) else actions_link(_of(shown, tool=tool.tool_name, **more))


def _tool_bar(tool: ToolRisk, shown: ActionFilter) -> Bar:
    tooltip = f"{tool.tool_name}: {tool.risky:,} of {tool.actions:,} actions were high or critical"
    link = _tool_link(tool, shown, level="risky") if tool.risky else _tool_link(tool, shown)
    label = f"{tool.risky:,} of {tool.actions:,}"
    return Bar(tool.tool_name, tool.risky, tooltip, "high" if tool.risky else "safe", link, label)


def agent_bars(risk: RiskMetrics, shown: ActionFilter) -> BarList:
    """Return the agents whose actions are risky most often."""
    heads = ("agent", "actions", "high or critical", "share", "stopped", "mean score")
    rows = [
        (
            (agent.agent_id or "no agent name", "" if agent.agent_id == OTHERS else agent_link(agent.agent_id or "")),
            (agent.actions, _risky(agent), percent(agent.risk), agent.stopped, agent.mean_score),
        )
        for agent in risk.agents
    ]
    return BarList([_agent_bar(agent, shown) for agent in risk.agents[:MAX_BARS]], heads, rows)


def _risky(agent: AgentRisk) -> int:
    return agent.levels["high"] + agent.levels["critical"]


def _agent_bar(agent: AgentRisk, shown: ActionFilter) -> Bar:
    name, risky = agent.agent_id or "no agent name", _risky(agent)
    tooltip = f"{name}: {percent(agent.risk)} of {agent.actions:,} actions were high or critical"
    level = "critical" if agent.risk >= 0.2 else "high" if agent.risk >= 0.05 else "medium" if risky else "safe"
    whose = {"agent_id": agent.agent_id} if agent.agent_id else {"unnamed": True}
    link = actions_link(_of(shown, **whose, level="risky" if risky else ""))
    label = f"{percent(agent.risk)} of {agent.actions:,}"
    return Bar(name, agent.risk, tooltip, level, "" if name == OTHERS else link, label)


_SEVERITY = {"block": "critical", "require_approval": "high", "warn": "medium", "allow": "low"}


def policy_bars(risk: RiskMetrics, shown: ActionFilter) -> BarList:
    """Return the policies that matched most often."""
    rows = [
        ((policy.policy_id, _policy_link(policy, shown)), (policy.matches, percent(policy.rate)))
        for policy in risk.policies
    ]
    heads = ("policy", "matches", "of all actions")
    return BarList([_policy_bar(policy, shown) for policy in risk.policies[:MAX_BARS]], heads, rows)


def _policy_link(policy: PolicyMatchRate, shown: ActionFilter) -> str:
    return "" if policy.policy_id == OTHERS else actions_link(_of(shown, policy=policy.policy_id))


def _policy_bar(policy: PolicyMatchRate, shown: ActionFilter) -> Bar:
    tooltip = f"{policy.policy_id}: matched {policy.matches:,} times, {percent(policy.rate)} of all actions"
    level = _SEVERITY.get(policy.action, "plain")
    return Bar(policy.policy_id, policy.matches, tooltip, level, _policy_link(policy, shown))

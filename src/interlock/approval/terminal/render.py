"""The request as the prompt shows it: the action, the reasons, its targets, and whether it can be undone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from interlock.approval.challenge.questions import MAX_LISTED
from interlock.approval.challenge.targets import ActionTarget, list_targets
from interlock.approval.request import AnswerVerdict, Approval, ApprovalState
from interlock.approval.terminal.action_text import ActionText, read_action_text
from interlock.levels import Level
from interlock.sanitise import plain
from interlock.show import LEVEL_STYLES, pairs

TITLES = {
    ApprovalState.PENDING: "Approval needed",
    ApprovalState.APPROVED: "Approved",
    ApprovalState.REJECTED: "Rejected",
    ApprovalState.EXPIRED: "Expired",
    ApprovalState.CANCELLED: "Cancelled",
}
MAX_REASONS = 5
MAX_INSTEAD = 3
MAX_WIDTH = 100


def render_request(approval: Approval, now_us: int) -> RenderableType:
    """Return a request for display. No text of an agent can add or hide a line."""
    action_text = read_action_text(approval)
    parts = [
        _head(approval),
        Text(),
        _where(approval),
        action_text.body(),
        Text(),
        pairs(_rows(approval, action_text, now_us)),
    ]
    return Constrain(Group(Text(), *parts, Text()), MAX_WIDTH)


def _head(approval: Approval) -> RenderableType:
    """Return the title line, with the level and the score on the right."""
    level = _level(approval)
    style = LEVEL_STYLES[level] if level else ""
    score = approval.decision.get("score")
    risk = " · ".join([level.value if level else "", f"{score} of 100" if isinstance(score, int) else ""]).strip(" ·")
    head = Table.grid(expand=True, padding=(0, 2))
    head.add_column()
    head.add_column(justify="right", no_wrap=True)
    head.add_row(Text(f"  {TITLES[approval.state]}", f"bold {style}"), Text(f"{risk}  ", style))
    return Group(head, Rule(style=f"dim {style}".strip()))


def _level(approval: Approval) -> Level | None:
    found = [level for level in Level if level.value == approval.decision.get("level")]
    return found[0] if found else None


def _where(approval: Approval) -> Text:
    """Return the tool and its working folder."""
    folder = str(approval.action.get("cwd") or "")
    tool = Text(f"  {plain(str(approval.action.get('toolName') or 'an unnamed tool'))}", "bold")
    return tool + Text(f"  in {plain(folder)}" if folder else "", "dim")


def _rows(approval: Approval, action_text: ActionText, now_us: int) -> list[tuple[str, Any]]:
    """Return the labelled rows below the action, the most important first."""
    omissions = [Text(plain(str(part)), "bold yellow") for part in approval.decision.get("unshown") or ()]
    rows = [
        *_render_labelled_rows("not shown", omissions, MAX_INSTEAD),
        *_render_labelled_rows("look at", action_text.excerpts(), MAX_INSTEAD),
    ]
    rows += _facts(approval)
    rows += [("asked by", _requester(approval)), *_answers(approval)]
    if approval.expires_at is not None and approval.state is ApprovalState.PENDING:
        rows.append(("time", Text(format_time_left((approval.expires_at - now_us) / 1_000_000))))
    return rows


def _facts(approval: Approval) -> Iterable[tuple[str, Any]]:
    decision = approval.decision
    yield from _render_labelled_rows("why", [Text(plain(reason)) for reason in approval.reasons], MAX_REASONS)
    targets = list_targets(approval)
    if targets:
        yield "touches", _render_targets(targets)
    if "reversible" in decision:
        undo = decision["reversible"]
        yield "undo", Text("can be undone", "green") if undo else Text("cannot be undone", "bold red")
    if decision.get("opaque"):
        yield "unread", Text(plain("; ".join(map(str, decision["opaque"]))), "yellow")
    instead = dict.fromkeys(str(found["instead"]) for found in decision.get("findings") or () if found.get("instead"))
    yield from _render_labelled_rows("instead", [Text(plain(command), "green") for command in instead], MAX_INSTEAD)


def _render_labelled_rows(label: str, values: Sequence[Text], limit: int) -> Iterable[tuple[str, Text]]:
    for index, value in enumerate(values[:limit]):
        yield label if not index else "", value
    if len(values) > limit:
        yield "", Text(f"… and {len(values) - limit} more", "dim")


def _render_targets(targets: Sequence[ActionTarget]) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for target in targets[:MAX_LISTED]:
        style = "" if target.reads else "bold"
        grid.add_row(Text(target.verb), Text(target.label, style) + Text(f"  {target.notes}".rstrip(), "dim"))
    if len(targets) > MAX_LISTED:
        grid.add_row(Text("…", "dim"), Text(f"and {len(targets) - MAX_LISTED} more", "dim"))
    return grid


def _requester(approval: Approval) -> Text:
    """Return the requester; names with unusual characters are quoted, since an agent may have chosen them."""
    names = [f"agent {_quote(approval.agent_id)}"] if approval.agent_id else []
    names += [f"run {_quote(approval.run_id)}"] if approval.run_id else []
    names += [f"started by {_quote(approval.started_by)}"] if approval.started_by else []
    names += [f"for {name} {_quote(str(whom))}" for name in ("user", "tenant") if (whom := approval.action.get(name))]
    return Text(", ".join(names))


def _quote(name: str) -> str:
    shown = plain(name)
    return shown if re.fullmatch(r"[\w.@:/-]+", shown, re.ASCII) else "“" + shown.replace("”", "'") + "”"


def _answers(approval: Approval) -> Iterable[tuple[str, Text]]:
    needs = approval.needs
    if needs.approvers > 1:
        yield "needs", Text(f"{needs.approvers} different people")
    words = {
        AnswerVerdict.APPROVE: "approved by",
        AnswerVerdict.REJECT: "rejected by",
        AnswerVerdict.ESCALATE: "escalated by",
    }
    for index, answer in enumerate(approval.answers):
        said = f"{words[answer.verdict]} {answer.approver}" + (f": {answer.reason}" if answer.reason else "")
        yield "" if index else "answers", Text(plain(said))


def format_time_left(seconds: float) -> str:
    """Return the remaining time for display.

    >>> [format_time_left(seconds) for seconds in (295.2, 42, -1, 86_399, 176_400)]
    ['4 min 55 s left', '42 s left', 'none left', '23 h 59 min left', '2 days 1 h left']
    """
    whole = int(seconds)
    if whole <= 0:
        return "none left"
    if whole >= 172_800:
        return f"{whole // 86_400} days {whole % 86_400 // 3_600} h left"
    if whole >= 3_600:
        return f"{whole // 3_600} h {whole % 3_600 // 60} min left"
    return f"{whole // 60} min {whole % 60} s left" if whole >= 60 else f"{whole} s left"

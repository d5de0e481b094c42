"""How a request looks to whoever answers it: what, why, what it touches, and whether it can be undone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from interlock.approval.challenge.questions import MAX_LISTED
from interlock.approval.challenge.touched import Touch, touched
from interlock.approval.request import Approval, Reply, State
from interlock.approval.terminal.wording import Wording, wording_of
from interlock.levels import Level
from interlock.sanitise import plain
from interlock.show import LEVEL_STYLES, pairs

TITLES = {
    State.PENDING: "Approval needed",
    State.APPROVED: "Approved",
    State.REJECTED: "Rejected",
    State.EXPIRED: "Expired",
    State.CANCELLED: "Cancelled",
}
MAX_REASONS = 5
MAX_INSTEAD = 3
MAX_WIDTH = 100


def render(approval: Approval, now_us: int) -> RenderableType:
    """Return a request as a person reads it. Nothing that an agent wrote can add or hide a line."""
    wording = wording_of(approval)
    parts = [_head(approval), Text(), _where(approval), wording.body(), Text(), pairs(_rows(approval, wording, now_us))]
    return Constrain(Group(Text(), *parts, Text()), MAX_WIDTH)


def _head(approval: Approval) -> RenderableType:
    """Return the title, with the level and the score at the other end."""
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
    """Return the tool, and the folder that it would work in."""
    folder = str(approval.action.get("cwd") or "")
    tool = Text(f"  {plain(str(approval.action.get('toolName') or 'a tool without a name'))}", "bold")
    return tool + Text(f"  in {plain(folder)}" if folder else "", "dim")


def _rows(approval: Approval, wording: Wording, now_us: int) -> list[tuple[str, Any]]:
    """Return everything that is said about the action, the most important first."""
    hidden = [Text(plain(str(part)), "bold yellow") for part in approval.decision.get("unshown") or ()]
    rows = [*_listed("not shown", hidden, MAX_INSTEAD), *_listed("look at", wording.excerpts(), MAX_INSTEAD)]
    rows += _facts(approval.decision)
    rows += [("asked by", _who(approval)), *_people(approval)]
    if approval.expires_at is not None and approval.state is State.PENDING:
        rows.append(("time", Text(time_left((approval.expires_at - now_us) / 1_000_000))))
    return rows


def _facts(decision: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    yield from _listed("why", [Text(plain(str(reason))) for reason in decision.get("reasons") or ()], MAX_REASONS)
    touches = touched(decision)
    if touches:
        yield "touches", _touches(touches)
    if "reversible" in decision:
        undo = decision["reversible"]
        yield "undo", Text("can be undone", "green") if undo else Text("cannot be undone", "bold red")
    if decision.get("opaque"):
        yield "unread", Text(plain("; ".join(map(str, decision["opaque"]))), "yellow")
    instead = dict.fromkeys(str(found["instead"]) for found in decision.get("findings") or () if found.get("instead"))
    yield from _listed("instead", [Text(plain(command), "green") for command in instead], MAX_INSTEAD)


def _listed(label: str, values: Sequence[Text], limit: int) -> Iterable[tuple[str, Text]]:
    for index, value in enumerate(values[:limit]):
        yield label if not index else "", value
    if len(values) > limit:
        yield "", Text(f"… and {len(values) - limit} more", "dim")


def _touches(touches: Sequence[Touch]) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for touch in touches[:MAX_LISTED]:
        style = "" if touch.reads else "bold"
        grid.add_row(Text(touch.verb), Text(touch.shown, style) + Text(f"  {touch.notes}".rstrip(), "dim"))
    if len(touches) > MAX_LISTED:
        grid.add_row(Text("…", "dim"), Text(f"and {len(touches) - MAX_LISTED} more", "dim"))
    return grid


def _who(approval: Approval) -> Text:
    """Return who asks; a name that an agent may have chosen stands in quotes where it could be read as more."""
    names = [f"agent {_named(approval.agent_id)}"] if approval.agent_id else []
    names += [f"run {_named(approval.run_id)}"] if approval.run_id else []
    names += [f"started by {_named(approval.started_by)}"] if approval.started_by else []
    return Text(", ".join(names))


def _named(name: str) -> str:
    shown = plain(name)
    return shown if re.fullmatch(r"[\w.@:/-]+", shown, re.ASCII) else "“" + shown.replace("”", "'") + "”"


def _people(approval: Approval) -> Iterable[tuple[str, Text]]:
    needs = approval.needs
    if needs.approvers > 1:
        yield "needs", Text(f"{needs.approvers} different people")
    words = {Reply.APPROVE: "approved by", Reply.REJECT: "rejected by", Reply.ESCALATE: "passed on by"}
    for index, answer in enumerate(approval.answers):
        said = f"{words[answer.verdict]} {answer.approver}" + (f": {answer.reason}" if answer.reason else "")
        yield "" if index else "answers", Text(plain(said))


def time_left(seconds: float) -> str:
    """Return how long there is left, as a person says it.

    >>> time_left(295.2), time_left(42), time_left(-1), time_left(86_399)
    ('4 min 55 s left', '42 s left', 'none left', '23 h 59 min left')
    """
    whole = int(seconds)
    if whole <= 0:
        return "none left"
    if whole >= 3_600:
        return f"{whole // 3_600} h {whole % 3_600 // 60} min left"
    return f"{whole // 60} min {whole % 60} s left" if whole >= 60 else f"{whole} s left"

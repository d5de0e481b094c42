"""Approval requests as a list: a table, or lines of their own where a terminal is too narrow for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from interlock.approval.request import Approval, ApprovalState
from interlock.approval.request_place import request_place
from interlock.approval.search_fields import environment_of
from interlock.approval.terminal.render import format_time_left
from interlock.cli.approver_names import YOU
from interlock.cli.local_time import local_time, zone_name
from interlock.levels import Level
from interlock.sanitise import join_lines, plain
from interlock.show import level_text
from interlock.store.clock import MICROSECONDS, Moment, now

STATE_STYLES = {
    ApprovalState.PENDING: "bold yellow",
    ApprovalState.APPROVED: "green",
    ApprovalState.REJECTED: "red",
    ApprovalState.EXPIRED: "dim",
    ApprovalState.CANCELLED: "dim",
}
#: The environments that stand out in lists.
HIGHLIGHTED_ENVIRONMENTS = ("production", "critical")
#: The least width of the column with the actions, and the space around each column.
MIN_ACTION, AROUND = 24, 2

Cells = dict[str, Text]


def list_requests(approvals: Sequence[Approval], approvers: Mapping[str, str], width: int) -> RenderableType:
    """Return requests as a list for a terminal of a width; `approvers` names who can approve each."""
    at = now()
    rows = [_cells(approval, approvers.get(approval.approval_id, ""), at) for approval in approvals]
    ended = any(approval.state is not ApprovalState.PENDING for approval in approvals)
    others = any(names not in ("", YOU) for names in approvers.values())
    hidden = {"state": not ended, "can approve": not others}  # what is the same in every row need not be said
    names = [name for name in rows[0] if not hidden.get(name)]
    heads = {name: f"{name} ({zone_name()})" if name == "asked" else name for name in names}
    facts = [name for name in names if name != "action"]
    needed = sum(max(len(heads[name]), *(row[name].cell_len for row in rows)) + AROUND for name in facts)
    if needed + MIN_ACTION + AROUND > width:
        return Group(*(_stack(row, names) for row in rows))
    return _table(rows, heads)


def summarise(tool: str, text: str) -> str:
    """Return an action on one line: its text, or the tool and its input."""
    text = join_lines(text)
    return plain(f"{tool} {text}".rstrip() if not text or text.startswith("{") else text)


def summary_of(approval: Approval) -> str:
    """Return the action of a request on one line."""
    return summarise(str(approval.action.get("toolName") or ""), str(approval.decision.get("text") or ""))


def _table(rows: Sequence[Cells], heads: Mapping[str, str]) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for name, head in heads.items():
        table.add_column(head, overflow="fold", no_wrap=name != "action")
    for row in rows:
        table.add_row(*(row[name] for name in heads))
    return table


def _stack(row: Cells, names: Sequence[str]) -> RenderableType:
    """Return a request on lines of its own: what matters most, its action, and the rest."""
    first = [row[name] for name in ("id", "state", "level", "where") if name in names and row[name]]
    rest = [f"{word} {row[name]}" for name, word in _WORDS.items() if name in names and row[name]]
    lines = (
        Text("  ").join(first),
        Padding(row["action"], (0, 0, 0, 2)),
        Padding(Text(", ".join(rest), "dim"), (0, 0, 0, 2)),
    )
    return Padding(Group(*lines), (0, 0, 0, 1))


#: The facts below an action, each with the word before it.
_WORDS = {"agent": "by", "asked": "at", "left": "time left", "can approve": "can approve:"}


def _cells(approval: Approval, approvers: str, at: Moment) -> Cells:
    return {
        "id": Text(approval.approval_id[:8]),
        "asked": Text(local_time(approval.created_at, at.wall)),
        "state": Text(approval.state.value, STATE_STYLES[approval.state]),
        "level": level_text(Level(approval.decision["level"])),
        "where": _where(approval),
        "agent": Text(plain(approval.agent_id or approval.started_by)),
        "left": Text(_format_time_left(approval, at)),
        "can approve": Text(approvers),
        "action": Text(summary_of(approval)[:120], overflow="fold"),
    }


def _where(approval: Approval) -> Text:
    """Return the environment and the folder of a request; production stands out."""
    environment, folder = environment_of(approval) or "", request_place(approval).folder
    found = Text(plain(environment), "bold red" if environment in HIGHLIGHTED_ENVIRONMENTS else "")
    return found + Text(f"{' ' if environment else ''}{plain(folder)}"[:30])


def _format_time_left(approval: Approval, at: Moment) -> str:
    if approval.state is not ApprovalState.PENDING or approval.expires_at is None:
        return ""
    return format_time_left((approval.expires_at - at.wall) / MICROSECONDS).removesuffix(" left")

"""`interlock runs`: the runs of agents, each as a timeline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec
from rich.table import Table
from rich.text import Text

from interlock.audit.cited_calls import CitedCall, is_silent, load_causes
from interlock.audit.identity import user_name
from interlock.audit.read import RecordFilter, StoredRecord, read_page
from interlock.audit.run_ids import shorten_ids
from interlock.audit.runs import Run
from interlock.audit.sentences import describe_record
from interlock.cli.local_time import local_time, zone_name
from interlock.cli.open_store import open_store
from interlock.cli.request_list import HIGHLIGHTED_ENVIRONMENTS
from interlock.levels import Level
from interlock.sanitise import join_lines, plain
from interlock.show import VERDICT_STYLES, VERDICT_WORDS, console, level_text, print_json_lines
from interlock.store.clock import now

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store

_STATES = {"open": "green", "paused": "bold yellow", "ended": "dim"}


def list_all(store: Store, limit: int, *, as_json: bool) -> int:
    """Print the runs, the newest first."""
    with open_store(store.store, store.config) as found:
        runs = found.runs.list(limit)
        with found.database.read() as connection:
            short = shorten_ids(connection, (run.run_id for run, _ in runs))
    if as_json:
        print_json_lines({**msgspec.to_builtins(run), "actions": actions} for run, actions in runs)
        return 0
    if not runs:
        print("no runs yet")
        return 0
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for name in ("id", f"started ({zone_name()})", "state", "agent", "started by", "for", "actions", "workspace"):
        table.add_column(name, justify="right" if name == "actions" else "left", no_wrap=name != "workspace")
    at = now().wall
    for run, actions in runs:
        state = Text(run.state, _STATES[run.state])
        agent, workspace = plain(run.agent_id or "–"), plain(run.workspace or "–")
        table.add_row(
            plain(short[run.run_id]),
            local_time(run.started_at, at),
            state,
            agent,
            plain(run.started_by),
            plain(", ".join(filter(None, (run.user, run.tenant))) or "–"),
            f"{actions:,}",
            workspace,
        )
    console().print(table)
    return 0


def show(store: Store, run_id: str, after: int, limit: int, *, as_json: bool) -> int:
    """Print a run as a timeline, a page at a time."""
    with open_store(store.store, store.config) as found:
        run = found.runs.get(run_id)
        lines = read_page(found.database, RecordFilter(run_id=run.run_id), after=after, limit=limit)
        causes = load_causes(found.database, lines)
        with found.database.read() as connection:
            short = shorten_ids(connection, [run.run_id])[run.run_id]
    if as_json:
        for line in lines:
            print(line.body)
        return 0
    out = console()
    head = (
        f"run {plain(run.run_id)}  {run.state}, agent {plain(run.agent_id or '–')}, started by {plain(run.started_by)}"
    )
    out.print(Text(head, "bold"))
    for name, value in _details(run):
        out.print(Text(f"  {plain(name)}: {plain(value)}"))
    out.print(timeline(lines, causes))
    if len(lines) == limit:
        print(f"\n  more: interlock runs show {plain(short)} --after {lines[-1].record.seq}")
    return 0


def _details(run: Run) -> Iterator[tuple[str, str]]:
    """Yield the details of a run: its user, its tenant and its metadata."""
    for name in ("user", "tenant"):
        if getattr(run, name):
            yield name, getattr(run, name)
    for name, value in run.metadata.items():
        yield f"metadata.{name}", value if isinstance(value, str) else msgspec.json.encode(value).decode()


def resume(store: Store, run_id: str) -> int:
    """Resume a paused run."""
    with open_store(store.store, store.config) as found:
        run = found.runs.resume(run_id, user_name())
    print(f"run {plain(run.run_id)} is resumed")
    return 0


def timeline(lines: list[StoredRecord], causes: Mapping[int, list[CitedCall]] = MappingProxyType({})) -> Table:
    """Return records as a table: number, time, kind, verdict, level and text, with the earlier calls that they cite."""
    table = Table.grid(padding=(0, 2))
    for style in ("dim", "dim", "", "", ""):
        table.add_column(style=style, no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    at = now().wall
    for line in lines:
        record = line.record
        if is_silent(record.kind, record.outcome):
            continue
        level = record.data.get("level") or record.data.get("severity")
        table.add_row(
            str(record.seq),
            local_time(record.at, at),
            plain(record.kind),
            _VERDICTS.get(record.outcome or "", Text("")),
            level_text(Level(level)) if level else Text(""),
            _environment(record.data) + plain(join_lines(describe_record(record))),
        )
        for cause in causes.get(record.seq, ()):
            told = join_lines(f"└ call {cause.call} ({cause.seq}): {cause.tool}: {cause.text}")
            table.add_row("", "", "", "", "", Text(plain(told), "dim"))
    return table


def _environment(data: Mapping[str, Any]) -> Text:
    """Return the environment of an action, before its text; production stands out."""
    name = data.get("environment")
    if not isinstance(name, str) or not name:
        return Text("")
    return Text(plain(name), "bold red" if name in HIGHLIGHTED_ENVIRONMENTS else "dim") + "  "


_VERDICTS = {verdict.value: Text(VERDICT_WORDS[verdict], style) for verdict, style in VERDICT_STYLES.items()}

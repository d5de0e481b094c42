"""`interlock observe`: the agents and keys that are only observed, and the actions that would have been stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from interlock.access.keys import AccessKeys
from interlock.cli.open_store import OpenStore, open_store
from interlock.levels import Level
from interlock.metrics.observe_report import ObservedAction, ObservedGroup, ObserveReport, observe_report
from interlock.metrics.observed_callers import ObservedCaller, list_observed
from interlock.sanitise import plain
from interlock.show import columns, console, level_text, print_json_lines
from interlock.store.clock import now

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store

MAX_TEXT = 100


def show(store: Store, *, as_json: bool) -> int:
    """Print the agents and keys that are only observed."""
    with open_store(store.store, store.config, make=True) as found:
        observed = _list_observed(found)
    if as_json:
        print_json_lines(observed)
        return 0
    if not observed:
        print("nothing is observed: every verdict is enforced")
        return 0
    table = columns("observed", "to enforce")
    for one in observed:
        table.add_row(plain(str(one)), plain(one.enforce))
    console().print(table)
    return 0


def report(store: Store, days: int, agent: str | None, limit: int, *, as_json: bool) -> int:
    """Print the observed actions that would have been stopped."""
    with open_store(store.store, store.config) as found:
        made = observe_report(found.journal, days, agent)
        observed = _list_observed(found)
    if as_json:
        print_json_lines([made])
        return 0
    out = console()
    out.print(Text(plain(str(made)), "bold"))
    for group in made.groups:
        out.print()
        out.print(_heading(group))
        for action in group.examples[:limit]:
            out.print(_line(action))
        if len(group.examples) > limit:
            out.print(Text("    … `--limit` shows more", "dim"))
    if not made.complete:
        out.print(Text("\nOnly the newest actions are listed; the counts include all of them.", "dim"))
    _print_next_step(made, observed)
    return 0


def _list_observed(found: OpenStore) -> list[ObservedCaller]:
    return list_observed(found.config.observe, AccessKeys(found.journal).list(), now().wall)


def _heading(group: ObservedGroup) -> Text:
    return Text.assemble((f"  {plain(group.source)}", "bold"), f"  {group}")


def _line(action: ObservedAction) -> Text:
    text = plain(" ".join(action.text.split()))
    text = text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
    return Text.assemble(
        f"    {action.count:>5,} × ", level_text(Level(action.level)), f"  {plain(action.tool_name)}  {text}"
    )


def _print_next_step(made: ObserveReport, observed: list[ObservedCaller]) -> None:
    """Print how to enforce the verdicts, or how to observe."""
    out = console()
    out.print()
    if observed:
        for one in observed:
            out.print(Text(f"To enforce {plain(one.what)}: {plain(one.enforce)}."))
    elif made.actions:
        out.print(Text("Every verdict is enforced now."))
    else:
        key = "run `interlock keys observe NAME`"
        out.print(Text(f"To observe, add `[observe]` with `everything = true` to your interlock.toml, or {key}."))

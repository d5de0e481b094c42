"""The report of a replay in a terminal: counts, then changes with examples, newly allowed ones first."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from interlock.history.replay.markdown import order_changes
from interlock.history.replay.summary import GROUPS, ReplaySummary
from interlock.levels import Verdict
from interlock.sanitise import plain
from interlock.show import columns, console, verdict_text

#: How many names of rules, policies, agents and tools are shown.
MAX_SHOWN = 5
_BASIS = {
    "masked": "were decided from a masked or truncated input",
    "assessed": "were decided by their recorded assessment, because their input was not recorded",
}


def show_report(found: ReplaySummary) -> None:
    """Print the result of a replay."""
    out = console()
    if not found.actions:
        out.print("There are no past actions to replay.")
        return
    before, after = found.interruptions
    verdicts = "verdict would be" if found.changed == 1 else "verdicts would be"
    runs = "run" if found.runs == 1 else "runs"
    out.print(f"\n  {found.actions:,} past actions of {found.runs:,} {runs}: {found.changed:,} {verdicts} different\n")
    table = columns("verdict", "before", "after")
    for verdict in Verdict:
        counts = found.before.get(verdict.value, 0), found.after.get(verdict.value, 0)
        if any(counts):
            table.add_row(verdict_text(verdict), f"{counts[0]:,}", f"{counts[1]:,}")
    out.print(table)
    out.print(f"  interruptions per 100 actions: {before:.1f} before, {after:.1f} after")
    if found.newly_allowed:
        out.print(Text(f"\n  {found.newly_allowed:,} would be newly allowed", "bold red"))
    _show_changes(found)
    for group in GROUPS:
        _show_group(group, found.groups.get(group, {}))
    _show_notes(found)


def _show_changes(found: ReplaySummary) -> None:
    out = console()
    for change in order_changes(found):
        before, after = map(Verdict, change.split(" → "))
        count = Text(f"  {found.transitions[change]:,}", "bold")
        out.print(Text("\n  ") + verdict_text(before) + Text(" → ") + verdict_text(after) + count)
        for example in found.examples.get(change, ()):
            times = f" × {example.count:,}" if example.count > 1 else ""
            text = Text(f"    {plain(example.text or example.tool)[:90]}{times}")
            out.print(text + Text(f"  {plain(example.because)}", "dim"))


def _show_group(group: str, table: Mapping[str, Mapping[str, int]]) -> None:
    if not table:
        return
    out = console()
    out.print(Text(f"\n  by {group}", "bold"))
    for name, changes in list(table.items())[:MAX_SHOWN]:
        parts = ", ".join(f"{change} {count:,}" for change, count in changes.items())
        out.print(Text(f"    {plain(name)}") + Text(f"  {parts}", "dim"))
    if len(table) > MAX_SHOWN:
        out.print(Text(f"    … and {len(table) - MAX_SHOWN:,} more; `--json` lists them", "dim"))


def _show_notes(found: ReplaySummary) -> None:
    """Print why verdicts differ, and what could not be decided from exact inputs."""
    out = console()
    if found.causes:
        out.print(Text("\n  causes", "bold"))
        for cause, count in found.causes.items():
            out.print(f"    {cause}: {count:,}")
    for basis, words in _BASIS.items():
        if found.basis.get(basis):
            out.print(Text(f"\n  {found.basis[basis]:,} {words}", "dim"))
    for why, count in found.undecided.items():
        out.print(Text(f"  {count:,} could not be decided again: {why}", "yellow"))

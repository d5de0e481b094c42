"""Show a plan in a terminal: the changes, and their effect on past actions."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping

from rich.text import Text

from interlock.cli.policy_target import PolicyTarget
from interlock.levels import Verdict
from interlock.policies.drafts import PolicyDraft
from interlock.policies.folder import PolicyLocation
from interlock.policies.plan import PolicyPlan
from interlock.policies.policy_input import policy_input
from interlock.policies.simulation import Simulation, join_simulations
from interlock.sanitise import plain
from interlock.show import columns, console, print_difference, verdict_text

#: How many past actions are tested in one request.
CHUNK = 500
_EVERY_SECONDS = 5.0
_SIGNS = {"add": ("+", "green"), "change": ("~", "yellow"), "adopt": ("=", "cyan"), "remove": ("-", "red")}
_NOUNS = {"add": "to add", "change": "to change", "adopt": "to adopt", "remove": "to remove"}
_DONE = {"add": "added", "change": "changed", "adopt": "adopted", "remove": "removed"}


def simulate_plan(target: PolicyTarget, plan: PolicyPlan, last: int) -> Simulation:
    """Return the effect that a plan would have had on the last actions, with progress on standard error."""
    draft = PolicyDraft(
        policies=[policy_input(one.after) for one in plan.changes if one.after is not None and one.kind != "adopt"],
        without=[change.policy_id for change in plan.changes if change.after is None],
    )
    parts: list[Simulation] = []
    done, before, progress = 0, None, _ActionCounter(last)
    while done < last:
        part = target.simulate(_next_part(draft, min(CHUNK, last - done), before))
        if not part.actions:
            break
        parts.append(part)
        done, before = done + part.actions, part.first
        progress.show(done)
    progress.end()
    return join_simulations(parts)


def _next_part(draft: PolicyDraft, limit: int, before: int | None) -> PolicyDraft:
    return PolicyDraft(policies=draft.policies, without=draft.without, limit=limit, before=before)


class _ActionCounter:
    """Counts actions on one line of a terminal, or in a log from time to time."""

    def __init__(self, total: int) -> None:
        self._total, self._is_terminal = total, sys.stderr.isatty()
        self._shown = time.monotonic()

    def show(self, done: int) -> None:
        """Show the progress, unless it was shown a moment ago."""
        text = f"tested against {done:,} of {self._total:,} past actions"
        if self._is_terminal:
            print(f"\r{text}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - self._shown > _EVERY_SECONDS:
            print(text, file=sys.stderr, flush=True)
            self._shown = time.monotonic()

    def end(self) -> None:
        """Clear the line of a terminal."""
        if self._is_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def show_plan(plan: PolicyPlan, places: Mapping[str, PolicyLocation], *, done: bool = False) -> None:
    """Print the changes and the conflicts of a plan, and a summary."""
    out = console()
    for change in plan.changes:
        sign, style = _SIGNS[change.kind]
        where = f"  {places[change.policy_id]}" if change.policy_id in places else ""
        out.print(Text(f"  {sign} {plain(change.policy_id)}", f"bold {style}") + Text(where, "dim"))
        print_difference(change.diff)
        if change.overwrites:
            out.print(Text(f"      overwritten: it {change.overwrites}", "yellow"))
    for conflict in plan.conflicts:
        out.print(Text(f"  ✗ {plain(conflict.policy_id)}", "bold red") + Text(f"  {conflict.reason}", "red"))
        print_difference(conflict.diff)
    if plan.conflicts:
        out.print(Text("\n  conflicts: nothing is changed unless you use `--overwrite`", "red"))
    words = _DONE if done else _NOUNS
    counts = [(sum(change.kind == kind for change in plan.changes), word) for kind, word in words.items()]
    parts = [f"{count} {word}" for count, word in counts if count] or ["nothing to change"]
    out.print(f"\n  {', '.join(parts)}, {plan.unchanged} unchanged  ({plain(str(plan.origin))})")


def show_simulation(found: Simulation) -> None:
    """Print the number of past actions with a different verdict, and examples, newly allowed ones first."""
    out = console()
    if not found.actions:
        out.print("\n  There are no past actions to test against.")
        return
    verdicts = f"{found.changed:,} {'verdict' if found.changed == 1 else 'verdicts'} would have been different"
    out.print(f"\n  On the last {found.actions:,} actions, {verdicts}:\n")
    table = columns("verdict", "before", "after")
    for verdict in Verdict:
        before, after = found.before.get(verdict.value, 0), found.after.get(verdict.value, 0)
        if before or after:
            table.add_row(verdict_text(verdict), f"{before:,}", f"{after:,}")
    out.print(table)
    if found.unknown:
        out.print(
            f"  {found.unknown:,} could not be tested: a policy reads fields that were not recorded, such as their "
            "input (recorded unless `audit.payloads = false`)"
        )
    if found.newly_allowed:
        out.print(Text(f"\n  {found.newly_allowed:,} would be newly allowed", "bold red"))
    for change in found.examples:
        arrow = verdict_text(change.before) + Text(" → ") + verdict_text(change.after)
        text = f"{plain(change.text or change.tool_name)[:100]}{f' × {change.count:,}' if change.count > 1 else ''}"
        out.print(Text("    ") + arrow + Text(f"  {text}") + Text(f"  {plain(change.because)}", "dim"))

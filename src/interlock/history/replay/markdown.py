"""The report of a replay as Markdown, newly allowed actions first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from interlock.history.replay.summary import GROUPS, ReplayExample, ReplaySummary
from interlock.levels import Verdict
from interlock.sanitise import plain
from interlock.store.clock import format_time

#: How many names a table shows.
MAX_ROWS = 20
_TITLES = {"rule": "Rules", "policy": "Policies", "agent": "Agents", "tool": "Tools"}
_BASIS = {
    "exact": "from the exact input",
    "masked": "from a masked or truncated input",
    "assessed": "by the recorded assessment, because the input was not recorded",
}


def order_changes(found: ReplaySummary) -> list[str]:
    """Return the kinds of change in the order in which people should look: newly allowed, milder, stricter."""

    def urgency(change: str) -> tuple[int, int]:
        before, after = map(Verdict, change.split(" → "))
        allowed = after < Verdict.REQUIRE_APPROVAL <= before
        return 0 if allowed else 1 if after < before else 2, -found.transitions[change]

    return sorted(found.transitions, key=urgency)


def write_report(found: ReplaySummary, about: Mapping[str, str]) -> str:
    """Return the report. `about` describes the replayed actions and the set-up."""
    return "\n".join(_lines(found, about)) + "\n"


def _lines(found: ReplaySummary, about: Mapping[str, str]) -> Iterator[str]:
    yield "# Replay"
    yield ""
    yield from (f"- {name}: {code(value)}" for name, value in about.items())
    if found.first is not None and found.last is not None:
        yield f"- actions from {format_time(found.first)} to {format_time(found.last)} UTC"
    before, after = found.interruptions
    yield ""
    yield f"**{found.newly_allowed:,} newly allowed**, {found.newly_stopped:,} newly stopped, {found.changed:,} changed"
    yield f"of {found.actions:,} actions in {found.runs:,} runs."
    yield f"Interruptions per 100 actions: {before:.1f} before, {after:.1f} after."
    yield from _verdicts(found)
    yield from _examples(found)
    for group in GROUPS:
        yield from _group(_TITLES[group], found.groups.get(group, {}))
    yield from _counts("Causes", found.causes)
    yield from _counts("How actions were decided", {_BASIS[name]: count for name, count in found.basis.items()})
    yield from _counts("Not decided again", found.undecided)


def _verdicts(found: ReplaySummary) -> Iterator[str]:
    yield from ("", "| verdict | before | after |", "|---|---:|---:|")
    for verdict in Verdict:
        before, after = found.before.get(verdict.value, 0), found.after.get(verdict.value, 0)
        if before or after:
            yield f"| {verdict.value} | {before:,} | {after:,} |"


def _examples(found: ReplaySummary) -> Iterator[str]:
    for change in order_changes(found):
        yield from ("", f"## {change}: {found.transitions[change]:,}", "")
        yield from map(_example, found.examples.get(change, ()))


def _example(example: ReplayExample) -> str:
    times = f" × {example.count:,}" if example.count > 1 else ""
    agent = f", agent {code(example.agent_id)}" if example.agent_id else ""
    where = f"record {example.seq}{agent}; {code(example.because)}; cause: {example.cause}"
    return f"- {code(example.text or example.tool)}{times} ({where})"


def _group(title: str, table: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    if table:
        yield from ("", f"## {title}", "", "| name | changes |", "|---|---|")
    for name, changes in list(table.items())[:MAX_ROWS]:
        parts = ", ".join(f"{change}: {count:,}" for change, count in changes.items())
        yield f"| {code(name)} | {parts} |"
    if len(table) > MAX_ROWS:
        yield f"| … | {len(table) - MAX_ROWS:,} more |"


def _counts(title: str, table: Mapping[str, int]) -> Iterator[str]:
    if table:
        yield from ("", f"## {title}", "")
        yield from (f"- {name}: {count:,}" for name, count in table.items())


def code(text: str) -> str:
    """Return a text from an agent as code that cannot end its own quotes, or a cell of a table.

    >>> print(code("a `b` | c"))
    `` a `b` \\| c ``
    """
    shown = plain(text).replace("|", "\\|")
    marks = "`" * (max(map(len, re.findall("`+", shown)), default=0) + 1)
    space = " " if "`" in shown or not shown else ""
    return f"{marks}{space}{shown}{space}{marks}"

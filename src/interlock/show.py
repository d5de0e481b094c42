"""How things look in a terminal. Control characters in an agent's text are escaped, so that none takes effect."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from interlock.levels import Level, Verdict
from interlock.model import Decision, Span
from interlock.sanitise import plain

VERDICT_STYLES = {
    Verdict.ALLOW: "bold green",
    Verdict.WARN: "bold yellow",
    Verdict.REQUIRE_APPROVAL: "bold dark_orange",
    Verdict.BLOCK: "bold red",
}
VERDICT_WORDS = {
    Verdict.ALLOW: "allow",
    Verdict.WARN: "warn",
    Verdict.REQUIRE_APPROVAL: "ask",
    Verdict.BLOCK: "block",
}
LEVEL_STYLES = {
    Level.SAFE: "green",
    Level.LOW: "green",
    Level.MEDIUM: "yellow",
    Level.HIGH: "dark_orange",
    Level.CRITICAL: "red",
}
MAX_TEXT = 2_000
MAX_LINES = 40


class Screen(Console):
    """A console that prints no more once its reader has closed the pipe; the exit status still tells the verdict."""

    def on_broken_pipe(self) -> None:
        """Discard the rest of the output."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def console() -> Console:
    """Return the console that commands print on: as wide as the terminal, or 100 columns in a file."""
    return Screen(
        file=sys.stdout, highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 100
    )


def level_text(level: Level) -> Text:
    """Return a level in its colour."""
    return Text(level.value, LEVEL_STYLES[level])


def verdict_text(verdict: Verdict) -> Text:
    """Return a verdict in its colour."""
    return Text(verdict.value.replace("_", " "), VERDICT_STYLES[verdict])


def verdict_rows(decision: Decision) -> list[tuple[str, Any]]:
    """Return the verdict in force, and the one that an observed action would have had."""
    rows: list[tuple[str, Any]] = [("verdict", verdict_text(decision.verdict))]
    if decision.would_have is not None and decision.would_have.verdict is not decision.verdict:
        rows.append(("unenforced", verdict_text(decision.would_have.verdict)))
    return rows


def highlight(text: str, spans: Sequence[Span], style: str = "bold red") -> Text:
    """Return a text with some spans highlighted and every control character escaped."""
    text = text[:MAX_TEXT]
    shown = Text()
    position = 0
    for start, end in sorted(set(spans)):
        start, end = max(start, position), min(end, len(text))
        if start < end:
            shown.append(plain(text[position:start]))
            shown.append(plain(text[start:end]), style)
            position = end
    shown.append(plain(text[position:]))
    return shown


def lines(text: str, spans: Sequence[Span], style: str = "bold red") -> Group:
    """Return a text of several lines, highlighted and escaped; a bar on the left shows that it is the action's."""
    shown = rows(text, spans, style)
    if len(shown) > 1:
        shown = [Text("│ ", "dim") + line for line in shown]
    return Group(*shown)


def rows(text: str, spans: Sequence[Span], style: str = "bold red") -> list[Text]:
    """Return the lines of a text, highlighted and escaped, and a note if it is too long to show in full."""
    shown, position = [], 0
    for line in text[:MAX_TEXT].split("\n")[:MAX_LINES]:
        inside = [(start - position, end - position) for start, end in spans]
        shown.append(highlight(line, [(max(a, 0), b) for a, b in inside if b > 0 and a < len(line)], style))
        position += len(line) + 1
    if len(text) > MAX_TEXT or text.count("\n") >= MAX_LINES:
        shown.append(cut_note(text))
    return shown


def cut_note(text: str) -> Text:
    """Return a note with the length of a text of which only the beginning is shown."""
    return Text(f"… cut here: {len(text)} characters in {text.count(chr(10)) + 1} lines", "bold yellow")


def dangerous_spans(decision: Decision) -> list[Span]:
    """Return the spans of the findings of level high and critical."""
    assessed = decision.assessment
    if assessed.level < Level.HIGH:
        return []
    return [finding.span for finding in assessed.findings if finding.level >= Level.HIGH and finding.span != (0, 0)]


def pairs(rows: Sequence[tuple[str, Any]]) -> Padding:
    """Return labelled rows as a table."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for label, value in rows:
        grid.add_row(label, value)
    return Padding(grid, (0, 0, 0, 2))


def columns(*names: str) -> Table:
    """Return an empty table without borders that has these columns."""
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for name in names:
        table.add_column(name)
    return table


def print_difference(lines: Iterable[str]) -> None:
    """Print the lines in which two texts differ, each of which begins with `+` or `-`."""
    for line in lines:
        console().print(Text(f"      {plain(line)}", "green" if line.startswith("+") else "red"))


def print_json_lines(values: Iterable[Any]) -> None:
    """Print each value as one line of JSON."""
    for value in values:
        sys.stdout.write(msgspec.json.encode(value).decode() + "\n")


def sum_table(decision: Decision) -> Padding:
    """Return the factors of the score and their sum as a table."""
    assessed = decision.assessment
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(overflow="fold")
    for factor in assessed.factors:
        grid.add_row(factor.name, f"{factor.points:+d}", plain(factor.detail))
    grid.add_row("score", Text(str(assessed.score), "bold"), level_text(assessed.level))
    return Padding(grid, (0, 0, 0, 2))

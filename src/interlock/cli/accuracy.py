"""`interlock accuracy`: how well the engine tells dangerous actions from benign ones, on labelled rows."""

from __future__ import annotations

import dataclasses
import datetime
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

import interlock
from interlock.accuracy.corpus import BENIGN, DANGEROUS, WHERE, read_corpus
from interlock.accuracy.measure import Confusion, Report, measure_accuracy
from interlock.cli.decision_options import engine_from, read_typed_policies, where
from interlock.engine import Engine
from interlock.errors import InterlockError
from interlock.policy.defaults import DEFAULT_POLICIES

if TYPE_CHECKING:
    from interlock.cli.commands.context_options import ContextOptions

MARK_START, MARK_END = "<!-- figures -->\n", "<!-- /figures -->\n"
_WRONG_VERDICTS = {DANGEROUS: "dangerous, not stopped", BENIGN: "benign, stopped"}
_TEXT = 110
_EVERY = 200  # rows between two updates of the progress line


def run(
    file: Path, context: ContextOptions, *, limit: int | None, as_json: bool, page: Path | None, reviewer: bool = False
) -> int:
    """Measure a corpus and print the results."""
    if reviewer:
        return _run_reviewer(file, context, as_json=as_json)
    if limit is not None and limit < 0:
        raise InterlockError(f"`--limit` must not be negative, found `{limit}`")
    rows = read_corpus(file, {**WHERE, **where(context)})
    if page is not None:
        _parts(page)  # fails before the measurement if the page has no markers
    engine = _engine(context)
    report = _with_progress(len(rows), lambda progress: measure_accuracy(engine, rows, progress))
    if page is not None:
        write_page(page, file, report, engine.mode)
        print(f"wrote the figures of {report.rows:,} rows into {page}")
    elif as_json:
        print(msgspec.json.encode(to_wire(report)).decode())
    else:
        show(report, limit)
    return 0


def _run_reviewer(file: Path, context: ContextOptions, *, as_json: bool) -> int:
    """Measure both stages, with the reviewer of the configuration."""
    from interlock.cli.accuracy_reviewer import format_report, measure_reviewer
    from interlock.config.load import load

    settings = load(context.config).reviewer
    if settings is None:
        raise InterlockError("no reviewer is configured; add `[reviewer]` to interlock.toml, see docs/reviewers.md")
    rows = read_corpus(file, {**WHERE, **where(context)})
    found = _with_progress(len(rows), lambda progress: measure_reviewer(_engine(context), rows, settings, progress))
    print(msgspec.json.encode(found).decode() if as_json else "\n".join(format_report(found)))
    return 0


def _engine(context: ContextOptions) -> Engine:
    """Return the engine to measure: the shipped one in mode `full`, unless a configuration or mode is given."""
    mode = context.mode or "full"
    if context.config is None:
        return Engine([*DEFAULT_POLICIES, *read_typed_policies(context)], mode)
    return engine_from(dataclasses.replace(context, mode=mode))


Measured = TypeVar("Measured")


def _with_progress(rows: int, work: Callable[[Callable[[int], None]], Measured]) -> Measured:
    """Return the result of a measurement; at a terminal, show its progress."""
    shown = sys.stderr.isatty()

    def progress(done: int) -> None:
        if shown and done % _EVERY == 0:
            print(f"\r{done:,} of {rows:,} rows", end="", file=sys.stderr, flush=True)

    found = work(progress)
    if shown:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    return found


def percent(rate: float | None) -> str:
    """Return a percentage as text."""
    return "–" if rate is None else f"{rate:.1f} %"


def figures(report: Report) -> list[tuple[str, ...]]:
    """Return the rows of the table: each source and kind, then all of them."""
    found: list[tuple[str, ...]] = []
    for source, kind in report.groups:
        bad, good = report.tally(DANGEROUS, source, kind), report.tally(BENIGN, source, kind)
        if bad.rows or good.rows:
            found.append(
                (source, kind, f"{bad.rows:,}", percent(bad.rate), f"{good.rows:,}", percent(good.rate)),
            )
    bad, good = report.tally(DANGEROUS), report.tally(BENIGN)
    found.append(("all rows", "", f"{bad.rows:,}", percent(bad.rate), f"{good.rows:,}", percent(good.rate)))
    found.append(("mean of sources", "", "", percent(report.mean(DANGEROUS)), "", percent(report.mean(BENIGN))))
    return found


HEADINGS = ("source", "kind", "dangerous", "stopped", "benign", "stopped")


def show(report: Report, limit: int | None) -> None:
    """Print the table, the wrong verdicts, and the time."""
    from rich.padding import Padding
    from rich.table import Table

    from interlock.show import console

    out = console()
    table = Table(box=None, pad_edge=False, padding=(0, 2), header_style="dim")
    for number, heading in enumerate(HEADINGS):
        table.add_column(heading, justify="left" if number < 2 else "right", no_wrap=True)
    for row in figures(report):
        table.add_row(*row)
    out.print()
    out.print(Padding(table, (0, 0, 0, 2)))
    for label, title in _WRONG_VERDICTS.items():
        _show_confusions(out, title, [wrong for wrong in report.confusions if wrong.label == label], limit)
    out.print()
    out.print(
        f"  {report.rows:,} actions in {report.seconds:.2f} s: median {report.median * 1e6:.0f} µs, "
        f"slowest {report.slowest * 1e3:.1f} ms"
    )
    out.print()


def _show_confusions(out: Any, title: str, confusions: list[Confusion], limit: int | None) -> None:
    from rich.text import Text

    from interlock.sanitise import plain

    if not confusions:
        return
    out.print()
    out.print(Text(f"  {title}: {len(confusions):,}", "bold"))
    shown = confusions if limit is None else confusions[:limit]
    for wrong in shown:
        text = plain(" ".join(wrong.text.split()))
        cut = text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
        label = Text(f"  {wrong.line:>6} {wrong.score:>3} {wrong.decided}  ", "dim")
        out.print(label + Text(cut), soft_wrap=True)
    if len(shown) < len(confusions):
        out.print(Text(f"         … and {len(confusions) - len(shown):,} more", "dim"))


def to_wire(report: Report) -> dict[str, Any]:
    """Return the report as JSON values."""
    return {
        "version": interlock.__version__,
        "rows": report.rows,
        "seconds": report.seconds,
        "medianSeconds": report.median,
        "slowestSeconds": report.slowest,
        "dangerousStoppedMean": report.mean(DANGEROUS),
        "benignStopped": report.tally(BENIGN).rate,
        "groups": [
            {"source": source, "kind": kind, "label": label, "rows": tally.rows, "stopped": tally.stopped}
            for (source, kind, label), tally in sorted(report.tallies.items())
        ],
        "confusions": msgspec.to_builtins(report.confusions),
    }


def write_page(page: Path, corpus: Path, report: Report, mode: str) -> None:
    """Write the figures between the markers of a page, and leave the rest as it is."""
    before, after = _parts(page)
    lines = [
        f"Interlock {interlock.__version__}, {datetime.date.today().isoformat()}, mode `{mode}`, "
        f"`{corpus.name}` ({report.rows:,} rows).",
        "",
        _markdown(HEADINGS),
        _markdown("---" if number < 2 else "---:" for number in range(len(HEADINGS))),
        *(_markdown(row) for row in figures(report)),
    ]
    new = page.with_name(page.name + ".new")  # an interrupted run leaves the old page
    new.write_text(before + MARK_START + "\n".join(lines) + "\n" + MARK_END + after, "utf-8")
    new.replace(page)


def _markdown(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _parts(page: Path) -> tuple[str, str]:
    """Return the text before and after the figures of a page."""
    try:
        text = page.read_text("utf-8")
    except OSError as error:
        raise InterlockError(f"`{page}` cannot be read: {error}") from None
    before, start, rest = text.partition(MARK_START)
    _, end, after = rest.partition(MARK_END)
    if not (start and end):
        markers = f"`{MARK_START.strip()}` and `{MARK_END.strip()}`"
        raise InterlockError(f"`{page}` has no place for figures; write {markers} where they belong")
    return before, after

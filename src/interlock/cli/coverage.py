"""`interlock coverage`: rules and policies that never matched, and what the analysis did not read or know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from interlock.cli.open_store import open_store
from interlock.cli.usage_progress import count_usage
from interlock.learning.coverage import CoverageReport, Gap, coverage_report
from interlock.policies.repository import PolicyRepository
from interlock.policy.stored_policies import merge_policies
from interlock.sanitise import plain
from interlock.show import console, print_json_lines

if TYPE_CHECKING:
    from interlock.cli.commands.options import Store

MAX_TEXT = 90


def run(store: Store, days: int, limit: int, *, as_json: bool) -> int:
    """Print the coverage of the last days."""
    with open_store(store.store, store.config) as found:
        config = found.config
        stored = PolicyRepository(found.journal).load()
        policies = merge_policies(config.shipped_policies, config.policies, stored)
        count_usage(found.journal)
        report = coverage_report(found.journal, policies, config.knowledge, days)
    if as_json:
        print_json_lines([report])
    else:
        _print(report, limit)
    return 0


def _print(report: CoverageReport, limit: int) -> None:
    out = console()
    out.print(Text(str(report), "bold"))
    _print_gaps("Partly read", report.unread, limit)
    _print_gaps("Unknown programs", report.unknown_programs, limit)
    _print_gaps("Unknown tools", report.unknown_tools, limit)
    _print_names("policies", report.policies, report.unused_policies, limit)
    _print_names("rules", report.rules, report.unused_rules, limit)
    unknown = [*report.unknown_programs, *report.unknown_tools]
    if unknown:
        first = max(unknown, key=lambda gap: gap.count).name
        out.print(Text(f"\nTo describe one: `interlock knowledge draft {plain(first)}`.", "dim"))


def _print_gaps(title: str, gaps: Sequence[Gap], limit: int) -> None:
    if not gaps:
        return
    out = console()
    out.print(Text(f"\n{title}", "bold"))
    for gap in gaps[:limit]:
        out.print(Text.assemble(f"  {gap.count:>6,} × ", (plain(gap.name), "cyan"), f"  {_example(gap)}"))
    if len(gaps) > limit:
        out.print(Text(f"  … and {len(gaps) - limit} more; `--limit` shows more", "dim"))


def _example(gap: Gap) -> str:
    if gap.example is None:
        return ""
    text = plain(" ".join(gap.example.text.split()))
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


def _print_names(what: str, total: int, unused: Sequence[str], limit: int) -> None:
    if not total:
        return
    out = console()
    out.print(Text(f"\n{len(unused)} of {total} {what} never matched", "bold"))
    if unused:
        more = f", and {len(unused) - limit} more" if len(unused) > limit else ""
        out.print(Text(f"  {', '.join(map(plain, unused[:limit]))}{more}"))

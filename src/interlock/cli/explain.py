"""`interlock explain`: every step from the text to the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from interlock.cli.decision_options import STATUS, action_from, decide_from
from interlock.model import Action, Decision, Effect, Finding
from interlock.opinion.model import RULE
from interlock.policy.needs import DEFAULT_TIMEOUT_SECONDS
from interlock.rules.standards.rule_ids import ids_of
from interlock.sanitise import plain
from interlock.show import console, level_text, lines, pairs, sum_table, verdict_rows

if TYPE_CHECKING:
    from interlock.cli.commands.context_options import ContextOptions, Input


def run(text: str | None, given: Input, context: ContextOptions) -> int:
    """Explain the decision on the given action."""
    action = action_from(text, given, context)
    decision = decide_from(context)(action)
    out = console()
    for title, part in _parts(action, decision):
        out.print()
        out.print(Text(title, "bold"))
        out.print(part)
    out.print()
    return STATUS[decision.verdict]


def _parts(action: Action, decision: Decision) -> list[tuple[str, object]]:
    assessed = decision.assessment
    analysis = assessed.analysis
    read_as = ", ".join(analysis.languages) or "a tool call"
    coverage = str(analysis.coverage) + "".join(f"; {plain(why)}" for why in analysis.coverage.opaque)
    parsed: list[tuple[str, object]] = [
        ("tool", plain(action.tool_name)),
        ("read as", read_as),
        ("text", lines(analysis.text, [])),
        ("coverage", coverage),
    ]
    return [
        ("1  parse", pairs(parsed)),
        ("2  effects", _effects((*analysis.effects, *analysis.written), analysis.text)),
        ("3  findings", _findings(assessed.findings)),
        ("4  sum", sum_table(decision)),
        ("5  policies", _policies(decision)),
        ("6  verdict", pairs(_verdict(decision))),
    ]


def _effects(effects: tuple[Effect, ...], text: str) -> object:
    if not effects:
        return pairs([("", "none")])
    table = Table(box=None, pad_edge=True, header_style="dim")
    for name in ("effect", "on", "place", "flags", "from the text", "behind"):
        table.add_column(name, overflow="fold")
    for effect in effects:
        resource = effect.resource
        place = resource.place.value if resource and resource.place else ""
        start, end = effect.span
        excerpt = f"{start}–{end}  {plain(text[start:end][:60])}" if end else ""
        table.add_row(
            effect.kind, plain(str(resource)) if resource else "", place, " ".join(sorted(effect.flags)), excerpt,
            plain(" → ".join(effect.via)),
        )  # fmt: skip
    return table


def _findings(findings: tuple[Finding, ...]) -> object:
    if not findings:
        return pairs([("", "no rule matches these effects")])
    table = Table(box=None, pad_edge=True, header_style="dim")
    for name in ("level", "rule", "reason", "standards", ""):
        table.add_column(name, overflow="fold")
    for finding in findings:
        note = f"eased by {finding.eased_by}" if finding.eased_by else "floor" if finding.floor else ""
        note = "learned, not a rule" if finding.rule == RULE else note
        ids = Text(" ".join(ids_of(finding.rule)), "dim")
        table.add_row(level_text(finding.level), finding.rule, plain(finding.reason), ids, Text(note, "dim"))
    return table


def _policies(decision: Decision) -> object:
    if not decision.matched_policies:
        return pairs([("", "none matches")])
    return pairs(
        [
            (
                plain(match.policy_id),
                plain(match.action.value + (f"  ({match.error})" if match.error else "")),
            )
            for match in decision.matched_policies
        ]
    )


def _verdict(decision: Decision) -> list[tuple[str, object]]:
    rows: list[tuple[str, object]] = [
        *verdict_rows(decision),
        ("because", plain(decision.because)),
    ]
    rows += [("override", plain(f"{override.by}: {override.what}")) for override in decision.overrides]
    needs = decision.needs
    if needs is not None:
        who = [name for name, needed in (("a person", needs.human), ("a model", needs.model)) if needed]
        people = f"{needs.approvers} different people" if needs.approvers > 1 else " and ".join(who) or "nobody"
        is_limited = needs.timeout_seconds not in (None, DEFAULT_TIMEOUT_SECONDS)
        limit = f", within {needs.timeout_seconds} s" if is_limited else ""
        rows.append(("approval", f"{people}, by {needs.challenge.replace('_', ' ')}{limit} (tier {needs.tier})"))
    return rows

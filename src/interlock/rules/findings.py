"""Findings: what the rules say about effects."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from operator import itemgetter
from typing import TYPE_CHECKING

import msgspec

from interlock.effects import FINAL
from interlock.levels import Level
from interlock.model import Effect, Finding, Resource, Span
from interlock.rules.index import RuleIndex

if TYPE_CHECKING:
    from interlock.rules.families import Order
    from interlock.rules.rule import Rule


def find(effects: Iterable[Effect], index: RuleIndex) -> tuple[Finding, ...]:
    """Return the findings of effects: one for each rule and command, the strictest first."""
    best: dict[tuple[str, Span], tuple[int, int, Order, Finding]] = {}
    seen: set[tuple[str, Resource | None, frozenset[str], Span]] = set()
    for position, effect in enumerate(effects):
        if position >= _FEW:  # the iterations of a loop have the same effects
            same = (effect.kind, effect.resource, effect.flags, effect.span)
            if same in seen:
                continue
            seen.add(same)
        for entry in index.match(effect):
            rule, rank = entry.rule, entry.rank
            key = (rule.name, effect.span)
            known = best.get(key)
            if known is None or rank < known[0]:
                first = known[1] if known else position
                best[key] = (rank, first, entry.order, _finding(rule, effect, entry.level, entry.by))
    return _strictest_first(best.values()) if best else ()


#: How many effects are compared with the rules without asking whether an earlier one was the same.
_FEW = 8


def find_written(effects: Iterable[Effect], index: RuleIndex) -> tuple[Finding, ...]:
    """Return the findings of code that is only written to a file: at lower levels, as none of it happens now."""
    best: dict[str, tuple[int, int, Order, Finding]] = {}
    for position, effect in enumerate(effects):
        for entry in index.match(effect):
            rule = entry.rule
            level = min(entry.level, rule.level_written, key=lambda level: level.rank)
            known = best.get(rule.name)
            if known is None or -level.rank < known[0]:
                reason = f"{rule.reason} (in what is written here)"
                finding = Finding(rule.name, level, reason, effect.span, eased_by=entry.by or "written")
                best[rule.name] = (-level.rank, position, entry.order, finding)
    return _strictest_first(best.values())


def _strictest_first(entries: Collection[tuple[int, int, Order, Finding]]) -> tuple[Finding, ...]:
    """Return findings ordered by level, then by the position of the effect, then of the rule."""
    if not entries:
        return ()
    if len(entries) == 1:
        (entry,) = entries
        return _without_advice_on_floors((entry[3],))
    return _without_advice_on_floors(tuple([entry[3] for entry in sorted(entries, key=_order)]))


def _without_advice_on_floors(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return findings without advice on actions that have no safer form, such as deleting the root."""
    for finding in findings:
        if finding.floor:
            break
    else:
        return findings
    floors = {finding.span for finding in findings if finding.floor}
    return tuple(
        msgspec.structs.replace(one, instead="") if one.instead and one.span in floors else one for one in findings
    )


_order = itemgetter(0, 1, 2)
_HIGH = Level.HIGH.rank


def _finding(rule: Rule, effect: Effect, level: Level, by: str) -> Finding:
    instead = safer(rule, effect) if rule.instead else ""
    reversible = rule.reversible and (effect.kind not in FINAL or level.rank < _HIGH)
    return Finding(rule.name, level, effect.summary or rule.reason, effect.span, reversible, rule.floor, instead, by)


def safer(rule: Rule, effect: Effect) -> str:
    """Return the safer command for an effect, with `{}` replaced by the name of what it touches."""
    if "{}" not in rule.instead:
        return rule.instead
    import shlex

    name = effect.resource.name if effect.resource else "PATH"
    return rule.instead.replace(
        "{}", name if name.isprintable() and set(name).isdisjoint(_SPECIAL) else shlex.quote(name)
    )


_SPECIAL = frozenset(" \t'\"\\;&|<>()`*?[]#!")


def strictest_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings with the strictest first, otherwise in order."""
    return tuple(sorted(findings, key=lambda finding: Level.CRITICAL.rank - finding.level.rank))

"""Effects in, findings out."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

from interlock.levels import Level
from interlock.model import Effect, Finding
from interlock.rules.rule import Pattern, Rule

Index = Mapping[str, tuple[tuple[Pattern, Rule], ...]]


def find(effects: Iterable[Effect], index: Index) -> tuple[Finding, ...]:
    """Return what the rules say about the effects: one finding for each rule and command, the strictest first."""
    best: dict[tuple[str, tuple[int, int]], Finding] = {}
    for effect in effects:
        for pattern, rule in index.get(effect.kind, ()):
            if not pattern.matches(effect):
                continue
            level, by = rule.level_on(effect)
            key = (rule.name, effect.span)
            known = best.get(key)
            if known is None or level.rank > known.level.rank:
                instead = safer(rule, effect) if rule.instead else ""
                best[key] = Finding(
                    rule.name, level, rule.reason, effect.span, rule.reversible, rule.floor, instead, by
                )
    if len(best) < 2:
        return tuple(best.values())
    return tuple(sorted(best.values(), key=_strictest_first))


def safer(rule: Rule, effect: Effect) -> str:
    """Return the safer command for an effect: `{}` stands for what it touches."""
    if "{}" not in rule.instead:
        return rule.instead
    name = effect.resource.name if effect.resource else "PATH"
    return rule.instead.replace(
        "{}", name if name.isprintable() and set(name).isdisjoint(_SPECIAL) else shlex.quote(name)
    )


_SPECIAL = frozenset(" \t'\"\\;&|<>()`*?[]#!")


def _strictest_first(finding: Finding) -> int:
    return Level.CRITICAL.rank - finding.level.rank

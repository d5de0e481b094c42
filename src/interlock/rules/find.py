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
    return strictest_first(best.values())


def find_written(effects: Iterable[Effect], index: Index) -> tuple[Finding, ...]:
    """Return what the rules say about code that is only written: milder, since nothing of it happens now."""
    best: dict[str, Finding] = {}
    for effect in effects:
        for pattern, rule in index.get(effect.kind, ()):
            if rule.name not in best and pattern.matches(effect):
                level, by = rule.level_on(effect)
                most = rule.level_written
                level = most if level.rank > most.rank else level
                reason = f"{rule.reason} (in what is written here)"
                best[rule.name] = Finding(rule.name, level, reason, effect.span, eased_by=by or "written")
    return strictest_first(best.values())


def safer(rule: Rule, effect: Effect) -> str:
    """Return the safer command for an effect: `{}` stands for what it touches."""
    if "{}" not in rule.instead:
        return rule.instead
    name = effect.resource.name if effect.resource else "PATH"
    return rule.instead.replace(
        "{}", name if name.isprintable() and set(name).isdisjoint(_SPECIAL) else shlex.quote(name)
    )


_SPECIAL = frozenset(" \t'\"\\;&|<>()`*?[]#!")


def strictest_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings with the strictest first, otherwise in order."""
    return tuple(sorted(findings, key=lambda finding: Level.CRITICAL.rank - finding.level.rank))

"""The rules by what they need: so that an effect is held against the few that could match it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from interlock.model import Effect
from interlock.rules.rule import Pattern, Rule


class RankedPattern(NamedTuple):
    """One pattern of a rule, and where among the rules that stands."""

    order: int
    pattern: Pattern
    rule: Rule


class Index:
    """Patterns by kind of effect, and by a flag or a place that they cannot do without."""

    __slots__ = ("_by_kind",)

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._by_kind: dict[str, dict[str, list[RankedPattern]]] = {}
        for order, rule in enumerate(rules):
            for pattern in rule.patterns:
                for kind in pattern.kinds:
                    by_need = self._by_kind.setdefault(kind, {})
                    for need in _needs(pattern):
                        by_need.setdefault(need, []).append(RankedPattern(order, pattern, rule))

    def __bool__(self) -> bool:
        return bool(self._by_kind)

    def matching(self, effect: Effect) -> list[RankedPattern]:
        """Return the patterns that match an effect, in no particular order."""
        by_need = self._by_kind.get(effect.kind)
        if by_need is None:
            return []
        found = [entry for entry in by_need.get("", ()) if entry.pattern.matches(effect)]
        place = effect.resource.place if effect.resource else None
        for need in (*effect.flags, place.value) if place else effect.flags:
            if need in by_need:
                found += [entry for entry in by_need[need] if entry.pattern.matches(effect)]
        return found


def _needs(pattern: Pattern) -> list[str]:
    """Return what a pattern is looked for under: one of its flags, else its places, else nothing."""
    if pattern.flags:
        return [min(pattern.flags)]
    return sorted(place.value for place in pattern.places) or [""]

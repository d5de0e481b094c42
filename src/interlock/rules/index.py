"""An index of rules, so that an effect is compared only with the few that could match it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from interlock.model import Effect
from interlock.rules.rule import Pattern, Rule


class RankedPattern(NamedTuple):
    """One pattern of a rule, and the rule's position among all rules."""

    order: int
    pattern: Pattern
    rule: Rule


class Index:
    """Patterns by kind of effect, and by a flag or a place that they require."""

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

    def match(self, effect: Effect) -> list[RankedPattern]:
        """Return the patterns that match an effect, in no particular order."""
        by_need = self._by_kind.get(effect.kind)
        if by_need is None:
            return []
        found = [entry for entry in by_need.get("", ()) if entry.pattern.matches(effect)]
        place = effect.resource.place if effect.resource else None
        for need in (*effect.flags, place._value_) if place else effect.flags:
            if need in by_need:
                found += [entry for entry in by_need[need] if entry.pattern.matches(effect)]
        return found


def _needs(pattern: Pattern) -> list[str]:
    """Return the keys of a pattern in the index: one of its flags, else its places, else the empty key."""
    if pattern.flags:
        return [min(pattern.flags)]
    return sorted(place.value for place in pattern.places) or [""]

"""An index of rules, so that an effect is compared only with the few that could match it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import msgspec

from interlock.model import Effect

if TYPE_CHECKING:
    from interlock.rules.rule import Pattern, Rule


class RankedPattern(msgspec.Struct, frozen=True):
    """One pattern of a rule, and the rule's position among those about the same kind of effect."""

    order: int
    pattern: Pattern
    rule: Rule


#: Patterns by a flag or a place that they require.
ByNeed = dict[str, list[RankedPattern]]


class Index:
    """Patterns by kind of effect, and by a flag or a place that they require.

    `rules_about` returns the rules about a kind of effect; it is called when an effect of that kind first occurs.
    """

    __slots__ = ("_by_kind", "_rules_about")

    def __init__(self, rules_about: Callable[[str], Iterable[Rule]]) -> None:
        self._rules_about = rules_about
        self._by_kind: dict[str, ByNeed] = {}

    def match(self, effect: Effect) -> list[RankedPattern]:
        """Return the patterns that match an effect, in no particular order."""
        by_need = self._by_kind.get(effect.kind)
        if by_need is None:
            by_need = self._by_kind[effect.kind] = self._index(effect.kind)
        if not by_need:
            return []
        found = [entry for entry in by_need[""] if entry.pattern.matches(effect)] if "" in by_need else []
        for need in effect.flags:
            if need in by_need:
                found += [entry for entry in by_need[need] if entry.pattern.matches(effect)]
        resource = effect.resource
        if resource is not None and resource.place is not None and resource.place._value_ in by_need:
            found += [entry for entry in by_need[resource.place._value_] if entry.pattern.matches(effect)]
        return found

    def _index(self, kind: str) -> ByNeed:
        by_need: ByNeed = {}
        for order, rule in enumerate(self._rules_about(kind)):
            for pattern in rule.patterns:
                if kind in pattern.kinds:
                    for need in _needs(pattern):
                        by_need.setdefault(need, []).append(RankedPattern(order, pattern, rule))
        return by_need


def _needs(pattern: Pattern) -> list[str]:
    """Return the keys of a pattern in the index: one of its flags, else its places, else the empty key."""
    if pattern.flags:
        return [min(pattern.flags)]
    return sorted(place.value for place in pattern.places) or [""]

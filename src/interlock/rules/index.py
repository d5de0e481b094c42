"""An index of rules, so that an effect is compared only with the few that could match it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import msgspec

from interlock.model import Effect

if TYPE_CHECKING:
    from interlock.rules.families import Order
    from interlock.rules.rule import Pattern, Rule

    RuleSource = Callable[[str, str], Iterable[tuple[Order, Rule]]]


class RankedPattern(msgspec.Struct, frozen=True):
    """One pattern of a rule, and the rule's position among all rules."""

    order: Order
    pattern: Pattern
    rule: Rule


#: Patterns by a flag or a place that they require; the empty text stands for neither.
ByNeed = dict[str, list[RankedPattern]]


class Index:
    """Patterns by kind of effect, and by a flag or a place that they require.

    `rules_requiring` returns rules about a kind of effect among which are all that require a flag or a place, each with
    its position; it is called when an effect first occurs that has it.
    """

    __slots__ = ("_by_kind", "_rules_requiring")

    def __init__(self, rules_requiring: RuleSource) -> None:
        self._rules_requiring = rules_requiring
        self._by_kind: dict[str, ByNeed] = {}

    def match(self, effect: Effect) -> list[RankedPattern]:
        """Return the patterns that match an effect, in no particular order."""
        kind = effect.kind
        by_need = self._by_kind.get(kind)
        if by_need is None:
            by_need = self._by_kind[kind] = {}
        found: list[RankedPattern] = []
        place = effect.resource.place if effect.resource else None
        for need in ("", *effect.flags, place._value_) if place else ("", *effect.flags):
            entries = by_need.get(need)
            if entries is None:
                entries = by_need[need] = self._index(kind, need)
            if entries:
                found += [entry for entry in entries if entry.pattern.matches(effect)]
        return found

    def _index(self, kind: str, need: str) -> list[RankedPattern]:
        return [
            RankedPattern(order, pattern, rule)
            for order, rule in self._rules_requiring(kind, need)
            for pattern in rule.patterns
            if kind in pattern.kinds and need in needs_of(pattern)
        ]


def needs_of(pattern: Pattern) -> list[str]:
    """Return the keys of a pattern in the index: one of its flags, else its places, else the empty key."""
    if pattern.flags:
        return [min(pattern.flags)]
    return sorted(place.value for place in pattern.places) or [""]

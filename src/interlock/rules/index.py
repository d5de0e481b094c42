"""An index of rules. The rules that match are computed once for each kind, set of flags and place of effects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from interlock.levels import Level
from interlock.model import Effect, Place

if TYPE_CHECKING:
    from interlock.rules.families import Order
    from interlock.rules.rule import Pattern, Rule

    RuleSource = Callable[[str, str], Iterable[tuple[Order, Rule]]]

#: The part of an effect that most rules look at: its kind, its flags and its place.
EffectShape = tuple[str, frozenset[str], Place | None]
MAX_SHAPES = 4_096  # that are kept; the effects of most actions have a few dozen


class RankedPattern(msgspec.Struct, frozen=True):
    """One pattern of a rule, and the rule's position among all rules."""

    order: Order
    pattern: Pattern
    rule: Rule


class RuleCandidate(msgspec.Struct, frozen=True):
    """A rule that matches effects of one shape, if `named` is true of what they touch; `by` is what eased its level.

    `rank` orders candidates, the strictest first.
    """

    order: Order
    rule: Rule
    level: Level
    rank: int
    by: str
    named: Callable[[str], bool] | None


class Candidates(msgspec.Struct, frozen=True):
    """The rules that may match effects of one shape; `certain` if no name has to be asked about."""

    rules: tuple[RuleCandidate, ...]
    certain: bool


#: Patterns by a flag or a place that they require; the empty text stands for neither.
ByNeed = dict[str, list[RankedPattern]]


class RuleIndex:
    """Patterns by kind of effect, and by a flag or a place that they require.

    `rules_requiring` returns rules about a kind of effect among which are all that require a flag or a place, each with
    its position; it is called when an effect first occurs that has it.
    """

    __slots__ = ("_by_kind", "_by_shape", "_rules_requiring")

    def __init__(self, rules_requiring: RuleSource) -> None:
        self._rules_requiring = rules_requiring
        self._by_kind: dict[str, ByNeed] = {}
        self._by_shape: dict[EffectShape, Candidates] = {}

    def match(self, effect: Effect) -> Iterable[RuleCandidate]:
        """Return the rules that match an effect, in no particular order."""
        resource = effect.resource
        shape = (effect.kind, effect.flags, resource.place if resource is not None else None)
        found = self._by_shape.get(shape)
        if found is None:
            found = self._keep(shape)
        if found.certain:
            return found.rules
        name = resource.name if resource is not None else None
        return [one for one in found.rules if one.named is None or (name is not None and one.named(name))]

    def _keep(self, shape: EffectShape) -> Candidates:
        """Find the rules for a shape and keep them."""
        rules = tuple(self._candidates(*shape))
        found = Candidates(rules, certain=all(one.named is None for one in rules))
        if len(self._by_shape) >= MAX_SHAPES:
            self._by_shape.clear()
        self._by_shape[shape] = found
        return found

    def _candidates(self, kind: str, flags: frozenset[str], place: Place | None) -> Iterator[RuleCandidate]:
        by_need = self._by_kind.setdefault(kind, {})
        for need in ("", *flags, place.value) if place else ("", *flags):
            if need not in by_need:
                by_need[need] = self._index(kind, need)
            for entry in by_need[need]:
                if entry.pattern.fits(kind, flags, place):
                    level, by = entry.rule.level_on(flags, place)
                    yield RuleCandidate(entry.order, entry.rule, level, -level.rank, by, entry.pattern.resource)

    def _index(self, kind: str, need: str) -> list[RankedPattern]:
        return [
            RankedPattern(order, pattern, rule)
            for order, rule in self._rules_requiring(kind, need)
            for pattern in rule.patterns
            if kind in pattern.kinds and need in find_required_keys(pattern)
        ]


def find_required_keys(pattern: Pattern) -> list[str]:
    """Return the keys of a pattern in the index: one of its flags, else its places, else the empty key."""
    if pattern.flags:
        return [min(pattern.flags)]
    return sorted(place.value for place in pattern.places) or [""]

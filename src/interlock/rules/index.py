"""The rules by what they need: so that an effect is held against the few that could match it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from interlock.model import Effect
from interlock.rules.rule import Pattern, Rule


class Entry(NamedTuple):
    """One pattern of a rule, and where among the rules that stands."""

    order: int
    pattern: Pattern
    rule: Rule


class Index:
    """Patterns by kind of effect, and by a flag or a place that they cannot do without."""

    __slots__ = ("_entries",)

    def __init__(self, rules: Iterable[Rule]) -> None:
        found: dict[tuple[str, str], list[Entry]] = {}
        for order, rule in enumerate(rules):
            for pattern in rule.patterns:
                for key in _keys(pattern):
                    found.setdefault(key, []).append(Entry(order, pattern, rule))
        self._entries = {key: tuple(entries) for key, entries in found.items()}

    def __bool__(self) -> bool:
        return bool(self._entries)

    def matching(self, effect: Effect) -> Iterator[Entry]:
        """Yield the patterns that match an effect, in no particular order."""
        entries, kind = self._entries, effect.kind
        place = effect.resource.place if effect.resource else None
        for need in ("", *effect.flags, place.value) if place else ("", *effect.flags):
            for entry in entries.get((kind, need), ()):
                if entry.pattern.matches(effect):
                    yield entry


def _keys(pattern: Pattern) -> Iterator[tuple[str, str]]:
    """Yield where a pattern is looked for: under one of its flags, else its places, else always."""
    if pattern.flags:
        needs = [min(pattern.flags)]
    elif pattern.places:
        needs = [place.value for place in pattern.places]
    else:
        needs = [""]
    for kind in pattern.kinds:
        for need in needs:
            yield kind, need

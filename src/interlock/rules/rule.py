"""A rule: an effect pattern, its level and reason, what to do instead, and examples that are tested."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

import msgspec

from interlock.effects import KINDS
from interlock.flags import check_flags
from interlock.levels import Level
from interlock.model import Effect, Place
from interlock.patterns import late

_PLACES = frozenset(place.value for place in Place)


class Pattern(msgspec.Struct, frozen=True):
    """The pattern of effects that a rule matches."""

    kinds: frozenset[str]
    flags: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    places: frozenset[Place] = frozenset()
    resource: Callable[[str], bool] | None = None

    def __post_init__(self) -> None:
        """Refuse a flag that no effect can have."""
        check_flags(self.flags)
        check_flags(self.without)

    def matches(self, effect: Effect) -> bool:
        """Whether an effect matches."""
        found = effect.resource
        if not self.fits(effect.kind, effect.flags, found.place if found is not None else None):
            return False
        return self.resource is None or (found is not None and self.resource(found.name))

    def fits(self, kind: str, flags: frozenset[str], place: Place | None) -> bool:
        """Whether effects of a kind with these flags at a place match, regardless of the names of their resources."""
        return (
            kind in self.kinds
            and self.flags <= flags
            and self.without.isdisjoint(flags)
            and (not self.places or place in self.places)
        )


def effect(
    kind: str,
    *flags: str,
    without: str = "",
    place: str = "",
    named: Callable[[str], bool] | None = None,
) -> Pattern:
    """Return the pattern of an effect, or raise `ValueError` for a kind, flag or place that does not exist.

    `kind` may name several kinds, or a family as `net.*`.
    `named` is asked about the name of what the effect is on, see `any_of` and `path_like`.
    """
    kinds: set[str] = set()
    for word in kind.split():
        found = kinds_in(word)
        if not found:
            raise ValueError(f"unknown effect kind `{word}`")
        kinds |= found
    return Pattern(
        frozenset(kinds),
        frozenset(flags),
        frozenset(without.split()),
        frozenset(Place(name) for name in place.split()),
        named,
    )


def kinds_in(word: str) -> set[str]:
    """Return the kinds of effect that a word names: one kind, or a family as `net.*`; none if it is unknown."""
    if word in KINDS:
        return {word}
    return {known for known in KINDS if known.startswith(word[:-1])} if word.endswith(".*") else set()


_WORDS = late(r"[\s,:;=]+")


def any_of(words: str) -> Callable[[str], bool]:
    """Return a test for a name that contains one of these words: `any_of("sudo wheel")` matches `docker,sudo`."""
    known = frozenset(words.split())

    @lru_cache(maxsize=256)  # the same few names come again and again
    def test(name: str) -> bool:
        return not known.isdisjoint(_WORDS.split(name))

    return test


def path_like(*patterns: str) -> Callable[[str], bool]:
    """Return a test for a path that matches one of these globs, in which `*` also matches `/`."""

    @lru_cache(maxsize=256)
    def test(name: str) -> bool:
        return _compile(patterns).match(name) is not None

    return test


@cache
def _compile(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Return globs as one regular expression, compiled on first use."""
    return re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns))


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A finding to report about matching effects.

    `eased` maps a flag or a place to a lower level, where it proves that the effect matters less. `firm` are flags that
    prevent easing. A `floor` blocks in every mode, and no policy lifts it. Code that is only written to a file needs
    an approval if a `grave` rule matches it; other rules report it without asking. `written` is the table that a
    configuration describes the rule by.
    """

    name: str
    level: Level
    when: Pattern | tuple[Pattern, ...]
    reason: str
    reversible: bool = True
    instead: str = ""
    floor: bool = False
    grave: bool = False
    eased: Mapping[str, Level] = {}
    firm: str = ""
    match: tuple[str, ...] | list[str] = ()
    no_match: tuple[str, ...] | list[str] = ()
    family: str = ""
    written: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Refuse a flag that no effect can have."""
        check_flags(self.firm.split())
        check_flags(key for key in self.eased if key not in _PLACES)

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """The patterns of the rule, any of which may match."""
        return (self.when,) if isinstance(self.when, Pattern) else self.when

    def matches(self, effect: Effect) -> bool:
        """Whether the rule matches an effect."""
        return any(pattern.matches(effect) for pattern in self.patterns)

    @property
    def narrowness(self) -> int:
        """How many requirements a rule has. Of two rules that match an effect, the narrower one describes it better."""
        return min(
            len(pattern.flags) + bool(pattern.places) + (pattern.resource is not None) for pattern in self.patterns
        )

    @property
    def level_written(self) -> Level:
        """The highest level of a finding in code that is written, not run."""
        most = Level.HIGH if self.grave or self.floor else Level.MEDIUM
        return min(self.level, most, key=lambda level: level.rank)

    def level_on(self, flags: frozenset[str], place: Place | None) -> tuple[Level, str]:
        """Return the level of a finding on an effect with these flags at a place, and which of them lowered it."""
        level, by = self.level, ""
        if "disposable" in flags and not self.floor and level.rank > Level.MEDIUM.rank:
            return Level.MEDIUM, "disposable"
        if not self.eased or (self.firm and not flags.isdisjoint(self.firm.split())):
            return level, by
        where = place.value if place else ""
        for key, eased in self.eased.items():
            if eased.rank < level.rank and (key == where or key in flags):
                level, by = eased, key
        return level, by


def family(name: str, *rules: Rule) -> tuple[Rule, ...]:
    """Return the rules of one family."""
    return tuple(msgspec.structs.replace(rule, family=name) for rule in rules)

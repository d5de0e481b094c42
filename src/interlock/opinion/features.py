"""The features of an action: its effects with their flags and places, and the words of its text."""

from __future__ import annotations

from functools import lru_cache

from interlock.levels import Level
from interlock.model import Analysis, Finding, Place
from interlock.patterns import late

#: The beginning of a long text says what it is; reading all of it would take too long.
MAX_TEXT = 1_500
MAX_WORD = 24
_WORD = late(r"--?[A-Za-z][\w-]*|[A-Za-z_]\w+")


def features(analysis: Analysis, findings: tuple[Finding, ...], level: Level) -> set[str]:
    """Return the features of an action that the rules rate at a level."""
    text = analysis.text[:MAX_TEXT]
    if text.isascii():  # lowering other texts can change their words
        found = {f"'{word[:MAX_WORD]}" for word in _WORD.findall(text.lower())}
    else:
        found = {f"'{word[:MAX_WORD].lower()}" for word in set(_WORD.findall(text))}
    found.add(f"level {level._value_}")
    for effect in analysis.effects:
        resource = effect.resource
        found |= _effect_features(effect.kind, effect.flags, None if resource is None else resource.place)
    for finding in findings:
        found.add(f"rule {finding.rule}")
    return found


@lru_cache(maxsize=1024)
def _effect_features(kind: str, flags: frozenset[str], place: Place | None) -> frozenset[str]:
    """Return the features of effects of a kind with some flags at a place."""
    return frozenset([kind, *(f"{kind} +{flag}" for flag in flags), *([f"{kind} @{place._value_}"] if place else [])])


def describe_command_feature(feature: str) -> str:
    """Describe a feature for the person who is asked; return an empty text for one that says little.

    >>> [describe_command_feature(one) for one in ("'--force", "fs.delete @home", "net.send +secret", "level low")]
    ['`--force`', '`fs.delete` in `home`', '`net.send` with `secret`', '']
    """
    if feature.startswith("'"):
        return f"`{feature[1:]}`"
    if feature.startswith(("level ", "rule ")):
        return ""
    kind, _, detail = feature.partition(" ")
    if not detail:
        return f"`{kind}`"
    return f"`{kind}` {'with' if detail[0] == '+' else 'in'} `{detail[1:]}`"

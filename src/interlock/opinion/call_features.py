"""The features of a tool call: the words of its tool's name and of each argument, and the effects found in it.

Numbers, addresses of people and switches of visibility are left to the rules, which know what more of them means; their
findings count by the flags of the effects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from interlock.analyse.tools.argument_schema import read_required_names
from interlock.analyse.tools.arguments import VALUES, Argument, arguments_of, words_of_key
from interlock.effects import TOOL_KINDS
from interlock.knowledge.tool_names import MAX_NAME, split_words
from interlock.model import Action, Effect
from interlock.patterns import late

#: Of a longer text only the beginning is read.
MAX_TEXT = 20_000
#: A longer sentence is read in parts.
MAX_WORDS = 20
#: So many letters of a word are its stem: `delete`, `deleted` and `deletion` have one stem.
NAME_STEM, WORD_STEM = 4, 5
_WORD = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SENTENCE = late(r"(?<=[.!?;])\s+|\s*\n\s*")
_ADDRESS = late(r"\S*@\S*")
_NOTING = VALUES["noting"]
_VISIBILITY = frozenset({"visibility", "private"})
#: Words that servers put before the names of their tools.
_PREFIXES = frozenset({"mcp", "tool", "tools", "api"})
#: Stop words: they occur in every text, and only reflect its length.
_COMMON = frozenset(
    (
        "a about after again all also am an and any are as at be because been before being but by can could "
        "did do does each for from had has have he her here him his how i id ids if in into is it its just "
        "let me more most my no nor not now of off on once only or other our out over own please same she "
        "should so some such than that the their them then there these they this those through to too until "
        "up us very was we were what when where which while who why will with would you your yes ok hi hello "
        "dear thanks thank best regards das dem den der des die ein eine einen im ist mit und von zu zum zur "
        "de del el la las le les los para por un une"
    ).split()
)


#: The flag of effects that need no question. Any other flag can only add weight.
_ROUTINE = "routine"
#: Flags that are no features: every effect of a tool has them, or only the rules may judge by them.
_LEFT_OUT = frozenset(
    "by_tool by_argument practice practice_name scratch_name rehearsed drafted inside local disposable".split()
)


class CallFeatures(NamedTuple):
    """The features of a tool's name, of the sentences of each argument by its key, and of each effect.

    `relieving` are the keys of arguments that may lower the weight of a call.
    """

    name: list[str]
    arguments: dict[str, list[Set[str]]]
    effects: list[tuple[str, ...]]
    relieving: frozenset[str] = frozenset()

    def all(self) -> set[str]:
        """Return all features of the call."""
        return {*self.name}.union(*(part for parts in self.arguments.values() for part in parts), *self.effects)


def call_features(action: Action, effects: Iterable[Effect] = ()) -> CallFeatures:
    """Return the features of a tool call with the effects that were found in it."""
    found: dict[str, list[Set[str]]] = {}
    given = arguments_of(action.input_payload)
    for one in given:
        found.setdefault(one.key, []).extend(value_features(one))
    name = list(name_features(action.tool_name))
    return CallFeatures(name, found, effect_features(effects), find_relieving_keys(action, given))


def name_features(tool_name: str) -> tuple[str, ...]:
    """Return the features of a tool's name: its words, its pairs of words, and the stems of its words."""
    words = [word for word in split_words(tool_name[:MAX_NAME]) if word not in _PREFIXES and not word.isdigit()]
    return (
        *[f"name {word}" for word in dict.fromkeys(words)],
        *dict.fromkeys(f"names {first} {second}" for first, second in pairwise(words)),
        *dict.fromkeys(f"named {word[:NAME_STEM]}" for word in words),
    )


def find_relieving_keys(action: Action, given: Iterable[Argument]) -> frozenset[str]:
    """Return the keys of the arguments that may lower the weight of a call: those that the schema of the tool requires.

    An agent cannot add one to a call: it is there, and says what the tool does. Notes say nothing about that.
    """
    required = read_required_names(action.input_schema)
    if not required:
        return frozenset()
    silent = {one.key for one in given if one.keys[0] not in required or not _NOTING.isdisjoint(one.keys)}
    return frozenset([one.key for one in given]) - silent


def effect_features(effects: Iterable[Effect]) -> list[tuple[str, ...]]:
    """Return the features of each effect of a tool: its kind, its flags, and each flag together with the kind.

    Effects of paths, addresses and code in the arguments are left to the rules: how they are found depends on the form
    of an argument.
    """
    return list(dict.fromkeys([features_of_effect(*one) for one in own_effects(effects)]))


def own_effects(effects: Iterable[Effect]) -> list[tuple[str, frozenset[str]]]:
    """Return the kind and the flags of the effects that a call has by its tool."""
    return [(one.kind, one.flags) for one in effects if one.kind in TOOL_KINDS or "by_tool" in one.flags]


def features_of_effect(kind: str, flags: frozenset[str]) -> tuple[str, ...]:
    """Return the features of one effect."""
    counted = sorted(flags - _LEFT_OUT)
    return (f"effect {kind}", *[f"flag {flag}" for flag in counted], *[f"effect {kind} {flag}" for flag in counted])


def sign_of(feature: str) -> int:
    """Return the required sign of the weight of a feature: -1, 1, or 0 for any.

    >>> sign_of("flag outside"), sign_of("effect message.send routine"), sign_of("word draft")
    (1, -1, 0)
    """
    first, _, rest = feature.partition(" ")
    flag = rest.rpartition(" ")[2]
    if first == "flag" or (first == "effect" and flag != rest):
        return -1 if flag == _ROUTINE else 1
    return 0


def value_features(one: Argument) -> Sequence[Set[str]]:
    """Return the features of one value: of a text, those of each sentence, with those of its key."""
    return text_features(one.key, one.value) if isinstance(one.value, str) else switch_features(one.key, state_of(one))


def state_of(one: Argument) -> bool | None:
    """Return the state of a switch, or None for one of visibility and for any other value."""
    return one.value if isinstance(one.value, bool) and _VISIBILITY.isdisjoint(one.roles) else None


def switch_features(key: str, state: bool | None) -> Sequence[Set[str]]:
    """Return the features of a value that is no text: those of its key, and of the state of a switch."""
    named = _key_features(key)
    if state is None:
        return [named]
    return [named | {f"{key} is {state}", f"… {key.rpartition('_')[2]} is {state}"}]


def text_features(key: str, value: str) -> Sequence[Set[str]]:
    """Return the features of each sentence of a text, with those of its key."""
    named, last = _key_features(key), key.rpartition("_")[2]
    text = value[:MAX_TEXT]
    if "@" in text:
        text = _ADDRESS.sub(" ", text)
    sentences = [_WORD.findall(sentence) for sentence in _SENTENCE.split(text)]
    return tuple(
        [
            _with_words(named, last, words[start : start + MAX_WORDS])
            for words in sentences
            for start in range(0, len(words) or 1, MAX_WORDS)
        ]
    )


@lru_cache(maxsize=4096)
def _key_features(key: str) -> frozenset[str]:
    return frozenset([f"key {key}", *[f"in key {word}" for word in words_of_key(key)]])


def _with_words(named: frozenset[str], last: str, words: list[str]) -> frozenset[str]:
    known = {word.lower() for word in words} - _COMMON
    stems = [f"stem {word[:WORD_STEM]}" for word in known if len(word) >= WORD_STEM]
    return named.union([f"word {word}" for word in known], [f"{last}: {word}" for word in known], stems)


def describe_feature(feature: str) -> str:
    """Describe a feature of a tool call for the person who is asked.

    >>> describe_feature("name payout"), describe_feature("in key iban"), describe_feature("role: owner")
    ('`payout`', '`iban`', '`role: owner`')
    """
    for start in ("name ", "names ", "key ", "in key ", "word ", "… ", "effect ", "flag "):
        if feature.startswith(start):
            return f"`{feature[len(start) :]}`"
    for start in ("named ", "stem "):
        if feature.startswith(start):
            return f"`{feature[len(start) :]}…`"
    return f"`{feature}`"

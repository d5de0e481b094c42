"""The features of a tool call: the words of its tool's name and description, and of its arguments.

Only words of the name may speak for a call. What the agent writes (arguments) and what a server says about itself
(descriptions) can add to the weight of a call and never take from it, so that no text switches the opinion off.
Numbers, addresses of people and switches of visibility are left to the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from interlock.analyse.tools.arguments import Argument, arguments_of
from interlock.analyse.tools.name import meaning_of
from interlock.knowledge.tool_names import split_words
from interlock.model import Action, Analysis, Effect
from interlock.patterns import late

#: The beginning of a text says what it is; reading all of it would take too long.
MAX_TEXT = 600
MAX_ARGUMENTS = 200
_WORD = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ADDRESS = late(r"\S*@\S*")
_VISIBILITY = frozenset({"visibility", "private"})
_QUIET = frozenset({"read", "draft"})
_CALLS = frozenset({"tool.change", "tool.destroy", "tool.unknown"})
#: Flags of calls that do nothing for real, and of tools that the owner has described.
_SETTLED = frozenset({"practice", "rehearsed", "declared"})
_UNREAL = frozenset({"drafted", "practice_name"})
#: Words that servers put before the names of their tools.
_PREFIXES = frozenset({"mcp", "tool", "tools", "api"})
#: How features begin that may speak for a call.
NAMES = ("name ", "names ")


def is_weighed_call(action: Action, analysis: Analysis) -> bool:
    """Whether the model judges an action: a call that may change something, for real, and not settled by its owner."""
    own = analysis.effects[0]  # what the tool does by its name comes first, and has no place in any text
    if own.kind not in _CALLS or own.span != (0, 0):
        return False
    if meaning_of(action.tool_name, action.description or action.docstring or "").verb in _QUIET:
        return False
    return not any(_is_settled(effect) for effect in analysis.effects)


def _is_settled(effect: Effect) -> bool:
    """Whether nothing happens for real, or the owner has said what the tool does or what payments are routine."""
    flags = effect.flags
    if "routine" in flags and (effect.kind == "payment.send" or not _UNREAL.isdisjoint(flags)):
        return True
    return not _SETTLED.isdisjoint(flags)


def tool_features(action: Action) -> set[str]:
    """Return the features of a tool call."""
    name = [word for word in split_words(action.tool_name) if word not in _PREFIXES and not word.isdigit()]
    found = {f"name {word}" for word in name}
    found.update(f"names {first} {second}" for first, second in pairwise(name))
    found.update(f"said {word}" for word in _words(action.description or action.docstring or ""))
    for one in arguments_of(action.input_payload)[:MAX_ARGUMENTS]:
        found.update(_features_of(one))
    return found


def _features_of(one: Argument) -> Iterator[str]:
    key = one.key
    last = key.rpartition("_")[2]
    yield f"key {key}"
    for word in one.words:
        yield f"in key {word}"
    if isinstance(one.value, bool):
        if _VISIBILITY.isdisjoint(one.roles):
            yield f"{key} is {one.value}"
            yield f"… {last} is {one.value}"
    elif isinstance(one.value, str):
        for word in _words(one.value):
            yield f"word {word}"
            yield f"{last}: {word}"


def _words(text: str) -> set[str]:
    text = text[:MAX_TEXT]
    if "@" in text:
        text = _ADDRESS.sub(" ", text)
    return {word.lower() for word in _WORD.findall(text)}


def describe_feature(feature: str) -> str:
    """Return what a feature of a tool call stands for, in words for the person who is asked.

    >>> describe_feature("name payout"), describe_feature("in key iban"), describe_feature("role: owner")
    ('`payout`', '`iban`', '`role: owner`')
    """
    for start in (*NAMES, "said ", "key ", "in key ", "word ", "… "):
        if feature.startswith(start):
            return f"`{feature[len(start) :]}`"
    return f"`{feature}`"

"""Read-only calls of tools that can do more: `centrifuge_setup {"unit": "C1", "query": "rotor_hours"}`.

A tool that is named after a thing, or whose description says that it reads or changes something, does what its
arguments say. If these only name the thing and what is asked about it, the call only reads. Tools that pay, sign,
delete, grant or send do what their names say, so that no further argument makes them look harmless.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.key_objects import object_of_key
from interlock.analyse.tools.name_meaning import Meaning
from interlock.analyse.tools.vocabulary import (
    GROUPS,
    NOUNS,
    OUTCOMES,
    find_verb_of_state,
    group_of,
    is_verb_only,
    object_of,
)
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_calls import ToolObject
from interlock.knowledge.table_types.tool_name_words import ToolNameWords
from interlock.knowledge.tool_names import split_words

_WORDS = read_table("tool-names", ToolNameWords)

#: Last words of keys of identifiers.
_NAMING = _WORDS.referring_last_words | _WORDS.place_last_words
_LOOKING = frozenset({"", "make", "change", "run", "operate", "watch", "book"})
#: Roles of arguments by which a call does something.
_DOING = frozenset("recipient amount attachment switch final schedule".split())
MAX_VALUE = 60


def only_reads(meaning: Meaning, arguments: Sequence[Argument]) -> bool:
    """Whether a call of a tool that is named after a thing, or that reads or changes it, only reads."""
    if not (meaning.either or _is_loose(meaning)):
        return False
    if meaning.either and any(one.key == meaning.said and one.value is False for one in arguments):
        return True  # `laser_job {"run": false}`
    given = [one for one in arguments if one.value not in (None, "", (), False)]
    if meaning.either == "read":
        return not any(_sets(one) for one in given if one.value != "?")
    asking = [_asks(one) for one in given]
    if not all(asks or _names(one) for asks, one in zip(asking, given, strict=True)):
        return False
    return any(asking) or (bool(meaning.either) and len(given) == len(arguments))


def _is_loose(meaning: Meaning) -> bool:
    """Whether the verb in a name may be a noun that only names something."""
    if is_verb_only(meaning.said) or any(_effect(meaning.verb, thing) in _BINDING for thing in meaning.things):
        return False
    on_device = meaning.verb == "send" and bool(meaning.things) and meaning.things[0].name in _WORDS.remote_devices
    return meaning.verb in _LOOKING or on_device


def _effect(verb: str, thing: ToolObject) -> str:
    kind: str = (getattr(thing, verb) if verb else "") or thing.any
    return kind


#: Effects that no further argument turns into a read.
_BINDING = frozenset(
    "payment.send order.place contract.sign access.grant security.lower record.delete account.change".split()
)


def _asks(one: Argument) -> bool:
    """Whether an argument selects the information to show: `report: battery`, `next: expiry_report`, `value: "?"`."""
    if one.value == "?":
        return True
    if not one.words.isdisjoint(_WORDS.opening_keys):
        return False
    if one.key.rpartition("_")[2] in _WORDS.referring_last_words:
        return one.low in OUTCOMES
    words = split_words(one.value) if isinstance(one.value, str) and len(one.value) <= MAX_VALUE else ()
    if isinstance(one.value, str) and (not words or _does(words)):
        return False
    if any(not _WORDS.asking_keys.isdisjoint(key.split("_")) for key in one.keys):
        return True
    return bool(words) and (words[-1] in OUTCOMES or (GROUPS.get(words[0]) == "read" and words[0] not in NOUNS))


def _sets(one: Argument) -> bool:
    """Whether an argument gives a value to set, or says that something is done."""
    if not _WORDS.giving_keys.isdisjoint(one.words) or object_of_key(one.key) or "amount" in one.roles:
        return not _asks(one) and not _narrows(one)
    return any(
        is_verb_only(word) and group_of(word) not in ("read", "draft") for key in one.keys for word in key.split("_")
    )


def _names(one: Argument) -> bool:
    """Whether an argument only identifies the thing, or limits the answer."""
    if not one.roles.isdisjoint(_DOING) or not one.words.isdisjoint(_WORDS.opening_keys) or object_of_key(one.key):
        return False
    return _refers(one) or _narrows(one)


def _does(words: Sequence[str]) -> bool:
    """Whether words name an action."""
    return any(
        group_of(find_verb_of_state(word)) not in ("", "read") and find_verb_of_state(word) not in NOUNS
        for word in words
    )


def _refers(one: Argument) -> bool:
    """Whether an argument identifies the thing."""
    if isinstance(one.value, bool) or not isinstance(one.value, (str, int)):
        return False
    if not one.words.isdisjoint(_WORDS.setpoint_keys):
        return False
    words = split_words(one.text[:MAX_VALUE])
    if len(words) == 1 and (group_of(find_verb_of_state(words[0])) or words[0] in _WORDS.device_settings):
        return False  # `valve: open`
    return (
        one.key.endswith("id")
        or one.key.rpartition("_")[2] in _NAMING
        or (isinstance(one.value, str) and object_of(one.key) is not None)
    )


def _narrows(one: Argument) -> bool:
    """Whether an argument says how much is to be shown."""
    if isinstance(one.value, bool):
        return False
    return not _WORDS.narrowing_keys.isdisjoint(one.words) or one.low.startswith(("last_", "last "))

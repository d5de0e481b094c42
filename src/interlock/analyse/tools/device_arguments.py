"""Arguments about a device: `call_service {"service": "unlock", "entity": "lock.front_door"}`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.key_objects import split_key
from interlock.analyse.tools.name_meaning import Meaning, meaning_of
from interlock.analyse.tools.vocabulary import CONTROLLING, find_verb_of_state
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_calls import ToolObject
from interlock.knowledge.table_types.tool_name_words import ArgumentWords
from interlock.knowledge.tool_names import split_words

_WORDS = read_table("tool-arguments", ArgumentWords)

MAX_VALUE = 80
MAX_PHRASE = 200


def is_controller(meaning: Meaning) -> bool:
    """Whether a tool does to a device what its arguments say: `garage_door_control`."""
    return bool(meaning.words) and (meaning.words[-1] in CONTROLLING or meaning.words[0] in ("manage", "control"))


def is_extreme(arguments: Sequence[Argument]) -> bool:
    """Whether a room would become so hot or cold that people, animals, plants or pipes suffer."""
    for one in arguments:
        if isinstance(one.value, bool) or not isinstance(one.value, (int, float)):
            continue
        if _is_long(one):
            return True
        if _WORDS.heat_words.isdisjoint(split_key(one.key)) or not _LIGHT.isdisjoint(split_key(one.key)):
            continue
        if not any(low <= one.value <= high for low, high in _COMFORTABLE) and "outside" not in one.key:
            return True
    return False


#: Words of the colour of light, which has a temperature too.
_LIGHT = frozenset({"color", "colour", "kelvin", "mired", "mireds"})


def _is_long(one: Argument) -> bool:
    """Whether something runs for a day or more."""
    return one.key in _WORDS.long_durations and one.value >= _WORDS.long_durations[one.key]


_COMFORTABLE = ((5, 30), (41, 86))  # in degrees Celsius and Fahrenheit


def sets_device(one: Argument, device: ToolObject) -> bool:
    """Whether an argument says what a device is set to; a mode counts where people could be hurt or let in."""
    if "hazard" in device.flags and one.key in _WORDS.hazard_modes and one.value not in (None, ""):
        return True
    return (
        one.key in _WORDS.device_setting_keys
        or one.low in _WORDS.device_positions
        or (one.key in _WORDS.device_units and type(one.value) in (int, float))
    )


def device_meanings(meaning: Meaning, arguments: Sequence[Argument]) -> Iterator[Meaning]:
    """Yield the operations on the device that the arguments name."""
    values = [
        _kind_of_entity(one.text)
        for one in arguments
        if one.key in _WORDS.device_keys and isinstance(one.value, str) and len(one.text) <= MAX_VALUE
    ]
    phrase = "_".join(find_verb_of_state(word) for text in values for word in split_words(text))[:MAX_PHRASE]
    if not phrase:
        return
    told = meaning_of(phrase, "")
    verb, said = (told.verb, told.said) if told.verb and told.verb != "read" else (meaning.verb, meaning.said)
    named = (thing for thing in told.things if thing.name != "account")  # `SimPress.Counter` is no SIM
    things = sorted(named, key=lambda thing: (thing.name != "security", "hazard" not in thing.flags))
    if verb and (things or told.verb):
        yield Meaning(verb, tuple(things) or meaning.things, meaning.words, said)


def _kind_of_entity(text: str) -> str:
    """Return the kind of an entity if that kind is harmless: `light.front_door` is a light, not a door."""
    kind, dot, _ = text.partition(".")
    return kind if dot and kind in _WORDS.harmless_entities else text

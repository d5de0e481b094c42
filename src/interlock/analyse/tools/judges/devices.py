"""Operating devices and their settings, and alarm clocks."""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument, words_of_key
from interlock.analyse.tools.device_arguments import is_extreme
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.vocabulary import HAZARDOUS, is_verb_only, object_of
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_record_words import RecordWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-records", RecordWords)


def is_routine_operation(call: JudgedCall) -> bool:
    """Whether the device and the setting do not matter to people's safety."""
    if call.has("lowered", "many", "health"):
        return False
    return not call.has("hazard") or sets_comfort(call)


def sets_comfort(call: JudgedCall) -> bool:
    """Whether a call only sets the lights, sounds or display of a device: `{"feature": "chime_volume"}`."""
    said = call.meaning.said
    if said in HAZARDOUS or (is_verb_only(said) and said not in _WORDS.device_verbs) or is_extreme(call.arguments):
        return False
    if call.words(_PICTURED) and said in _WORDS.device_verbs:
        return all(
            _names_aspect(one) or _says_which(one) or one.key in _WORDS.appearance_words for one in call.arguments
        )
    named = any(_names_aspect(one) for one in call.arguments)
    return named and all(_names_aspect(one) or _says_which(one) for one in call.arguments)


def _names_aspect(one: Argument) -> bool:
    """Whether an argument is about an aspect that does not matter to people's safety."""
    if any(not _WORDS.harmless_aspects.isdisjoint(words_of_key(key)) for key in one.keys):
        return True
    if one.key not in _WORDS.aspect_keys or not isinstance(one.value, str) or len(one.value) > 60:
        return False
    words = split_words(one.value)
    return not _WORDS.harmless_aspects.isdisjoint(words) and not any(
        word in HAZARDOUS or _is_hazard(word) for word in words
    )


def _is_hazard(word: str) -> bool:
    thing = object_of(word)
    return thing is not None and "hazard" in thing.flags


def _says_which(one: Argument) -> bool:
    """Whether an argument names the device, or gives the value for what another one names."""
    if one.key in _WORDS.device_value_keys or one.key.endswith("id"):
        return True
    return isinstance(one.value, str) and one.low not in _WORDS.device_values and object_of(one.key) is not None


#: What is written into a picture, and the keys of how it looks there.
_PICTURED = frozenset({"overlay", "osd", "watermark"})


def is_alarm_clock(call: JudgedCall) -> bool:
    """Whether an alarm rings at a time of day, and guards nothing: `set_alarm {"time": "06:45"}`."""
    if not call.words(_ALARMS) or call.meaning.verb not in ("make", "change"):
        return False
    if call.meaning.said in _WORDS.quieting_verbs or call.has("hazard", "health", "lowered"):
        return False
    if any(one.name in ("health", "security_system") or "hazard" in one.flags for one in call.meaning.things):
        return False
    keys = {word for one in call.arguments for word in one.words}
    return keys.isdisjoint(_WORDS.guarding_keys) and any(
        isinstance(one.value, str) and _TIME.fullmatch(one.low) is not None for one in call.arguments
    )


_ALARMS = frozenset({"alarm", "alarms"})
_TIME = late(r"(?:\d{4}-\d\d-\d\d[t ])?\d{1,2}[:.]\d\d(?::\d\d)?(?: ?[ap]m|z)?")

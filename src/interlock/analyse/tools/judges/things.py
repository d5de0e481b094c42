"""Devices, automations and money."""

from __future__ import annotations

from interlock.analyse.tools.argument_meanings import is_extreme
from interlock.analyse.tools.arguments import Argument, words_of_key
from interlock.analyse.tools.judges.call import GRAVE, JudgedCall
from interlock.analyse.tools.judges.sorting import only_sorts
from interlock.analyse.tools.words import AMBIGUOUS, HAZARDOUS, is_verb_only, thing_of
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.tool_names import split_words
from interlock.knowledge.tool_record_words import RecordWords
from interlock.patterns import late

_WORDS = read_table("tool-records", RecordWords)

_FILTERS = frozenset({"filter", "filters"})


def is_routine_operation(call: JudgedCall) -> bool:
    """Whether nobody depends on the device, or on what is set on it."""
    if call.has("lowered", "many", "health"):
        return False
    return not call.has("hazard") or sets_comfort(call)


def sets_comfort(call: JudgedCall) -> bool:
    """Whether a call sets nothing of a device but its lights, sounds or display: `{"feature": "chime_volume"}`."""
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
    """Whether an argument is about something that nobody depends on."""
    if any(not _WORDS.harmless_aspects.isdisjoint(words_of_key(key)) for key in one.keys):
        return True
    if one.key not in _WORDS.aspect_keys or not isinstance(one.value, str) or len(one.value) > 60:
        return False
    words = split_words(one.value)
    return not _WORDS.harmless_aspects.isdisjoint(words) and not any(
        word in HAZARDOUS or _is_hazard(word) for word in words
    )


def _is_hazard(word: str) -> bool:
    thing = thing_of(word)
    return thing is not None and "hazard" in thing.flags


def _says_which(one: Argument) -> bool:
    """Whether an argument names the device, or gives the value for what another one names."""
    if one.key in _WORDS.device_value_keys or one.key.endswith("id"):
        return True
    return isinstance(one.value, str) and one.low not in _WORDS.device_values and thing_of(one.key) is not None


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


def is_routine_automation(call: JudgedCall) -> bool:
    """Whether a filter or a rule only sorts what comes in."""
    if only_sorts(call):
        return True
    if not call.words(_FILTERS):
        return False
    return all(_WORDS.leading_away.isdisjoint(one.keys) for one in call.arguments) and call.flags.isdisjoint(GRAVE)


def is_routine_order(call: JudgedCall) -> bool:
    """Whether nothing is bought: an order is kept track of, or things are put into another order or change places."""
    if keeps_track(call):
        return True
    if call.meaning.said not in AMBIGUOUS or not call.flags.isdisjoint(GRAVE):
        return False
    if any("amount" in one.roles or not one.words.isdisjoint(_WORDS.traded_words) for one in call.arguments):
        return False
    if call.meaning.said != "reorder":
        return True
    if (call.thing and call.thing.name == "shop_service") or any(
        not one.words.isdisjoint(_WORDS.paid_words) for one in call.arguments
    ):
        return False
    return any(one.key.endswith("ids") or one.key in _WORDS.list_position_keys for one in call.arguments)


def keeps_track(call: JudgedCall) -> bool:
    """Whether an order is changed in nothing that is bought, paid or delivered: `{"expected_date": …}`."""
    if call.meaning.said not in _WORDS.order_note_verbs or call.thing is None or call.thing.name != "order":
        return False
    if not call.flags.isdisjoint(GRAVE | {"binding"}) or not call.arguments:
        return False
    return not any(_is_substance(one) for one in call.arguments)


def _is_substance(one: Argument) -> bool:
    """Whether an argument sets what an order is about, or ends or confirms it."""
    if one.value in (None, False):
        return False
    if not one.words.isdisjoint(_STATES) and isinstance(one.value, str):
        return _WORDS.order_states.isdisjoint(split_words(one.text[:60]))
    if one.key.endswith(("_id", "_ids")) or not _WORDS.own_field_keys.isdisjoint(one.keys):
        return False
    return "amount" in one.roles or any(not _WORDS.order_substance.isdisjoint(words_of_key(key)) for key in one.keys)


_STATES = frozenset({"status", "state", "stage"})


def is_routine_payment(call: JudgedCall) -> bool:
    """Whether a known counterparty gets an amount that the configuration calls routine."""
    org = call.organisation
    if not org.routine_amount or call.has("bank_account", "many", "deceptive", "payout"):
        return False
    amounts = [float(one.value) for one in call.of_role("amount") if type(one.value) in (int, float)]
    named = frozenset(one.low for one in call.of_role("recipient") if isinstance(one.value, str))
    return bool(amounts) and min(amounts) > 0 and org.is_routine_payment(named, max(amounts))

"""Settings that one argument names and another gives a value: `{"key": "fraud_check", "value": "off"}`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from interlock.analyse.tools.arguments import LOWERING, VALUES, Argument, make_argument, roles_of, words_of_key
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_effect_words import RightWords
from interlock.patterns import late
from interlock.payload import plain_key

_WORDS = read_table("tool-rights", RightWords)
_SEPARATORS = late(r"[^A-Za-z0-9]+")
_ENVIRONMENTS = frozenset({"env", "environment", "stage"})
MAX_NAME = 100


def settings_in(arguments: Sequence[Argument]) -> Iterator[Argument]:
    """Yield each setting as an argument of its own, if it is switched on or off, or emptied.

    A setting that is named like a rehearsal does not make the call one: `{"flag": "price-test", "enabled": true}`.
    """
    named = [one for one in arguments if isinstance(one.value, str) and one.value and _names_setting(one)]
    for name in named:
        for one in arguments:
            if (
                one.key in _WORDS.setting_values
                and one.keys[:-1] == name.keys[:-1]
                and (one.low in _WORDS.switched_values or one.value == ())
            ):
                key = plain_key(_SEPARATORS.sub("_", name.value[:MAX_NAME])).strip("_")
                yield make_argument((*name.keys[:-1], key), one.value, roles_of(key) - LOWERING)
            elif one.key in _WORDS.setting_values and one.keys[:-1] == name.keys[:-1] and _selects(name):
                yield make_argument(("environment",), one.value, roles_of("environment"))


def _names_setting(one: Argument) -> bool:
    """Whether an argument names a setting: by its key, or as what protects something (`{"id": "waf", …}`)."""
    if one.key in _WORDS.setting_names:
        return True
    if one.key not in _WORDS.protection_names or " " in one.value or len(one.value) > MAX_NAME:
        return False
    words = words_of_key(plain_key(_SEPARATORS.sub("_", one.value)))
    return not words.isdisjoint(VALUES["protection"])


def _selects(name: Argument) -> bool:
    """Whether a call is for the machines of one environment: `{"targets": [{"key": "tag:env", "values": […]}]}`."""
    return (
        not _WORDS.selecting_keys.isdisjoint(name.keys[:-1])
        and _SEPARATORS.split(name.value.lower())[-1] in _ENVIRONMENTS
    )

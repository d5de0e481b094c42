"""Switches in the arguments of a call: turning off protections, opening access, granting high roles."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.analyse.secrets.keys import is_secret_name
from interlock.analyse.tools.arguments import VALUES, Argument, words_of_key
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_content_words import RequestWords
from interlock.knowledge.table_types.tool_effect_words import RightWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-rights", RightWords)
_REQUESTS = read_table("tool-requests", RequestWords)

FALSE = _WORDS.no_values
TRUE = frozenset({"true", "yes", "on", "1"})
MAINTAINER = 40  # the number of a role with many rights at services that number them
MAX_ROLE = 120
_SHORTEST = frozenset("min_password_length minimum_password_length password_min_length password_length".split())
SHORT_PASSWORD = 8
MAX_SWITCH = 40  # characters of a value that switches something
#: Keys that only say that something is on.
SWITCH_KEYS = _WORDS.switch_keys
#: Words that name a protection by themselves; others do not: `apply_rules` sorts as often as it protects.
_GUARDS = VALUES["protection"] - {"rule", "rules", "rest", "country"}
_ALLOWING = frozenset({"allow"})
_RULES = frozenset({"rule", "rules"})  # which protect nothing any more where they are empty


def starts_download(one: Argument) -> bool:
    """Whether an argument runs a download or makes it executable: `run_after: true`, `chmod: "0755"`."""
    if one.key in _REQUESTS.mode_keys:
        return isinstance(one.value, (str, int)) and _EXECUTABLE.fullmatch(one.low) is not None
    return is_true(one) and not _REQUESTS.starting_words.isdisjoint(one.words)


_EXECUTABLE = late(r"0?o?[0-7]?[1357][0-7]{2}|[ugo]*a?\+[rw]*x|true|yes")


def is_true(one: Argument) -> bool:
    """Whether a value says yes."""
    low = one.low
    return one.value is True or (isinstance(one.value, str) and low in _WORDS.yes_values) or low == "1"


def lowers_protection(one: Argument) -> bool:
    """Whether an argument turns a protection off: `required_reviews: 0`, `skip_verification: true`, `checks: []`.

    A key names a protection by one of its words. With a word such as `disable` before it, the meaning is turned round.
    """
    if len(one.low) > MAX_SWITCH or one.key.endswith("_id"):
        return False
    if one.low in _LIFTED and isinstance(one.value, str) and one.key not in _WORDS.text_keys:
        return True  # whatever it is, it does not hold any more
    if one.key in _WORDS.vague_keys:
        return False
    words = one.words
    if one.key in SWITCH_KEYS and len(one.keys) > 1:  # `{"secret_scanning": {"status": "disabled"}}`
        words |= words_of_key(one.keys[-2])
    return not words.isdisjoint(_SWITCHING) and _turns_off(one, words)


_LIFTED = VALUES["lifted"]
#: Words of which one is in each key of a protection that can be turned off.
_SWITCHING = _ALLOWING | _GUARDS | _RULES | VALUES["negation"]


def _turns_off(one: Argument, words: frozenset[str]) -> bool:
    """Whether an argument turns off what its own key names."""
    if not words.isdisjoint(_ALLOWING) and not words.isdisjoint(_WORDS.protected_from) and is_true(one):
        return True
    protecting = not words.isdisjoint(_GUARDS) or (one.value in ("", ()) and not words.isdisjoint(_RULES))
    if not words.isdisjoint(VALUES["negation"]):
        return is_true(one) and (protecting or not words.isdisjoint(_WORDS.bypass_words))
    if not protecting or not words.isdisjoint(_WORDS.ordered_words):
        return False  # what is not approved, removed, shown or handed in stays as it is
    if one.key in _WORDS.notifying_keys:
        return False  # nothing is sent
    if not words.isdisjoint(_WORDS.measured_words):
        return False  # `speed_kmh: 0`
    if one.key == "required" and "listed" in one.roles:
        return False  # a field of a form
    if one.key in _SHORTEST and type(one.value) is int:
        return one.value < SHORT_PASSWORD
    if one.value is None or (one.value == "" and "id" in words):
        return False
    return one.low in VALUES["off"] or (isinstance(one.value, str) and one.low.partition(" for ")[0] in VALUES["off"])


def lowers_in_call(one: Argument, said: str, words: Sequence[str], arguments: Sequence[Argument]) -> bool:
    """Whether an argument turns a protection off that the call sets; `said` and `words` are those of the tool.

    A request that adds no one to a list removes no one, and a note that is not secret, a field that may be left
    empty and a variable that holds no secret have lost nothing.
    """
    if not lowers_protection(one):
        return False
    if one.value == () and said in _REQUESTING and not one.words.isdisjoint(_ASKED):
        return False
    if one.value is not False:
        return True
    if one.key in _WORDS.variable_switches and not _VARIABLES.isdisjoint(words):
        return any(map(_is_secret_variable, arguments))
    if any(is_true(other) for other in arguments):
        return True  # which does more besides
    return not any(word in words for word in _WORDS.unguarded.get(one.key, ()))


def _is_secret_variable(one: Argument) -> bool:
    """Whether an argument is the name of a variable that holds a secret, or an address with a password."""
    if one.key in _VARIABLE_NAMES:
        return is_secret_name(one.text)
    return "://" in one.text and "@" in one.text


_REQUESTING = frozenset({"request", "add", "assign", "invite"})
_ASKED = frozenset({"reviewers", "approvers"})
_VARIABLES = frozenset({"variable", "variables"})
_VARIABLE_NAMES = frozenset({"key", "name", "variable", "variable_name"})


def opens(one: Argument) -> bool:
    """Whether an argument lets everyone in: `public: true`, `private: false`, `principal: "*"`, `ANYONE_CAN_VIEW`."""
    low, words, roles = one.low, one.words, one.roles
    if "private" in roles:
        if is_true(one):
            return False
        if low in FALSE and one.value not in (None, "", ()):
            return True
    if not words.isdisjoint(_EVERYONE) and words.isdisjoint(_NOT_EVERYONE):
        listed = "visibility" in roles and isinstance(one.value, str) and one.key == "anonymous" and low not in FALSE
        if (one.value is True or (isinstance(one.value, str) and low in _WORDS.yes_values)) or listed:
            return True
    if "visibility" not in roles or not isinstance(one.value, str) or len(low) > 60:
        return False
    if low in VALUES["everyone"]:
        return True
    told = [word.lower() for word in split_words(one.text)]
    return (
        len(told) <= 6
        and " " not in low.strip()
        and "@" not in low
        and not _EVERYONE.isdisjoint(told)
        and _NOT_EVERYONE.isdisjoint(told)
    )


_EVERYONE, _NOT_EVERYONE = VALUES["everyone_words"], VALUES["not_everyone_words"]


def gives_high_role(one: Argument) -> bool:
    """Whether an argument names a role, a group or a policy with many rights."""
    low = one.low
    if "role" not in one.roles or len(low) > MAX_ROLE:
        return False
    if isinstance(one.value, bool):
        return one.value and not one.words.isdisjoint(VALUES["high_role"])
    if isinstance(one.value, (int, float)):
        return one.key in _WORDS.level_keys and one.value >= MAINTAINER
    if low.isdecimal():
        return one.key in _WORDS.level_keys and int(low[:6]) >= MAINTAINER
    return low == "*" or not VALUES["high_role"].isdisjoint(word.lower() for word in split_words(one.text))

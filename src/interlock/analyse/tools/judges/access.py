"""Access, accounts and protections."""

from __future__ import annotations

from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.judged_call import GRAVE, JudgedCall
from interlock.analyse.tools.judges.devices import is_alarm_clock
from interlock.analyse.tools.judges.records import is_weighty
from interlock.analyse.tools.restrictions import NAMING, SETTING, removes_rights
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_effect_words import RightWords
from interlock.knowledge.tool_names import split_words

_WORDS = read_table("tool-rights", RightWords)

#: Verbs by which somebody gets the role that stands beside them.
_GIVING = SETTING | _WORDS.role_giving_verbs
_ASKING = frozenset({"request", "requests"})
REPORTER = 20  # the number of a role that may only look, at services that number them


def is_routine_access(call: JudgedCall) -> bool:
    """Whether a person who is not a stranger gets a low role."""
    if removes_rights(call):
        return not call.has("lowered", "deceptive", "instructions")
    if call.has("admin", "outside", "public", "many", "sensitive", "elsewhere"):
        return False
    asked = call.words(_ASKING)  # whatever verb its description has
    taken = call.meaning.said in _WORDS.role_taking_verbs
    if (call.meaning.said not in _GIVING and not asked and not taken) or (call.thing and call.thing.name == "secret"):
        return False
    roles = [set(split_words(one.low)) for one in call.of_role("role") if _tells_role(one)]
    levels = [one.value for one in call.of_role("role") if type(one.value) is int and one.key == "access_level"]
    return (
        bool(roles or levels)
        and not any(map(_WORDS.low_roles.isdisjoint, roles))
        and max(levels, default=0) <= REPORTER
    )


def _tells_role(one: Argument) -> bool:
    """Whether an argument is the role of a person, and not the name of a team, list or policy."""
    return isinstance(one.value, str) and bool(one.value.strip()) and not one.words.isdisjoint(_WORDS.role_words)


def is_routine_account(call: JudgedCall) -> bool:
    """Whether only the display of an account is changed."""
    if any(call.of_role("room")) and is_routine_access(call):
        return True  # somebody joins a room
    if (
        call.meaning.verb != "change"
        or call.meaning.said in _WORDS.standing_verbs
        or not call.flags.isdisjoint(GRAVE)
        or call.has("lowered")
    ):
        return False
    if any(is_weighty(one) for one in call.arguments):
        return False
    changed = {word for one in call.arguments for word in one.words}
    return _WORDS.identity_words.isdisjoint(changed)


def is_routine_security(call: JudgedCall) -> bool:
    """Whether a protection is turned on, or an alarm only wakes somebody."""
    if is_alarm_clock(call):
        return True
    if (
        call.meaning.verb == "remove"
        or call.meaning.said in _WORDS.lowering_verbs
        or call.has("lowered", "public", "admin", "many")
    ):
        return False
    given = [one for one in call.arguments if not _only_names(one)]
    return bool(given) and all(_is_on(one) or _tells_how(one) for one in given) and any(map(_is_on, given))


def _is_on(one: Argument) -> bool:
    """Whether an argument turns a protection on."""
    return one.low in _WORDS.enforced_values and _turns_on(one)


def _only_names(one: Argument) -> bool:
    """Whether an argument only identifies the thing, or gives a reason."""
    if isinstance(one.value, bool):
        return False
    return one.value in (None, "", ()) or one.key.rpartition("_")[2] in _NAMING or "person" in one.roles


def _tells_how(one: Argument) -> bool:
    """Whether an argument is a number, or a mode of a protection that another argument turns on."""
    if isinstance(one.value, bool) or one.low in VALUES["off"]:
        return False
    return type(one.value) is int and not one.words.isdisjoint(VALUES["protection"] | VALUES["lasting"])


def _turns_on(one: Argument) -> bool:
    """Whether a key names a protection, or only says that something is on. `confirm: true` does neither."""
    named = not one.words.isdisjoint(VALUES["protection"] | _WORDS.protection_switches)
    return named and one.words.isdisjoint(VALUES["negation"]) and _WORDS.protection_ending.isdisjoint(one.words)


_NAMING = NAMING | _WORDS.described_last_words

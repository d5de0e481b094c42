"""Documents that are shared, and data that leaves a service."""

from __future__ import annotations

from interlock.analyse.tools.arguments import VALUES, Argument
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.switches import FALSE, is_true
from interlock.analyse.tools.vocabulary import REVEALING
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_effect_words import AudienceWords
from interlock.knowledge.tool_names import split_words

_WORDS = read_table("tool-audiences", AudienceWords)


def is_routine_share(call: JudgedCall) -> bool:
    """Whether an ordinary document is shared with a named person inside."""
    if _gives_nothing(call):
        return True
    if call.meaning.said in _WORDS.unsharing_verbs:
        return not call.has("public", "admin")
    named = any(one.text for one in call.of_role("recipient")) or any(
        one.key in _WORDS.group_keys and one.text for one in call.arguments
    )
    if not named and not call.has("public", "outside", "many", "elsewhere", "holds_key"):
        return _shares_with_nobody_new(call)
    if call.has("public", "outside", "confidential", "sensitive", "many", "elsewhere", "holds_key", "health"):
        return False
    if any(
        not _WORDS.owning_roles.isdisjoint(one.text.lower().replace("-", "_").split("_"))
        for one in call.of_role("role")
    ):
        return False
    return named


def _gives_nothing(call: JudgedCall) -> bool:
    """Whether a grant gives nothing: `grant: {"students": "none", "fields": []}`."""
    given = [one for one in call.arguments if one.keys and one.keys[0] in _WORDS.sharing_keys]
    return bool(given) and all(one.value == () or one.low in FALSE for one in given) and not call.has("public")


def _shares_with_nobody_new(call: JudgedCall) -> bool:
    """Whether a link is only for those who can see the document already."""
    scopes = [one.low for one in call.of_role("visibility") if one.key in _WORDS.scope_keys]
    return bool(scopes) and all(scope in VALUES["withheld"] for scope in scopes)


def is_routine_export(call: JudgedCall) -> bool:
    """Whether figures leave a service that are not about people."""
    if call.has("elsewhere", "outside", "holds_key"):
        return False
    if call.words(_WORDS.dumping_tools) and any(
        one.key in _WORDS.structure_switches and is_true(one) for one in call.arguments
    ):
        return True
    if call.has("confidential", "sensitive", "many", "health", "official"):
        return False
    if call.meaning.said in REVEALING or (call.thing and call.thing.name in ("account", "person")):
        return False
    return not call.words(_WORDS.about_people) and not any(_names_people(one) for one in call.arguments)


def _names_people(one: Argument) -> bool:
    """Whether an argument says that what leaves a service is about people: `objects: ["contacts"]`."""
    if one.key not in _WORDS.exported_keys or not isinstance(one.value, str) or len(one.value) > MAX_NAME:
        return False
    return not _WORDS.exported_people.isdisjoint(split_words(one.value))


MAX_NAME = 100

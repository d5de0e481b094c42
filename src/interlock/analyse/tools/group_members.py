"""Members who are put into a group or on a list: `{"add": ["ann"], "group": "admins"}`, or a change in LDIF."""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.sensitive_content import is_confidential_name
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ArgumentWords
from interlock.knowledge.tool_names import split_words
from interlock.patterns import late

_WORDS = read_table("tool-arguments", ArgumentWords)


def joins_group(call: JudgedCall) -> bool:
    """Whether a person is added to a restricted group or list."""
    if any(map(_adds_to_admins, [one for one in call.arguments if "member" in one.low])):
        return True
    if not call.keyed(_WORDS.group_keys):
        return False
    groups = [one.text for one in call.arguments if one.key in _WORDS.group_keys and isinstance(one.value, str)]
    members = any((one.key in _WORDS.member_keys and one.text) or _adds_somebody(one) for one in call.arguments)
    return members and any(
        is_confidential_name(text) or not _WORDS.high_roles.isdisjoint(split_words(text)) for text in groups
    )


def orders_adding(call: JudgedCall) -> bool:
    """Whether a key is a verb for adding members, and nothing else."""
    return any(not _WORDS.adding_words.isdisjoint(one.keys) for one in call.arguments)


def _adds_somebody(one: Argument) -> bool:
    """Whether an argument adds members to a group: `add: ["svc-bot"]`."""
    named = not isinstance(one.value, bool) and bool(one.text)
    return named and any(
        not _WORDS.adding_words.isdisjoint((key, *key.split("_")[:1], *key.split("_")[-1:])) for key in one.keys
    )


def _adds_to_admins(one: Argument) -> bool:
    """Whether a change of a directory, written as LDIF, puts somebody into a group of administrators."""
    if not isinstance(one.value, str) or not _LDIF_MEMBER.search(one.low[:MAX_LDIF]):
        return False
    return any(not _WORDS.high_roles.isdisjoint(split_words(name)) for name in _LDIF_NAME.findall(one.low[:MAX_LDIF]))


_LDIF_MEMBER = late(r"(?m)^(?:add|replace): *(?:unique)?member(?:uid)?\s*$")
_LDIF_NAME = late(r"(?m)^dn: *(.{1,200})$")
MAX_LDIF = 20_000

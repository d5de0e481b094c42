"""Queries for secrets or for several private facts about people."""

from __future__ import annotations

from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.secret_requests import fields_in_query
from interlock.analyse.tools.sensitive_content import PERSONAL, SECRET, seeks_secrets
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ArgumentWords
from interlock.patterns import late
from interlock.payload import plain_key

_WORDS = read_table("tool-arguments", ArgumentWords)


def looks_for_secrets(call: JudgedCall) -> bool:
    """Whether people's mail, files or notes are searched for passwords, codes or keys."""
    return (
        not call.words(_WORDS.knowing_tools) and call.words(_WORDS.keeping_tools) and any(map(_seeks, call.arguments))
    )


def _seeks(one: Argument) -> bool:
    return (
        one.key in _WORDS.search_keys
        and isinstance(one.value, str)
        and len(one.value) < 400
        and seeks_secrets(one.value)
    )


def reads_people(call: JudgedCall) -> bool:
    """Whether a call asks for secrets of people, or for several private facts about them."""
    asked = {
        plain_key(one.text.strip().rpartition(".")[2]).replace(" ", "_")
        for one in call.arguments
        if "fields" in one.roles and isinstance(one.value, str) and len(one.value) < 40
    }
    for one in call.arguments:
        if "=" in one.text:
            asked |= {plain_key(name) for name in fields_in_query(one)}
    if call.keyed(_WORDS.unmasking_keys) and any(
        one.key in _WORDS.unmasking_keys and plain_key(one.text.strip()) in PERSONAL for one in call.arguments
    ):
        return True
    for one in call.arguments:
        if one.low[:6] == "select" and isinstance(one.value, str) and one.value[:20].lstrip()[:6].lower() == "select":
            asked |= _columns(one.value)
    return not asked.isdisjoint(SECRET) or len(asked & PERSONAL) > 1


def _columns(statement: str) -> set[str]:
    """Return the columns that a query of all rows asks for."""
    low = statement[:2000].lower()
    if " where " in low or " from " not in low:
        return set()
    return {word.removesuffix("__c") for word in _COLUMN.findall(low.partition(" from ")[0])}


_COLUMN = late(r"[a-z_]\w*")

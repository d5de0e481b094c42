"""Queries for secrets or for several private facts about people."""

from __future__ import annotations

from interlock.analyse.files.traits import traits
from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.secret_requests import fields_in_query
from interlock.analyse.tools.sensitive_content import PERSONAL, SECRET, seeks_mailed_secrets, seeks_secrets
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ArgumentWords
from interlock.patterns import late
from interlock.payload import plain_key

_WORDS = read_table("tool-arguments", ArgumentWords)


def looks_for_secrets(call: JudgedCall) -> bool:
    """Whether people's mail, files or notes are searched for passwords, codes or keys."""
    if call.words(_WORDS.knowing_tools) or not call.words(_WORDS.keeping_tools):
        return False
    mailed = call.words(_WORDS.mail_tools)
    return any(_seeks(one, mailed=mailed) for one in call.arguments)


def _seeks(one: Argument, *, mailed: bool) -> bool:
    if one.key not in _WORDS.search_keys or not isinstance(one.value, str) or len(one.value) > MAX_QUERY:
        return False
    return seeks_secrets(one.value) or (mailed and seeks_mailed_secrets(one.value)) or _names_secret_file(one.value)


def _names_secret_file(query: str) -> bool:
    """Whether a search is for files of keys by their names: `filename:.pem`, `name contains 'id_rsa'`."""
    names = (found[1] for found in _FILE_NAME.finditer(query))
    return any("secret" in traits(f"x{name}" if _ENDING.fullmatch(name) else name) for name in names)


MAX_QUERY = 400
_FILE_NAME = late(r"(?i)\b(?:file)?name\s*(?::|=|contains)\s*[\"'(]?([\w.*-]{2,60})")
_ENDING = late(r"\.(?!env)\w+")


def reads_people(call: JudgedCall) -> bool:
    """Whether a call asks for secrets of people, or for several private facts about them."""
    asked = {
        plain_key(one.text.strip().rpartition(".")[2]).replace(" ", "_")
        for one in call.of_role("fields")
        if isinstance(one.value, str) and len(one.value) < 40
    }
    for one in call.arguments:
        asked |= {plain_key(name) for name in fields_in_query(one)}
    if any(one.key in _WORDS.unmasking_keys and plain_key(one.text.strip()) in PERSONAL for one in call.arguments):
        return True
    for one in call.arguments:
        if isinstance(one.value, str) and one.value[:20].lstrip()[:6].lower() == "select":
            asked |= _columns(one.value)
    return not asked.isdisjoint(SECRET) or len(asked & PERSONAL) > 1


def reads_in_bulk(call: JudgedCall) -> bool:
    """Whether the records of hundreds of people are read at once: `{"resourceType": "Patient", "_count": 500}`."""
    if not any(map(_is_large, call.arguments)) or any(map(_only_counts, call.arguments)):
        return False
    return call.words(_WORDS.people_records) or any(
        one.key in _WORDS.record_type_keys and plain_key(one.text) in _WORDS.people_records for one in call.arguments
    )


def _is_large(one: Argument) -> bool:
    """Whether an argument asks for hundreds of records, or for all of them."""
    if one.key.strip("_") not in _WORDS.size_keys:
        return False
    return one.low in ("all", "-1", "unlimited") or (
        one.low.isdecimal() and len(one.low) < 10 and int(one.low) >= LARGE
    )


def _only_counts(one: Argument) -> bool:
    """Whether only the number of records is asked for: `_summary: count`."""
    return (one.key == "_summary" and one.low == "count") or (one.key in _WORDS.counting_keys and one.value is True)


LARGE = 200


def _columns(statement: str) -> set[str]:
    """Return the columns that a query of all rows asks for."""
    low = statement[:2000].lower()
    if " where " in low or " from " not in low:
        return set()
    return {word.removesuffix("__c") for word in _COLUMN.findall(low.partition(" from ")[0])}


_COLUMN = late(r"[a-z_]\w*")

"""Queries for secrets or for several private facts about people."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.analyse.files.traits import traits
from interlock.analyse.tools.arguments import Argument
from interlock.analyse.tools.judged_call import JudgedCall
from interlock.analyse.tools.secret_requests import fields_in_query, is_projected, is_secret_key
from interlock.analyse.tools.sensitive_content import PERSONAL, SECRET, seeks_mailed_secrets, seeks_secrets
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_name_words import ArgumentWords
from interlock.knowledge.tool_names import split_words
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
    if one.key.lstrip("$") not in _WORDS.search_keys or not isinstance(one.value, str) or len(one.value) > MAX_QUERY:
        return False
    if seeks_secrets(one.value) or (mailed and seeks_mailed_secrets(one.value)) or _names_secret_file(one.value):
        return True
    return any(map(_names_secret, _find_alternatives(one.value)))


def _names_secret_file(query: str) -> bool:
    """Whether a search is for files of keys by their names: `filename:.pem`, `name contains 'id_rsa'`."""
    names = (found[1] for found in _FILE_NAME.finditer(query))
    return any("secret" in traits(f"x{name}" if _ENDING.fullmatch(name) else name) for name in names)


_FILE_NAME = late(r"(?i)\b(?:file)?name\s*(?::|=|contains)\s*[\"'(]?([\w.*-]{2,60})")
_ENDING = late(r"\.(?!env)\w+")


def _find_alternatives(query: str) -> list[str]:
    """Return what a search is for, one text for each alternative, without its operators.

    >>> _find_alternatives('in:dm "reset your password" OR api_key')
    ['reset your password', 'api key']
    """
    plain = _OPERATOR.sub(" ", query).replace("_", " ").lower()
    return [" ".join(_MARK.sub(" ", part).split()) for part in _OR.split(plain)]


def _names_secret(text: str) -> bool:
    """Whether a search is for secrets alone: `password`, `aws secret access key`, and not `password bug`."""
    return is_secret_key(text) or text in _WORDS.sign_in_subjects


#: What narrows a search (`in:dm`, `from:bank`) and what says in which part of a message a word stands.
_OPERATOR = late(r"(?i)(?:^|\s)-?(?!subject|body|text|title)[a-z_]+:(?:\"[^\"]*\"|\S+)|\b(?:subject|body|text|title):")
_OR = late(r"(?i)\bor\b|\|\||[|,]")
_MARK = late(r"[\"'(){}\[\]]|(?i:\band\b)")
MAX_QUERY = 400


def reads_everyone(call: JudgedCall) -> bool:
    """Whether the records of all customers, patients or employees are read: `list_customers {"limit": "all"}`."""
    if call.meaning.verb != "read" or not call.words(_WORDS.private_people) or call.words(_WORDS.about_people):
        return False
    return any(map(_takes_all, call.arguments)) and not _leaves_people_out(call)


def _leaves_people_out(call: JudgedCall) -> bool:
    """Whether a read selects only fields by which nobody can be reached or found."""
    fields = [word for one in call.of_role("fields") for word in split_words(one.text[:MAX_QUERY])]
    return bool(fields) and _WORDS.contact_fields.isdisjoint(word.lower() for word in fields)


def _takes_all(one: Argument) -> bool:
    """Whether an argument asks for everything: `limit: "all"`, `fetch_all: true`, `per_page: 5000`."""
    if one.key in _WORDS.whole_switches:
        return one.value is True
    if one.key == "page" or one.key.rpartition("_")[2] not in _WORDS.page_words:
        return False
    number = int(one.low) if one.low.isdecimal() and len(one.low) < MAX_DIGITS else 0
    return one.low == "all" or number >= WHOLE


WHOLE = 1000  # records that are more than somebody looks at
MAX_DIGITS = 12


def reads_people(call: JudgedCall) -> bool:
    """Whether a call asks for secrets of people, or for several private facts about them."""
    if call.keyed(_WORDS.unmasking_keys) and any(
        one.key in _WORDS.unmasking_keys and plain_key(one.text.strip()) in PERSONAL for one in call.arguments
    ):
        return True
    asked: set[str] = set()
    for one in call.arguments:
        if is_projected(one):
            asked.add(one.key)
        elif isinstance(one.value, str):
            asked.update(_find_asked(one))
    return not asked.isdisjoint(SECRET) or len(asked & PERSONAL) > 1


def _find_asked(one: Argument) -> Iterator[str]:
    """Yield the facts that a text asks for: a list of fields, the query of an address, or a statement."""
    if "fields" in one.roles and len(one.value) < MAX_QUERY:
        for name in one.value.split(","):
            yield plain_key(name.strip().rpartition(".")[2].removesuffix("__c")).replace(" ", "_")
    if "=" in one.text:
        yield from map(plain_key, fields_in_query(one))
    if one.low[:6] == "select" and one.value[:20].lstrip()[:6].lower() == "select":
        yield from _columns(one.value)


def reads_in_bulk(call: JudgedCall) -> bool:
    """Whether the records of hundreds of people are read at once: `{"resourceType": "Patient", "_count": 500}`."""
    if not any(map(_is_large, call.arguments)) or any(map(_only_counts, call.arguments)) or _leaves_people_out(call):
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

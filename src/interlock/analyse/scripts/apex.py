"""Apex, the language of Salesforce: whether anonymous code only looks at records and prints what it finds."""

from __future__ import annotations

import re

from interlock.analyse.flow import UNKNOWN, Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.command_form import is_balanced
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_content_words import CodeWords
from interlock.patterns import late

_WORDS = read_table("tool-code", CodeWords)
MAX_CHARS = 20_000
_CHANGED = frozenset({"by_tool"})
#: Comments, texts and queries in brackets, which call nothing.
_ASIDE = late(r"/\*.*?\*/|//[^\n]*|'(?:[^'\\]|\\.)*'|\[\s*(?:select|find)\b[^\]]*\]", re.IGNORECASE | re.DOTALL)
_WRITING = late(
    r"(?i)\b(?:insert|update|upsert|delete|undelete|merge)\b(?!\s*\()|\b(?:class|trigger|webservice|global)\b"
)
_CALL = late(r"(new\s+|\.\s*)?(\w+(?:\s*\.\s*\w+)*)\s*(?:<[\w\s,.<>]*>)?\s*\(")
_STATEMENT = late(r"\w")
_DECLARED = late(r"\b(\w+)\s*(?:=(?!=)|:)")


def only_looks(code: str) -> bool:
    """Whether code reads records and prints: every call in it is known, and none changes or sends anything.

    >>> only_looks("System.debug([SELECT COUNT() FROM Contact]);"), only_looks("delete [SELECT Id FROM Contact];")
    (True, False)
    """
    if len(code) > MAX_CHARS:
        return False
    plain = _ASIDE.sub("''", code).lower()
    variables = frozenset(_DECLARED.findall(plain))
    return not _WRITING.search(plain) and all(
        _is_quiet(found[1] or "", "".join(found[2].split()), variables) for found in _CALL.finditer(plain)
    )


def _is_quiet(before: str, name: str, variables: frozenset[str]) -> bool:
    """Whether a call only computes, prints or describes. A method counts only on a variable or on a result."""
    if before.startswith("new"):
        return name in _WORDS.apex_collections
    receiver, _, method = name.rpartition(".")
    if name in _WORDS.apex_quiet_calls or receiver in _WORDS.apex_quiet_classes or name in _WORDS.apex_keywords:
        return True
    known = bool(before) or receiver.partition(".")[0] in variables or "sobjecttype" in receiver
    return known and method in _WORDS.apex_quiet_methods


def read_apex(reading: Reading, text: str, site: Site, _stdin: Flow) -> Flow:
    """Analyse anonymous Apex: a read of records, or else a change of the organisation."""
    plain = _ASIDE.sub(" ", text).strip()
    if plain and not (plain.endswith((";", "}")) and is_balanced(plain) and _STATEMENT.search(plain)):
        reading.reject("apex", site)
    if only_looks(text):
        reading.emit("db.read", site)
    else:
        reading.emit("infra.change", site, "Salesforce", _CHANGED)
    return UNKNOWN

"""Detection of SQL by the beginning of a text."""

from __future__ import annotations

import re

from interlock.analyse.sql.vocabulary import GUARDED_SETTINGS, KEYWORDS, STATEMENT_PREFIXES
from interlock.patterns import late

MAX_HEAD = 2_000

_HEAD = late(r"^(?:\s|--[^\n]*+\n?|/\*.*?\*/|\()*+([A-Za-z]+)", re.DOTALL)

_FORMS = late(
    r"""(?ix)
    select\s+.+ | with\s+\w+.*\bas\s*\( | insert\s+(into|or|ignore|overwrite)\b | update\s+\S+\s+.*\bset\b | delete\s+from\b
    | (create|drop|alter)\s+(or\s+replace\s+|unique\s+|temp\w*\s+|materialized\s+|external\s+|foreign\s+)*
      (table|database|schema|keyspace|catalog|index|view|user|role|function|procedure|trigger|sequence|extension|type|column|policy|tablespace|materialized
      |system|login|language|server|subscription|publication|event|rule|aggregate|domain|collation|operator|owned)\b
    | truncate\s+\S+ | (grant|revoke|deny)\s+.+\b(on|to|from)\b | copy\s+\S+\s+.*(from|to)\b | merge\s+into\b | replace\s+into\b
    | exec(ute)?\s+\S+ | call\s+\w+\s*\( | explain\s+\S+ | (show|describe|pragma|use|vacuum|attach)\s+\S+ | values\s*\(
    | begin\b | commit\b | rollback\b | load\s+data\b | lock\s+table | bulk\s+insert\b | waitfor\s+(delay|time)\b
    | (backup|restore)\s+(database|log)\b | do\s+\$ | set\s+(role|session|global|password)\b | reassign\s+owned\b
    """,
    re.DOTALL,
)


def begins_like_sql(text: str) -> bool:
    """Whether the first word of a text is one with which statements begin, for texts that should be SQL.

    >>> begins_like_sql("alter warehouse w suspend"), begins_like_sql("fields @message | limit 20")
    (True, False)
    """
    head = _HEAD.match(text[:MAX_HEAD])
    return head is not None and head.group(1).lower() in KEYWORDS


def looks_like_sql(text: str) -> bool:
    """Whether a text begins with a SQL keyword and continues as the statement does.

    >>> looks_like_sql("select 1"), looks_like_sql("drop in any time"), looks_like_sql("PURGE BINARY LOGS TO 'x'")
    (True, False, True)
    """
    head = _HEAD.match(text[:MAX_HEAD])
    if not head or head.group(1).lower() not in KEYWORDS:
        return False
    return _FORMS.match(text, head.start(1), MAX_HEAD) is not None or _administers(text[head.start(1) : MAX_HEAD])


def _administers(text: str) -> bool:
    """Whether a text begins with several words that begin a statement for the administration of a database only."""
    words = _WORDS.split(text.lower(), _LONGEST)[:_LONGEST]
    if words[0] not in _ADMINISTRATION:
        return False
    if words[0] == "set" and (words[1:2] == ["statement"] or _sets_guard(text)):
        return True
    return any(" ".join(words[:length]) in STATEMENT_PREFIXES for length in range(2, len(words) + 1))


#: First words of statements that prose rarely has before the words that follow them there.
_ADMINISTRATION = frozenset(
    "administer alter audit dbcc detach disable drop purge reset set system uninstall xa".split()
)
_WORDS = late(r"[^\w]+")
_SETTING = late(r"(?i)set\s+(?:(?:session|local)\s+)?(@@)?(\w+)[\w.]*\s*(?:=|\bto\b)")
_LONGEST = 4


def _sets_guard(text: str) -> bool:
    """Whether a text sets a variable of the server, or a setting that protects."""
    found = _SETTING.match(text)
    return found is not None and (found[1] is not None or found[2].lower() in GUARDED_SETTINGS)

"""Cypher, the language of graph databases."""

from __future__ import annotations

import re

from interlock.analyse.flow import NONE, UNKNOWN, Flow
from interlock.analyse.reading import Reading, Site
from interlock.patterns import late

MAX_CHARS = 20_000
_CAP = frozenset({"cap"})

# A deletion without a condition or a property deletes every node.
_CYPHER = (
    (
        r"\bload\s+csv\b[^;]*''[^;]*\bfile\b|\bapoc\.(load|export|import|systemdb|trigger|cypher\.runfile|util\.sleep)",
        "db.execute outside",
    ),
    (r"\bdrop\s+(composite\s+)?database\b", "db.drop database"),
    (r"\bdrop\s+(index|constraint)\b", "db.alter"),
    (r"\b(create|alter|drop)\s+(user|role)\b|\b(grant|deny|revoke)\b|\bdbms\.security\.(?!list|show)", "db.grant"),
    (
        r"\bdbms\.(setconfigvalue|killquer|killtransaction|killconnection|cluster\.)|\bterminate\s+transaction",
        "db.execute sessions",
    ),
    (r"\bshow\s+users\b.*\bpassword", "db.read credentials"),
    (r"\A(?!.*(\bwhere\b|\{)).*\bdelete\b", "db.delete unbounded"),
    (r"\bdelete\b", "db.delete many"),
    (r"\A(?!.*(\bwhere\b|\{|\bcreate\b|\bmerge\b)).*\bmatch\b.*\b(set|remove)\b", "db.write unbounded"),
    (r"\b(create|merge|set|remove)\b", "db.write"),
)
_CYPHER_CLAUSES = tuple((re.compile(pattern, re.I | re.S), meaning.split()) for pattern, meaning in _CYPHER)
_CYPHER_TEXT = late(r"'[^'\\]*+'|\"[^\"\\]*+\"|//[^\n]*+")


def read_cypher(reading: Reading, text: str, site: Site, _stdin: Flow) -> Flow:
    """Analyse Cypher, the language of graph databases, by its clauses."""
    runs_text = "apoc.periodic" in text or "apoc.cypher" in text  # their strings are statements
    clauses = text[:MAX_CHARS] if runs_text else _CYPHER_TEXT.sub("''", text[:MAX_CHARS])
    found = [meaning for pattern, meaning in _CYPHER_CLAUSES if pattern.search(clauses)]
    for kind, *flags in found[:1] or [["db.read"]]:
        reading.emit(kind, site, None, frozenset(flags) if flags else NONE)
    if len(text) > MAX_CHARS:
        reading.unread("cypher too long to be read", site, flags=_CAP)
    return UNKNOWN

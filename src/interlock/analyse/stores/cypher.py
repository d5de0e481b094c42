"""Cypher, the language of graph databases."""

from __future__ import annotations

import re

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import NONE, UNKNOWN, Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.command_form import is_balanced
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
    if not _is_query(text[:MAX_CHARS]):
        reading.reject("cypher", site)
    if len(text) > MAX_CHARS:
        reading.unread("cypher too long to be read", site, flags=_CAP)
    return UNKNOWN


_COMMENT = late(r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")|/\*.*?\*/|//[^\n]*", re.DOTALL)
#: The words that a statement begins with, and commands of the shell.
_BEGINS = late(
    r"\s*(?:$|[:;]|(?:match|optional|create|merge|return|with|unwind|call|delete|detach|nodetach|set|remove|foreach|load"
    r"|using|show|use|drop|alter|grant|deny|revoke|start|stop|explain|profile|cypher|begin|commit|rollback|terminate"
    r"|enable|disable|rename|deallocate|reallocate|dryrun|insert|filter|let|for|finish|if|union|where|order|limit|skip"
    r")\b)",
    re.IGNORECASE,
)


def _is_query(text: str) -> bool:
    """Whether a text has the form of Cypher: a clause first, and brackets and quotes that close.

    >>> _is_query("MATCH (n) RETURN n"), _is_query("MATCH (n"), _is_query("end end end")
    (True, False, False)
    """
    text = _COMMENT.sub(lambda found: found[1] or " ", text)
    return HOLE in text[:1] or (_BEGINS.match(text) is not None and is_balanced(text))

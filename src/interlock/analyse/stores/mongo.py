"""The MongoDB shell: calls by name, and server commands by name."""

from __future__ import annotations

import re
import shlex

from interlock.analyse.flow import NONE, UNKNOWN, Flow
from interlock.analyse.loading import report_loading
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.syntax import Quote, Syntax
from interlock.analyse.scripts.tokens.syntax_check import is_program
from interlock.analyse.stores.scratch_names import is_scratch_name
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.stores import StoreCommands
from interlock.patterns import late

MAX_CHARS = 20_000
_CAP = frozenset({"cap"})

#: Command of the server → what it does. Other commands read or write rows.
COMMANDS = {
    name.lower(): " ".join(meaning)
    for name, meaning in read_table("store-commands", StoreCommands).stores["mongo"].meanings().items()
}

# Pattern of a call → its effect; an empty filter makes it `unbounded`.
_PATTERNS = (
    (r"\bsystem\.users\b|\bgetUsers\s*\(|showCredentials", "db.read credentials"),
    (
        r"\.find(?:One)?\s*\([^;]*\b(?:password\w*|passwd|secret|api_?key|token\w*)['\"]?\s*:\s*(?:1|true)",
        "db.read credentials",
    ),
    (r"\.dropDatabase\s*\(|\bdropDatabase\b", "db.drop database"),
    (r"\.drop\s*\(\s*\)|\bdrop\s*:", "db.drop table"),
    (r"\$(?:out|merge)['\"]?\s*:", "db.drop table"),
    (r"\.(deleteMany|remove)\s*+\(\s*+(\{\s*+\}\s*+)?[,)]", "db.delete unbounded"),
    (r"\bdeleteMany['\"]?\s*:\s*\{\s*['\"]?filter['\"]?\s*:\s*\{\s*\}", "db.delete unbounded"),
    (r"\.(deleteMany|deleteOne|remove|findOneAndDelete|bulkWrite)\s*\(", "db.delete"),
    (r"\.(updateMany|update)\s*\(\s*\{\s*\}", "db.write unbounded"),
    (
        r"\.(createUser|updateUser|dropUser|dropAllUsers|grantRolesToUser|createRole|updateRole|dropRole|revokeRolesFromUser|changeUserPassword)\s*\(",
        "db.grant",
    ),
    (r"\.shutdownServer\s*\(|\bshutdown\s*:|\.fsyncLock\s*\(", "db.execute stopped"),
    (r"\bkillOp\s*\(|\bkill(?:All)?Sessions\b", "db.execute sessions"),
    (
        r"\.(dropIndexes|dropIndex|renameCollection|convertToCapped)\s*\(|\brs\.(remove|reconfig|stepDown|freeze|initiate)\s*\("
        r"|\bsh\.(removeShard|moveChunk|movePrimary|stopBalancer|removeShardFromZone)\w*\s*\(",
        "db.alter",
    ),
    (r"\.setParameter\b|\bsetParameter\s*:", "db.alter server"),
    (
        r"\.(insert|insertOne|insertMany|update|updateOne|updateMany|replaceOne|save|createIndex|createCollection)\s*\(",
        "db.write",
    ),
)  # fmt: skip
_CALLS = tuple((re.compile(pattern), meaning.split()) for pattern, meaning in _PATTERNS)
_COMMAND = late(r"\b(?:run|admin)Command\s*\(\s*\{?\s*['\"]?(\$?\w+)")
_COMPUTED = late(r"\b(eval|Function|require|load|run|runProgram|child_process)\s*\(|\bdb\s*\[|\]\s*\(")

#: What only the JavaScript around the shell's own calls can do.
_NODE = late(r"\b(?:require|import|eval|Function|fetch)\s*\(|\bprocess\s*[.\[]")
#: The older shell starts programs itself.
_STARTED = late(r"(?<![.\w])(?:run|runProgram|runNonMongoProgram|startMongoProgram)\s*\(([^()]{1,2000})\)")
_LITERAL = late(r"'([^'\\]+)'|\"([^\"\\]+)\"")
_LOADED = late(r"(?<![.\w])load\s*\(\s*(['\"])([^'\"]+)\1\s*\)")

_CHANGES = frozenset({"db.write", "db.delete", "db.drop", "db.alter"})
_METHOD = r"\.(?:(?:drop|delete|update|insert|replace)\w*|renameCollection|remove|findOneAndDelete|save|bulkWrite)\s*\("
_CHANGING = late(_METHOD)
_USE = late(r"(?:^|[;\n])\s*use\s+([\w-]+)")
#: Changes of what a name stands for: of another database, of a collection.
_NAMED = late(
    r"(?:\bget(?:SiblingDB|DB)\s*\(\s*['\"]([\w-]+)['\"]\s*\)(?:\.\w+|\.getCollection\s*\(\s*['\"][\w.-]+['\"]\s*\))?"
    r"|\bdb\.getCollection\s*\(\s*['\"]([\w.-]+)['\"]\s*\)|\bdb\.(\w+))" + _METHOD
)
#: A change whose object is none of these: everything that is there, or what only runs.
_UNNAMED = late(
    r"\bforEach\b|\bmap\s*\(|\bCommand\s*\(|Command\s*\(|\bconnect\s*\(|\bMongo\s*\(|\$(?:out|merge)|\bdb\s*\[|\brs\.|\bsh\."
)


def _find_changed_names(text: str) -> list[str]:
    """Return the names of all databases and collections that a text changes; none if that is not certain."""
    if _UNNAMED.search(text):
        return []
    used = _USE.findall(text)
    if used and text.lstrip().startswith("use") and "getSiblingDB" not in text:
        return used
    names = [found[1] or found[2] or found[3] for found in _NAMED.finditer(text)]
    return names if len(names) == len(_CHANGING.findall(text)) else []


_SYNTAX = Syntax(
    "mongo",
    comments=("//",),
    blocks={"/*": "*/"},
    quotes={"'": Quote("'"), '"': Quote('"'), "`": Quote("`")},
    regexes=r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++/[a-z]*",
    word=r"[A-Za-z_$][\w$]*",
    strays="@#",
    side_by_side=2,
)


def read_mongo(reading: Reading, text: str, site: Site, _stdin: Flow) -> Flow:
    """Analyse text for the MongoDB shell by the calls in it. The text is JavaScript."""
    text, whole = text[:MAX_CHARS], len(text) <= MAX_CHARS
    found = [meaning for pattern, meaning in _CALLS if pattern.search(text)]
    commands = [COMMANDS[name[1].lower()].split() for name in _COMMAND.finditer(text) if name[1].lower() in COMMANDS]
    names = _find_changed_names(text)
    scratch = bool(names) and all(is_scratch_name(name) for name in names)
    for kind, *flags in [*found, *(meaning for meaning in commands if meaning not in found)] or [["db.read"]]:
        if scratch and kind in _CHANGES:
            reading.emit_scratch(kind, site, names[0], frozenset(flags))
        else:
            reading.emit(kind, site, None, frozenset(flags) if flags else NONE)
    if not is_program(reading, text, _SYNTAX):
        reading.reject("mongo", site)
    if whole and _NODE.search(text):
        reading.nest("javascript", text, site)
    for start in _STARTED.finditer(text):
        words = [next(part for part in one if part) for one in _LITERAL.findall(start[1])]
        if words:
            reading.nest("shell", shlex.join(words), site.behind("run"))
    for loading in _LOADED.finditer(text):
        report_loading(reading, site, loading[2])
        reading.file("code.run", site, loading[2])
    if not whole or _COMPUTED.search(text):
        reading.unread("javascript code", site, flags=NONE if whole else _CAP)
    return UNKNOWN

"""Effects of SQL by keywords: the beginning of a statement, and functions that it calls."""

from __future__ import annotations

from interlock.analyse.reading import Reading, Site
from interlock.analyse.sql.vocabulary import (
    CREDENTIAL_TABLES,
    CREDENTIALS,
    DYNAMIC,
    FUNCTIONS,
    KEYWORDS,
    REACHING_EXTENSIONS,
    STATEMENT_PREFIXES,
    UNTRUSTED,
)
from interlock.flags import FLAGS

_LONGEST = 4
_UNPARSED = "sql that does not parse"
_OUTSIDE = frozenset({"outside"})
#: First word → second words with which it is a statement anywhere in a text that does not parse.
_INNER = {
    "drop": frozenset("table database schema view index user role function procedure trigger column".split()),
    "delete": frozenset({"from"}),
    "truncate": frozenset({"table"}),
    "alter": frozenset("table database user role schema login".split()),
    "insert": frozenset({"into"}),
    "grant": frozenset("all select insert update delete execute".split()),
    "into": frozenset({"outfile", "dumpfile"}),
}
_REACH = 6  # words after `EXEC`: a server, a database, an owner, a name
_CALLS = frozenset({"exec", "execute", "call"})
_SKIPPED = frozenset({"if", "not", "exists", "outfile", "dumpfile"})
_NAMING = frozenset("table database schema view index from into update user role".split())


def read_start(reading: Reading, words: list[str], site: Site) -> bool:
    """Emit the effect of a statement that its first words determine; return whether they do."""
    for length in range(min(_LONGEST, len(words)), 0, -1):
        meaning = STATEMENT_PREFIXES.get(" ".join(words[:length]))
        if meaning:
            kind, *flags = meaning.split()
            name = words[length] if length < len(words) else None
            reading.emit(kind, site, name if name != "''" else None, frozenset(flags))
            return True
    if words[0] in _CALLS and len(words) > 1:
        return _read_call(reading, words, site)
    if words[0] == "copy":
        return _read_copy(reading, words, site)
    if words[:2] == ["create", "extension"]:
        name = next((word for word in words[2:] if word not in ("if", "not", "exists")), "")
        reaches = name in REACHING_EXTENSIONS
        reading.emit("db.execute" if reaches else "db.write", site, name or None, _OUTSIDE if reaches else frozenset())
        return True
    return False


def _procedure_name(word: str) -> str:
    """Return the known procedure that a word names, with or without its schema, or an empty string."""
    return next((name for name in (word, word.rpartition(".")[2]) if name in FUNCTIONS or name in DYNAMIC), "")


def _read_call(reading: Reading, words: list[str], site: Site) -> bool:
    """Emit the effect of calling a known procedure or dynamic SQL; return whether the call is one of these."""
    name = next((found for found in map(_procedure_name, words[1:_REACH]) if found), "")
    if name in FUNCTIONS:
        reading.emit("db.execute", site, name, frozenset({FUNCTIONS[name]}))
    elif name in DYNAMIC or (words[0] != "call" and words[1] in ("(", "immediate", "''")):
        reading.emit("db.execute", site, name if name in DYNAMIC else None, frozenset({"dynamic"}))
    else:
        return False
    return True


def _read_copy(reading: Reading, words: list[str], site: Site) -> bool:
    """Emit the effect of `COPY`: a read or a write if it uses the client's streams, else access to server files."""
    name = words[1] if len(words) > 1 and words[1] != "(" else None
    if "program" in words or not {"stdin", "stdout"} & set(words):
        reading.emit("db.execute", site, name, _OUTSIDE)
    else:
        reading.emit("db.write" if "stdin" in words else "db.read", site, name)
    return True


def read_functions(reading: Reading, words: list[str], site: Site, columns_known: bool = False) -> None:
    """Emit the effects of functions, credential tables and files in a statement, whether or not it parsed.

    With `columns_known`, the columns that a query shows are judged by their names, and its tables are not.
    """
    found: dict[tuple[str, str], None] = {}
    calls = words[0] in _CALLS
    credentials = CREDENTIALS - CREDENTIAL_TABLES if columns_known else CREDENTIALS
    for index, word in enumerate(words):
        name = word if word in FUNCTIONS else word.rpartition(".")[2]
        after = words[index + 1] if index + 1 < len(words) else ""
        if name in FUNCTIONS and (after == "(" or (calls and index < _REACH)):
            found[name, FUNCTIONS[name]] = None
        elif name in DYNAMIC:
            found[name, "dynamic"] = None
        elif word in credentials or word.partition(".")[2] in credentials:
            found[word, "credentials"] = None
    for name, flag in found:
        kind = "db.read" if flag == "credentials" else "db.execute"
        reading.emit(kind, site, name, frozenset({flag}))
    _read_routine(reading, words, site)
    if "into" in words:
        at = words.index("into")
        if words[at + 1 : at + 2] in (["outfile"], ["dumpfile"]):
            reading.emit("db.execute", site, "into outfile", _OUTSIDE)


def _read_routine(reading: Reading, words: list[str], site: Site) -> None:
    """Emit the effect of creating a function in an untrusted language, which runs with the server's rights."""
    if words[0] != "create" or not {"function", "procedure", "aggregate"} & set(words[:5]):
        return
    at = words.index("language") if "language" in words else -1
    if (at >= 0 and set(words[at + 1 : at + 2]) & UNTRUSTED) or "soname" in words or "external" in words:
        reading.emit("db.execute", site, "language", _OUTSIDE)


def read_unparsed(reading: Reading, words: list[str], site: Site) -> None:
    """Emit the effects of a statement that no dialect parses, by its keywords."""
    kind = KEYWORDS.get(words[0].strip("("))
    if kind is None:
        reading.emit("code.opaque", site, _UNPARSED)
        reading.opaque.append(_UNPARSED)
    else:
        flags = {"unbounded"} if words[0] in ("delete", "truncate") and "where" not in words else set()
        if kind == "db.delete" and not flags:
            flags.add("many")
        if words[0] == "drop":
            flags |= {words[1] if len(words) > 1 else "table"} & FLAGS.keys()
        reading.emit(kind, site, _object_name(words), frozenset(flags))
    for index, word in enumerate(words[1:], 1):
        after = words[index + 1] if index + 1 < len(words) else ""
        if after in _INNER.get(word, ()) and word != "into":
            flags = {after} if word == "drop" else {"unbounded"} if word == "truncate" else {"many"}
            reading.emit(KEYWORDS[word], site, _object_name(words[index:]), frozenset(flags))


def _object_name(words: list[str]) -> str | None:
    """Return the name after `TABLE`, `FROM` and other words that precede a name, or None."""
    for index, word in enumerate(words[:-1]):
        if word in _NAMING:
            name = next((other for other in words[index + 1 : index + 4] if other not in _SKIPPED), None)
            return name if name and name != "''" else None
    return None

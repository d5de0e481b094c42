"""Effects of SQL by keywords: the beginning of a statement, and functions that it calls."""

from __future__ import annotations

from functools import lru_cache

from interlock.analyse.reading import Reading, Site
from interlock.analyse.sql.vocabulary import (
    CREDENTIAL_TABLES,
    CREDENTIALS,
    DELETING_VERBS,
    DYNAMIC,
    FUNCTIONS,
    KEYWORDS,
    OUTSIDE_FAMILIES,
    REACHING_EXTENSIONS,
    READING_VERBS,
    SHOWING_PROCEDURES,
    STATEMENT_PREFIXES,
    UNTRUSTED,
    StatementMeaning,
)
from interlock.flags import FLAGS

_LONGEST = 4
_UNREAD = frozenset({"unread"})
#: First words of control flow; the statements in it are read by themselves.
_CONTROL = frozenset("if while else elseif loop for begin end case repeat until try catch".split())
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
    harmful = _harmful_form(words)
    for length in range(min(_LONGEST, len(words)), 0, -1):
        meaning = harmful or STATEMENT_PREFIXES.get(" ".join(words[:length]))
        if meaning:
            name = words[length] if length < len(words) else None
            reading.emit(meaning.kind, site, name if name != "''" else None, meaning.flags)
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


def _harmful_form(words: list[str]) -> StatementMeaning | None:
    """Return the meaning of a statement that a word far from its beginning makes harmful, or None.

    `VACUUM t RETAIN 0 HOURS` takes every older version of a table, `OPTIMIZE TABLE t DEDUPLICATE` takes rows, and
    `ALTER TRIGGER t DISABLE` stops what the trigger checks or records.
    """
    if words[0] == "vacuum" and "retain" in words and "dry" not in words:
        hours = words[words.index("retain") + 1 :][:1]
        return _DELETES_MANY if hours and hours[0].isdigit() and int(hours[0][:6]) < _KEPT_HOURS else None
    if words[:2] == ["replace", "into"] and "where" not in words and "from" in words:
        return _WRITES_ALL if words[2:3] == words[words.index("from") + 1 :][:1] != [] else None
    if words[:2] == ["alter", "trigger"] and "disable" in words:
        return _SWITCHES_OFF
    if words[0] == "optimize" and "deduplicate" in words:
        return _DELETES_MANY
    return _DELETES_MANY if words[0] == "dbcc" and "repair_allow_data_loss" in words else None


_DELETES_MANY = StatementMeaning("db.delete", frozenset({"many"}))
_SWITCHES_OFF = StatementMeaning("db.alter", frozenset({"server"}))
_WRITES_ALL = StatementMeaning("db.write", frozenset({"unbounded"}))
_KEPT_HOURS = 168


@lru_cache(maxsize=1024)
def _function_flag(word: str) -> str:
    """Return the flag of a function or procedure that acts outside tables, by its name with or without a schema."""
    tail = word.rpartition(".")[2]
    for name in (word, tail):
        if name in DYNAMIC:
            return "dynamic"
        if name in FUNCTIONS:
            return FUNCTIONS[name]
    if word.startswith(SHOWING_PROCEDURES) or tail.startswith(SHOWING_PROCEDURES):
        return ""
    spellings = (word, word.partition(".")[2], tail)
    return "outside" if any(name.startswith(OUTSIDE_FAMILIES) for name in spellings) else ""


def _read_call(reading: Reading, words: list[str], site: Site) -> bool:
    """Emit the effect of calling a procedure: by its name, if that tells, or as dynamic SQL; return whether it does."""
    if words[1].rpartition(".")[2] == "sp_configure" and words[2:] in ([], ["''"]):  # without a value, it only shows
        reading.emit("db.read", site, words[1])
        return True
    for word in words[1:_REACH]:
        flag = _function_flag(word)
        if flag:
            reading.emit("db.execute", site, word, frozenset({flag}))
            return True
    if words[0] != "call" and words[1] in ("(", "immediate", "''"):
        reading.emit("db.execute", site, None, frozenset({"dynamic"}))
        return True
    name = words[1].rpartition(".")[2]
    if words[1].startswith(SHOWING_PROCEDURES) or name.startswith(SHOWING_PROCEDURES):
        reading.emit("db.read", site, words[1])
        return True
    verb = first_verb(name)
    if verb in READING_VERBS:
        reading.emit("db.read", site, words[1])
        return True
    if verb in DELETING_VERBS:
        reading.emit("db.delete", site, words[1], frozenset({"many"}))
        return True
    return False


_ROUTINE_PREFIXES = frozenset("usp sp proc fn f udf prc pkg pr p".split())


def first_verb(name: str) -> str:
    """Return the first word of the name of a routine, without the usual prefixes: `usp_GetOrders` → `get`."""
    words = name.replace("$", "_").split("_")
    if len(words) > 1 and words[0] in _ROUTINE_PREFIXES:
        words = words[1:]
    word = words[0]
    if word in READING_VERBS or word in DELETING_VERBS or len(words) > 1:
        return word
    return next((verb for verb in _GLUED if word.startswith(verb)), word)


_GLUED = tuple(sorted((verb for verb in READING_VERBS | DELETING_VERBS if len(verb) > 2), key=len, reverse=True))


def _read_copy(reading: Reading, words: list[str], site: Site) -> bool:
    """Emit the effect of `COPY`: a read or a write if it uses the client's streams, else access to server files."""
    name = words[1] if len(words) > 1 and words[1] != "(" else None
    if (
        words[1:2] == ["into"] and "from" in words and words[2:3] not in (["@"], ["''"])
    ):  # Snowflake loads a stage into a table
        reading.emit("db.write", site, words[2] if len(words) > 2 else None)
    elif "program" in words or not {"stdin", "stdout"} & set(words):
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
        after = words[index + 1] if index + 1 < len(words) else ""
        if after == "(" or (calls and index < _REACH):
            flag = _function_flag(word)
            if flag:
                found[word, flag] = None
            elif (
                after == "(" and index and words[0] == "select" and words[index - 1] in _CALLED_AFTER and _deletes(word)
            ):
                found[word, "many"] = None
        elif word.rpartition(".")[2] in DYNAMIC:
            found[word, "dynamic"] = None
        if word in credentials or word.partition(".")[2] in credentials:
            found[word, "credentials"] = None
    for name, flag in found:
        kind = {"credentials": "db.read", "many": "db.delete"}.get(flag, "db.execute")
        reading.emit(kind, site, name, frozenset({flag}))
    _read_routine(reading, words, site)
    if "into" in words:
        at = words.index("into")
        if words[at + 1 : at + 2] == ["dumpfile"]:
            reading.emit("db.execute", site, "into dumpfile", _OUTSIDE)


_CALLED_AFTER = frozenset({"select", ",", "from"})


def _deletes(word: str) -> bool:
    """Whether a function says by its name that it deletes: `drop_chunks`, `purge_old_rows`."""
    name = word.rpartition(".")[2]
    return "_" in name and first_verb(name) in DELETING_VERBS and not name.endswith(("_id", "_time", "_at"))


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
        unknown = len(words) > 1 and words[0].isidentifier() and words[0] not in _CONTROL
        reading.emit("code.opaque", site, _UNPARSED, _UNREAD if unknown else frozenset())
        reading.opaque.append(_UNPARSED)
    else:
        flags = {"unbounded"} if words[0] in ("delete", "truncate", "del") and "where" not in words else set()
        if kind == "db.delete" and not flags:
            flags.add("many")
        if words[0] == "drop":
            flags |= {words[1] if len(words) > 1 else "table"} & FLAGS.keys()
        reading.emit(kind, site, _object_name(words), frozenset(flags))
    read_inner(reading, words, site)


def read_inner(reading: Reading, words: list[str], site: Site) -> None:
    """Emit the effects of statements that stand inside another one, by their first two words."""
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

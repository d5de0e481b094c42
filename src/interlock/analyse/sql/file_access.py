"""Files and addresses in SQL: what `COPY`, `LOAD DATA`, `ATTACH` and table functions read and write by their paths.

A file of the project or below `/tmp` is an ordinary file. Any other path of `COPY`, `BACKUP` and the like is on the
machine of the server, and reaching it is `db.execute` with the flag `outside`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from interlock.analyse.files.paths import HOLE
from interlock.analyse.reading import Reading, Site
from interlock.analyse.sql.lexer import SqlToken
from interlock.analyse.sql.vocabulary import EXTENSIONS, FILE_READERS, REMOTE_READERS
from interlock.model import Place
from interlock.patterns import late

_OUTSIDE = frozenset({"outside"})
_ADDRESS = late(r"(?i)^[a-z][a-z0-9+.-]+:")
_DRIVE = late(r"^[A-Za-z]:[\\/]")
_DATA_FILE = late(
    r"(?i)\.(csv|tsv|parquet|json|jsonl|ndjson|txt|xlsx|avro|orc|arrow|db|duckdb|sqlite3?)(\.(gz|zst|bz2))?$"
)
_DATABASE_FILE = late(r"(?i)\.(db3?|duckdb|ddb|sqlite3?|sqlitedb|gpkg)$")
_NEAR = (Place.WORKSPACE, Place.SCRATCH)


class Statement:
    """The tokens of a statement, with the content of its strings."""

    __slots__ = ("reading", "site", "text", "tokens", "words")

    def __init__(self, reading: Reading, text: str, tokens: Sequence[SqlToken], site: Site) -> None:
        self.reading, self.text, self.tokens, self.site = reading, text, tokens, site
        self.words = [token.word for token in tokens]

    def literal(self, at: int) -> str | None:
        """Return the content of the string at a position, or None."""
        if not 0 <= at < len(self.tokens) or self.words[at] != "''":
            return None
        token = self.tokens[at]
        text = self.text[token.start : token.end]
        return text[1:-1].replace("''", "'") if text[:1] == "'" else None

    def literal_after(self, *words: str) -> str | None:
        """Return the first string that follows one of these words, a bracket, an equals sign or a prefix between."""
        for at, word in enumerate(self.words):
            if word in words:
                for after in range(at + 1, min(at + 5, len(self.words))):
                    if self.words[after] == "''":
                        return self.literal(after)
                    if self.words[after] not in _BETWEEN:
                        break
        return None

    def escape(self, name: str) -> None:
        """Report that the statement reaches the machine of the server, or another one."""
        self.reading.emit("db.execute", self.site, name, _OUTSIDE)

    def reach(self, kind: str, path: str | None) -> bool:
        """Report a file that the statement accesses, if it is temporary or in the project; return whether it is."""
        if path is None or not is_near(self.reading, path, self.site):
            return False
        self.reading.file(kind, self.site, path)
        return True

    def load(self, path: str | None, table: str | None) -> bool:
        """Report a file whose rows the statement adds to a table; return whether it is near."""
        found = self.reach("fs.read", path)
        if found:
            self.reading.emit("db.write", self.site, table)
        return found


_BETWEEN = frozenset({"(", "=", "n", "e", "r", "database", "if", "not", "exists", "local"})


def is_near(reading: Reading, path: str, site: Site) -> bool:
    """Whether a path is a file of the project or a temporary one."""
    if not path or HOLE in path or _ADDRESS.match(path) or _DRIVE.match(path) or path.startswith("\\\\"):
        return False
    place, _, full = reading.places.locate(path, site.cwd)
    if full is None:
        return path[0] not in "/~" and ".." not in path
    return place in _NEAR and not path.startswith("/dev/")


def read_file_statement(statement: Statement) -> bool:
    """Emit the effects of a statement that is about a file; return whether it is one."""
    reader = _STATEMENTS.get(statement.words[0])
    return reader is not None and reader(statement)


def _copy(statement: Statement) -> bool:
    words = statement.words
    if "program" in words or words[1:2] == ["into"]:
        return False
    path = statement.literal_after("to")
    if path is not None:
        return statement.reach("fs.write", path) and not _has_inner(words)
    return statement.load(statement.literal_after("from"), words[1] if len(words) > 1 else None)


def _has_inner(words: list[str]) -> bool:
    """Whether `COPY` contains a statement that changes data."""
    return words[1:2] == ["("] and not _CHANGING.isdisjoint(words[2:3])


_CHANGING = frozenset("delete update insert merge with".split())


def _load(statement: Statement) -> bool:
    if statement.words[1:2] == ["data"]:
        return statement.load(statement.literal_after("infile", "inpath"), None)
    return _install(statement)


def _install(statement: Statement) -> bool:
    """`INSTALL`, `LOAD`: an extension of DuckDB that its makers publish."""
    words = statement.words
    name = words[1] if len(words) > 1 else ""
    path = statement.literal(1)
    if (path or name).lower() not in EXTENSIONS or ("from" in words and words[-1] not in ("core", "community")):
        return False
    statement.reading.emit("db.read", statement.site, path or name)
    return True


def _attach(statement: Statement) -> bool:
    path = statement.literal_after("attach", "database")
    if path is None or (path not in ("", ":memory:") and not _attaches_file(statement, path)):
        return False
    statement.reading.emit("db.read", statement.site, path or None)
    return True


def _attaches_file(statement: Statement, path: str) -> bool:
    return _DATABASE_FILE.search(path) is not None and statement.reach("fs.read", path)


def _backup(statement: Statement) -> bool:
    """`BACKUP DATABASE … TO DISK`: the server writes its own file, which replaces nothing but older backups."""
    path = statement.literal_after("disk")
    if path is None or "://" in path or path[:2] in ("\\\\", "//") or not path.lower().endswith(_BACKUPS):
        return False
    statement.reading.emit("db.read", statement.site, statement.words[2] if len(statement.words) > 2 else None)
    return True


_BACKUPS = (".bak", ".trn", ".dif")


def _vacuum(statement: Statement) -> bool:
    return statement.reach("fs.write", statement.literal_after("into"))


def _export(statement: Statement) -> bool:
    """DuckDB's `EXPORT DATABASE 'folder'` and `IMPORT DATABASE 'folder'`."""
    path = statement.literal_after("database") if statement.words[1:2] == ["database"] else None
    return statement.reach("fs.write", path) if statement.words[0] == "export" else statement.load(path, None)


def _bulk(statement: Statement) -> bool:
    return statement.load(statement.literal_after("from"), statement.words[2] if len(statement.words) > 2 else None)


_STATEMENTS: dict[str, Callable[[Statement], bool]] = {
    "copy": _copy,
    "load": _load,
    "install": _install,
    "attach": _attach,
    "backup": _backup,
    "vacuum": _vacuum,
    "export": _export,
    "import": _export,
    "bulk": _bulk,
}


def read_table_functions(statement: Statement) -> None:
    """Emit the files and addresses that functions in a query read: `read_csv('x.csv')`, `url('https://…')`."""
    words = statement.words
    writes = words[:2] == ["insert", "into"] and words[2:3] in (["function"], ["table"])
    for at, word in enumerate(words):
        after = words[at + 1] if at + 1 < len(words) else ""
        before = words[at - 1] if at else ""
        if after == "(" and word in FILE_READERS:
            _read_sources(statement, at + 2, word)
        elif after == "(" and word in REMOTE_READERS and before in _SOURCES:
            if writes or word in _SERVER_SIDE or (word == "file" and not _is_near_argument(statement, at + 2)):
                statement.escape(word)
            else:
                _read_sources(statement, at + 2, word)
        elif word == "''" and before in ("from", "join"):
            path = statement.literal(at) or ""
            if _DATA_FILE.search(path) or "://" in path or path.startswith(("/", "~", "./", "../")):
                _read_source(statement, path)
    if "into" in words and words[words.index("into") + 1 :][:1] == ["outfile"]:
        target = statement.literal_after("outfile")
        if target is None or not _DATA_FILE.search(target) or not statement.reach("fs.write", target):
            statement.escape("into outfile")


def _is_near_argument(statement: Statement, at: int) -> bool:
    return is_near(statement.reading, statement.literal(at) or "", statement.site)


_SERVER_SIDE = frozenset({"executable", "remote", "remotesecure"})
_SOURCES = frozenset({"from", "join", "function", ",", "table", "("})


def _read_sources(statement: Statement, at: int, name: str) -> None:
    """Report the paths at the beginning of the arguments of a function: one, or a list."""
    found = False
    while at < len(statement.words) and statement.words[at] in ("''", "[", ",", "]"):
        path = statement.literal(at)
        if path is not None:
            _read_source(statement, path)
            found = True
            if statement.words[at - 1] == "(":
                break
        at += 1
    if not found and name in REMOTE_READERS:
        statement.escape(name)


def _read_source(statement: Statement, path: str) -> None:
    reading, site = statement.reading, statement.site
    if path.lower().startswith(("http:", "https:")):
        reading.url("net.fetch", site, path)
    elif not _ADDRESS.match(path) or _DRIVE.match(path):
        reading.file("fs.read", site, path)

"""SQL, read through sqlglot: one statement at a time, in whichever dialect accepts it."""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from interlock.analyse.reading import NOTHING, UNKNOWN, Flow, Reading, Site

if TYPE_CHECKING:
    from sqlglot import exp

MAX_CHARS = 20_000
MAX_STATEMENTS = 200
DIALECTS = ("postgres", "mysql", "tsql")
MAX_BRACKETS = 300
MAX_NESTING = 20
_CAP = frozenset({"cap"})

_HEAD = re.compile(r"^(?:\s|--[^\n]*+\n?|/\*.*?\*/|\()*+([A-Za-z]+)", re.DOTALL)
MAX_HEAD = 2_000

# First word → kind, for statements that the parser only takes as a whole.
KEYWORDS = {
    **dict.fromkeys("select with values table show describe desc explain use pragma".split(), "db.read"),
    **dict.fromkeys("set begin commit rollback start savepoint release analyze lock unlock declare fetch close".split(), "db.read"),
    **dict.fromkeys("insert replace update merge upsert create comment import".split(), "db.write"),
    **dict.fromkeys("call exec execute do copy load attach vacuum reindex cluster refresh".split(), "db.execute"),
    "delete": "db.delete",
    "truncate": "db.delete",
    "drop": "db.drop",
    "alter": "db.alter",
    "rename": "db.alter",
    "grant": "db.grant",
    "revoke": "db.grant",
}  # fmt: skip

#: Functions that reach past the database, to its files or its machine.
OUTSIDE_FUNCTIONS = frozenset(
    (
        "pg_read_file pg_read_binary_file pg_ls_dir lo_import lo_export lo_unlink dblink_exec openrowset pg_execute_server_program load_file "
        "xp_cmdshell sys_exec sys_eval dblink readfile writefile load_extension pg_terminate_backend "
        "pg_reload_conf"
    ).split()
)


def looks_like_sql(text: str) -> bool:
    """Whether a text starts the way a SQL statement does, and goes on.

    >>> looks_like_sql("select 1"), looks_like_sql("drop in any time")
    (True, False)
    """
    head = _HEAD.match(text[:MAX_HEAD])
    if not head or head.group(1).lower() not in KEYWORDS:
        return False
    return _FORMS.match(text, head.start(1), MAX_HEAD) is not None


_FORMS = re.compile(
    r"""(?ix)
    select\s+.+ | with\s+\w+.*\bas\s*\( | insert\s+(into|or|ignore)\b | update\s+\S+\s+.*\bset\b | delete\s+from\b
    | (create|drop|alter)\s+(or\s+replace\s+|unique\s+|temp\w*\s+|materialized\s+)*
      (table|database|schema|index|view|user|role|function|procedure|trigger|sequence|extension|type|column|policy|tablespace|materialized)\b
    | truncate\s+\S+ | (grant|revoke)\s+.+\b(on|to|from)\b | copy\s+\S+\s+.*(from|to)\b | merge\s+into\b | replace\s+into\b
    | exec(ute)?\s+\S+ | call\s+\w+\s*\( | explain\s+\S+ | (show|describe|pragma|use|vacuum|attach)\s+\S+ | values\s*\(
    | begin\b | commit\b | rollback\b | load\s+data\b | lock\s+table
    """,
    re.DOTALL,
)


def analyse_sql(reading: Reading, text: str, site: Site, stdin: Flow = NOTHING) -> Flow:  # noqa: ARG001 - the common shape
    """Read SQL and put its effects into `reading`."""
    logging.getLogger("sqlglot").setLevel(logging.ERROR)  # it warns of statements that we read by keyword
    whole = len(text) <= MAX_CHARS
    if not whole:
        reading.unread(f"sql longer than {MAX_CHARS} characters", site, flags=_CAP)
        text = text[:MAX_CHARS]
    text = _LIVE_COMMENT.sub(lambda found: found[1].ljust(len(found[0])), text)
    for count, (start, end) in enumerate(_statements(reading, text, site)):
        reading.spend(90 + (end - start) // 16)
        reading.call += 1
        if count >= MAX_STATEMENTS:
            reading.unread(f"more than {MAX_STATEMENTS} sql statements", site, flags=_CAP)
            break
        where = site if site.base < 0 else site._replace(span=(site.base + start, site.base + end), base=-1)
        if whole:
            _statement(reading, text[start:end], where)
        else:
            _by_keyword(reading, text[start:end], where, parsed=True)
    return UNKNOWN


# MySQL runs what stands in such a comment. What replaces it is as long, so that places in the text stay right.
_LIVE_COMMENT = re.compile(r"/\*!\d*+((?:[^*]|\*(?!/))*+)\*/")


def _statements(reading: Reading, text: str, site: Site) -> Iterator[tuple[int, int]]:
    """Yield where each statement stands."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        tokens = sqlglot.tokenize(text, dialect="postgres")
    except (SqlglotError, RecursionError, ValueError):
        reading.unread("sql that does not parse", site)
        yield 0, len(text)
        return
    start = None
    end = 0
    for token in tokens:
        if token.token_type.name == "SEMICOLON":
            if start is not None:
                yield start, end
            start = None
            continue
        start = token.start if start is None else start
        end = token.end + 1
    if start is not None:
        yield start, end


def _statement(reading: Reading, text: str, site: Site) -> None:
    if _nesting(text) > MAX_NESTING or text.count("(") + text.count("::") + text.count("->") > MAX_BRACKETS:
        reading.unread("sql nested too deep", site, flags=_CAP)
        _by_keyword(reading, text, site, parsed=True)
        return
    try:
        _parsed_statement(reading, text, site)
    except RecursionError:
        reading.unread("sql nested too deep", site, flags=_CAP)


def _nesting(text: str) -> int:
    """Return how deep brackets stand in each other; a chain of subscripts counts as nested."""
    depth = deepest = 0
    for char in text:
        if char == "(":
            depth += 1
            deepest = max(deepest, depth)
        elif char == ")":
            depth -= 1
    return max(deepest, text.count("]["))


def _parsed_statement(reading: Reading, text: str, site: Site) -> None:
    tree = _parse(text)
    if tree is None or tree.key == "command":
        _by_keyword(reading, text, site, parsed=tree is not None)
        return
    if tree.key not in EFFECTS and tree.key not in QUIET:
        reading.unread("sql that does not parse", site)
        return
    if _first_word(text) == "create" and re.match(r"(?i)\s*create\s+(or\s+replace\s+)?(role|user|login)\b", text):
        reading.emit("db.grant", site, None)
    found = [node for node in tree.walk() if node.key in EFFECTS and not (node.key == "drop" and node.parent)]
    for node in found:
        kind = EFFECTS[node.key]
        flags = _flags(node, text)
        names = _tables(node)
        for name in names or [""]:
            reading.emit(kind, site, name or None, flags)
    named = {name for node in found for name in _tables(node)}
    for name in [name for name in _tables(tree, every=True) if name not in named] or ([] if found else [""]):
        reading.emit("db.read", site, name or None)
    for node in tree.walk():
        if node.key in ("anonymous", "dot", "func") and node.name.lower() in OUTSIDE_FUNCTIONS:
            reading.emit("db.execute", site, node.name.lower(), frozenset({"outside"}))
        elif node.key == "into" and re.search(r"(?i)\binto\s+(outfile|dumpfile)\b", text):
            reading.emit("db.execute", site, "into outfile", frozenset({"outside"}))


def _parse(text: str) -> exp.Expr | None:
    import sqlglot
    from sqlglot.errors import SqlglotError

    command = None
    for dialect in DIALECTS:
        try:
            tree = sqlglot.parse_one(text, dialect=dialect or None)
        except (SqlglotError, RecursionError, ValueError, AttributeError, TypeError, IndexError, KeyError):
            continue
        if tree is not None and tree.key != "command":
            return tree
        command = command or tree
    return command


# The parser's name of a statement → what it does.
EFFECTS = {
    "insert": "db.write",
    "update": "db.write",
    "merge": "db.write",
    "create": "db.write",
    "comment": "db.write",
    "delete": "db.delete",
    "truncatetable": "db.delete",
    "drop": "db.drop",
    "alter": "db.alter",
    "altertable": "db.alter",
    "grant": "db.grant",
    "revoke": "db.grant",
    "copy": "db.execute",
    "loaddata": "db.execute",
    "attach": "db.execute",
    "execute": "db.execute",
}


#: Statements that change nothing of themselves.
QUIET = frozenset(
    (
        "select union except intersect subquery values describe show set use pragma transaction commit "
        "rollback analyze with table cache uncache summarize"
    ).split()
)


#: Statements that name what they change; the other tables in them are read.
TARGETED = frozenset("drop create truncatetable alter altertable delete insert update merge".split())


def _flags(node: exp.Expr, text: str) -> frozenset[str]:
    flags = set()
    if node.key in ("delete", "update") and _unbounded(node):
        flags.add("unbounded")
    if node.key == "truncatetable":
        flags |= {"unbounded", "truncate"}
    if node.key == "drop":
        flags.add(str(node.args.get("kind") or "table").lower())
    if node.key in ("alter", "altertable") and any(part.key == "drop" for part in node.walk()):
        flags.add("drops")
    if node.key == "execute" and node.name.lower() in OUTSIDE_FUNCTIONS:
        flags.add("outside")
    if node.key in ("copy", "loaddata") and re.search(r"(?i)\bprogram\b|load\s+data|\b(to|from)\s+'", text):
        flags.add("outside")
    return frozenset(flags)


def _unbounded(node: exp.Expr) -> bool:
    """Whether a change has no condition, or one that is always true."""
    where = node.args.get("where")
    if where is None:
        return True
    if len(list(itertools.islice(where.walk(), 8))) == 8:
        return False
    condition = where.this.sql().lower().replace(" ", "").strip("()")
    return condition in ("true", "1", "1=1", "'1'='1'", "not(false)", "notfalse")


def _tables(node: exp.Expr, *, every: bool = False) -> list[str]:
    from sqlglot import exp

    hidden = {cte.alias for cte in node.find_all(exp.CTE)}
    if not every and node.key in TARGETED:
        targets = node.args.get("tables") or ([node.this] if isinstance(node.this, exp.Expr) else node.expressions)
        found = [table for part in targets for table in part.find_all(exp.Table)]
        found = found[:1] if node.key in ("delete", "insert", "update", "merge") else found
        names = [_name(table) for table in found] or [node.name]
    else:
        names = [_name(table) for table in node.find_all(exp.Table) if table.name not in hidden]
    return [name for name in dict.fromkeys(names) if name][:10]


def _name(table: exp.Table) -> str:
    return f"{table.db}.{table.name}" if table.db else table.name


def _first_word(text: str) -> str:
    head = _HEAD.match(text)
    return head.group(1).lower() if head else ""


_NAMED = re.compile(
    r"(?i)\b(?:table|database|schema|view|index|from|into|update|user|role)\s+(?:if\s+exists\s+)?([\w.\"`]+)"
)


def _by_keyword(reading: Reading, text: str, site: Site, parsed: bool) -> None:
    """Read a statement that no dialect parses by its first word: what is known still counts."""
    if not parsed:
        reading.opaque.append("sql that does not parse")
    word = _first_word(text)
    kind = KEYWORDS.get(word)
    if kind is None:
        reading.emit("code.opaque", site, "sql that does not parse")
        return
    flags = {"outside"} if re.search(r"(?i)\b(program|xp_cmdshell|outfile|dumpfile)\b", text) else set()
    kind = "db.execute" if flags else kind
    if word in ("delete", "truncate") and "where" not in text.lower():
        flags.add("unbounded")
    found = _NAMED.search(text)
    if word == "drop":
        flags.add([*text.split(), "", ""][1].lower())
    reading.emit(kind, site, found.group(1).strip('"`') if found else None, frozenset(flags))

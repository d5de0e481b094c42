"""The analysis of SQL, statement by statement: by syntax tree if a dialect parses it, and always by keywords."""

from __future__ import annotations

from interlock.analyse.flow import NOTHING, UNKNOWN, Flow
from interlock.analyse.reading import Reading, Site
from interlock.analyse.sql.blocks import PreparedStatements, find_copied_statement, read_block
from interlock.analyse.sql.file_access import Statement, read_file_statement, read_table_functions
from interlock.analyse.sql.keyword_scan import read_functions, read_start, read_unparsed
from interlock.analyse.sql.lexer import SqlToken, statements, tokenize
from interlock.analyse.sql.nodes import nodes_in
from interlock.analyse.sql.routines import read_called_routines, report_spelled
from interlock.analyse.sql.scratch_tables import mark_scratch
from interlock.analyse.sql.secret_columns import (
    is_secret_column,
    names_columns,
    read_secret_columns,
    read_variables,
)
from interlock.analyse.sql.sensitive_writes import read_sensitive_writes, read_trigger
from interlock.analyse.sql.session_settings import read_settings
from interlock.analyse.sql.stored_routines import read_stored, record_routines
from interlock.analyse.sql.syntax_tree import EFFECTS, QUIET, parse, read_tables, read_tree, release
from interlock.analyse.sql.table_meanings import report_meanings
from interlock.analyse.sql.transfers import read_harmless, read_sends
from interlock.analyse.sql.vocabulary import KEYWORDS
from interlock.patterns import late

MAX_CHARS = 20_000
MAX_STATEMENTS = 200
MAX_BRACKETS = 300
MAX_NESTING = 20
_CAP = frozenset({"cap"})
_UNPARSED = "sql that does not parse"


def analyse_sql(reading: Reading, text: str, site: Site, stdin: Flow = NOTHING) -> Flow:  # noqa: ARG001 - the common shape
    """Analyse SQL and add its effects to `reading`."""
    if len(text) > MAX_CHARS:
        reading.unread(f"sql longer than {MAX_CHARS} characters", site, flags=_CAP)
        text = text[:MAX_CHARS]
    report_spelled(reading, text, site)
    text = _LIVE_COMMENT.sub(lambda found: found[1].ljust(len(found[0])), text)
    tokens, whole = tokenize(text)
    if not whole or (tokens and "'" in text and tokens[0].word not in _BEGINNINGS):
        reading.unread(_UNPARSED, site)
        whole = False
        tokens, _ = tokenize(text.replace("'", " "))  # the ends of strings are uncertain, so strings are read as code
    found = statements(tokens)
    prepared = PreparedStatements(text)
    ranges: list[int] = []
    for count, statement in enumerate(found):
        reading.spend(90 + (statement[-1].end - statement[0].start) // 16)
        reading.call += 1
        if count >= MAX_STATEMENTS:
            reading.unread(f"more than {MAX_STATEMENTS} sql statements", site, flags=_CAP)
            break
        ranges.append(len(reading.effects))
        inner = prepared.resolve(statement)
        if inner is not None:
            reading.nest("sql", inner, site.behind("prepare"))
            continue
        if statement[0].word == "begin" and len(statement) > 2 and statement[1].word == "execute":
            statement = statement[1:]  # a block of Oracle's
        first, found_at = len(reading.effects), _statement_site(site, statement)
        _read_statement(reading, text, statement, found_at, whole and len(text) < MAX_CHARS)
        report_meanings(reading, first, text[statement[0].start : statement[-1].end], found_at)
    if "create" in text[:MAX_CHARS].lower():
        read_called_routines(reading, text, found[:MAX_STATEMENTS], site)
    read_stored(reading, found[:MAX_STATEMENTS], site)
    if "create" in text.lower() or "prepare" in text.lower():
        record_routines(reading, text)
    mark_scratch(reading, found, ranges)
    _read_transactions(reading, found[:MAX_STATEMENTS], site)
    return UNKNOWN


# MySQL runs the content of `/*! … */`. The replacement has the same length, so that offsets stay valid.
_LIVE_COMMENT = late(r"/\*M?!\d*+((?:[^*]|\*(?!/))*+)\*/")


def _statement_site(site: Site, statement: list[SqlToken]) -> Site:
    """Return the location of a statement."""
    if site.base < 0:
        return site
    return site.replace(span=(site.base + statement[0].start, site.base + statement[-1].end), base=-1)


def _read_statement(reading: Reading, text: str, statement: list[SqlToken], site: Site, whole: bool) -> None:
    """Analyse one statement: by its prefix, by its syntax tree, and by its keywords."""
    words = [token.word for token in statement]
    inner = _plan_prefix_length(words)
    rest = text[statement[min(inner, len(statement) - 1)].start : statement[-1].end]
    if inner and inner < len(words) and not _is_executed(words[:inner]):
        read_tables(reading, parse(rest) if whole and not _too_deep(rest) else None, site)
        return
    if inner < len(words):
        words, statement = words[inner:], statement[inner:]
    if words[0] in _CYPHER and "(" in words[:3]:
        reading.nest("cypher", rest, site.behind("cypher"))
        return
    shown = Statement(reading, text, statement, site)
    if whole and words[0] in ("copy", "show"):
        _read_copied(shown)
    if whole and (read_file_statement(shown) or read_block(shown)):
        return
    if read_harmless(reading, text, statement, site):
        return
    read_sends(reading, text, statement, site)
    if read_settings(reading, text, statement, site) or read_start(reading, words, site):
        return
    columns_known = False
    if whole:
        read_table_functions(shown)
    if not whole:
        read_unparsed(reading, words, site)
    elif _too_deep(rest):
        reading.unread("sql nested too deep", site, flags=_CAP)
        read_unparsed(reading, words, site)
    else:
        columns_known = _read_parsed(reading, rest, words, site)
    read_functions(reading, words, site, columns_known)
    if words[0] == "create" and "trigger" in words[:6]:
        read_trigger(reading, rest, site)


def _read_copied(statement: Statement) -> None:
    """Read what `COPY` takes its rows from, a query or columns of a table, and what `SHOW CREATE USER` shows."""
    inner = find_copied_statement(statement)
    if statement.words[:3] == ["show", "create", "user"]:
        statement.reading.emit("db.read", statement.site, "user", frozenset({"credentials"}))
    elif inner:
        statement.reading.nest("sql", inner, statement.site.behind("copy"))
    elif statement.words[0] == "copy" and "to" in statement.words:
        columns = statement.words[2 : statement.words.index("to")]
        shown = next((word for word in columns if is_secret_column(word, statement.words[1])), "")
        if shown:
            statement.reading.emit("db.read", statement.site, shown, frozenset({"credentials"}))


def _plan_prefix_length(words: list[str]) -> int:
    """Return the number of words of `EXPLAIN` and its options before the explained statement."""
    if words[0] not in ("explain", "describe", "desc"):
        return 0
    index = 1
    while index < len(words) and words[index] in _PLAN_WORDS:
        index += 1
    if index < len(words) and words[index] == "(":
        close = words.index(")", index) if ")" in words[index:] else index
        if words[index + 1 : index + 2] not in (["select"], ["with"]):
            index = close + 1
    return index if index < len(words) and words[index] in _PLANNED else 0


_PLAN_WORDS = frozenset("analyze analyse verbose plan for query extended partitions format = json tree costs".split())
_BEGINNINGS = KEYWORDS.keys() | {"(", "if", "while", "declare", "@"}
#: First words of statements in Cypher, which clients of graph databases are given in the place of SQL.
_CYPHER = frozenset({"match", "optional", "unwind", "detach", "merge"})
_PLANNED = KEYWORDS.keys() | {"("}


def _is_executed(words: list[str]) -> bool:
    """Whether `EXPLAIN` runs the statement: with `ANALYZE` that is not turned off."""
    if not {"analyze", "analyse"} & set(words):
        return False
    at = words.index("analyze") if "analyze" in words else words.index("analyse")
    return words[at + 1 : at + 2] not in (["false"], ["off"], ["0"])


def _too_deep(text: str) -> bool:
    brackets = text.count("(")
    if brackets + text.count("::") + text.count("->") > MAX_BRACKETS:
        return True
    return (brackets > MAX_NESTING or "][" in text) and _nesting(text) > MAX_NESTING


def _nesting(text: str) -> int:
    """Return the nesting depth of brackets; a chain of subscripts counts as nested."""
    depth = deepest = 0
    for char in text:
        if char == "(":
            depth += 1
            deepest = max(deepest, depth)
        elif char == ")":
            depth -= 1
    return max(deepest, text.count("]["))


def _read_parsed(reading: Reading, text: str, words: list[str], site: Site) -> bool:
    """Analyse a statement by its syntax tree, or by its keywords; return whether it names the columns it shows."""
    try:
        tree = parse(text)
        if tree is None or tree.key == "command" or (tree.key not in EFFECTS and tree.key not in QUIET):
            if tree is None or tree.key != "command":
                reading.opaque.append(_UNPARSED)
            read_unparsed(reading, words, site)
            return False
        nodes = nodes_in(tree)
        read_tree(reading, tree, nodes, site)
        read_secret_columns(reading, nodes, site)
        if "getenv" in words:
            read_variables(reading, nodes, site)
        if "update" in words or "insert" in words or "replace" in words:
            read_sensitive_writes(reading, nodes, site)
        columns_known = names_columns(nodes)
        release(text, nodes)
        return columns_known
    except RecursionError:
        reading.unread("sql nested too deep", site, flags=_CAP)
    return False


def _read_transactions(reading: Reading, found: list[list[SqlToken]], site: Site) -> None:
    """Report a statement that ends a transaction begun elsewhere, so that later statements run outside it."""
    begun = False
    for index, statement in enumerate(found):
        first = statement[0].word
        if first in ("begin", "start"):
            begun = True
        elif first in ("commit", "rollback", "abort", "end") and len(statement) < 3:
            if not begun and 0 < index < len(found) - 1:
                reading.emit("db.execute", _statement_site(site, statement), first, frozenset({"transaction"}))
            begun = False

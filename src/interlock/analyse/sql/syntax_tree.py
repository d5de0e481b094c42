"""Effects of SQL by the syntax tree of statements that a dialect parses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from interlock.analyse.reading import Reading, Site
from interlock.analyse.sql.nodes import nodes_in, nodes_of
from interlock.flags import FLAGS
from interlock.lazy import LazyModule
from interlock.patterns import late

if TYPE_CHECKING:
    import sqlglot
    from sqlglot import errors, exp
    from sqlglot.dialects.dialect import Dialect
else:
    sqlglot = LazyModule("sqlglot")
    errors = LazyModule("sqlglot.errors")
    exp = LazyModule("sqlglot.expressions")

DIALECTS = ("postgres", "mysql", "tsql")
MAX_CONDITION = 64
MAX_KEPT = 400  # characters of a statement whose tree is kept
MAX_TABLES = 10
#: What the parser raises on statements that it was not made for, besides its own errors.
_FAULTS = (RecursionError, ValueError, AttributeError, TypeError, IndexError, KeyError)

# Node type of the parser → kind of effect.
EFFECTS = {
    "insert": "db.write",
    "update": "db.write",
    "merge": "db.write",
    "create": "db.write",
    "comment": "db.write",
    "into": "db.write",
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
    "kill": "db.execute",
}

#: Node types of statements without effects of their own.
QUIET = frozenset(
    (
        "select union except intersect subquery values describe show set use pragma transaction commit "
        "rollback analyze with table cache uncache summarize detach"
    ).split()
)

#: Statements that change the tables they name first; other tables in them are read.
TARGETED = frozenset("drop create truncatetable alter altertable delete insert update merge into".split())


def parse(text: str) -> exp.Expr | None:
    """Return the tree of a statement in the first dialect that accepts it, or None; call `release` after use.

    Trees of short statements are cached, so callers must not change them.
    """
    return _parse(text) if len(text) > MAX_KEPT else _parse_kept(text)


def release(text: str, nodes: list[exp.Expr]) -> None:
    """Break the cycles in the tree of a statement that is not kept, so that it is freed now, not by the collector."""
    if len(text) > MAX_KEPT:
        for node in nodes:
            node.parent = None


def _parse(text: str) -> exp.Expr | None:
    command = None
    for dialect in _load_dialects():
        try:
            tree = sqlglot.parse_one(text, dialect=dialect)
        except (errors.SqlglotError, *_FAULTS) as error:
            error.__traceback__ = None  # its frames hold the error: a cycle that would keep all callers alive
            continue
        if tree is not None and tree.key != "command":
            return tree
        command = command or tree
    return command


_parse_kept = lru_cache(maxsize=128)(_parse)  # a program runs the same few queries again and again


@cache
def _load_dialects() -> tuple[Dialect, ...]:
    """Return the dialects that statements are tried in."""
    import logging

    from sqlglot.dialects.dialect import Dialect

    logging.getLogger("sqlglot").setLevel(logging.ERROR)  # it warns about statements that are read by keywords
    return tuple(map(Dialect.get_or_raise, DIALECTS))


def read_tree(reading: Reading, tree: exp.Expr, nodes: list[exp.Expr], site: Site) -> None:
    """Emit the effects of a statement on the tables that it changes and reads; `nodes` are all nodes of its tree."""
    found = [node for node in nodes if node.key in EFFECTS and not (node.key == "drop" and node.parent)]
    if tree.key == "merge":  # its condition is that of the whole
        found = [node for node in found if node is tree or node.key not in ("update", "insert", "delete")]
    named: set[str] = set()
    for node in found:
        kind, flags, changed = _kind(node), _flags(node), _find_changed_tables(node)
        named.update(changed)
        for name in changed or [""]:
            reading.emit(kind, site, name or None, flags)
            if "deletes" in flags:
                reading.emit("db.delete", site, name or None, frozenset({"many"}))
    for name in [name for name in _all_tables(nodes) if name not in named] or ([] if found else [""]):
        reading.emit("db.read", site, name or None)


def read_tables(reading: Reading, tree: exp.Expr | None, site: Site) -> None:
    """Emit reads of all tables in a statement that is only explained."""
    for name in (_all_tables(nodes_in(tree)) if tree is not None else []) or [""]:
        reading.emit("db.read", site, name or None)


def _kind(node: exp.Expr) -> str:
    """Return the kind of effect of a statement."""
    if node.key == "create" and node.args.get("replace") and str(node.args.get("kind")).upper() == "TABLE":
        return "db.write" if _is_loaded(node) else "db.drop"
    if node.key in ("alter", "altertable") and _only_adds(node):
        return "db.write"
    return EFFECTS[node.key]


def _is_loaded(node: exp.Expr) -> bool:
    """Whether a table is replaced with data loaded from local files, which can be loaded again."""
    query = node.args.get("expression")
    sources = query.args.get("from_") or query.args.get("from") if query is not None else None
    return sources is not None and _LOADING.match(sources.this.sql(dialect="duckdb")) is not None


_LOADING = late(
    r"(?i)(?:read_(?:csv|csv_auto|parquet|json|json_auto|ndjson|xlsx)|glob)\((?!\s*\[?['\"](?:https?|s3|gcs|az):)|'[\w./*-]+\.(?:csv|parquet|json)'"
)


def _only_adds(node: exp.Expr) -> bool:
    """Whether `ALTER TABLE` only adds columns, constraints or partitions."""
    actions = node.args.get("actions") or []
    return bool(actions) and all(action.key in _ADDING for action in actions)


_ADDING = frozenset({"columndef", "addconstraint", "addpartition", "addprimarykey"})


_KEYS = ("id", "uuid", "guid", "key", "pk")


def _is_by_key(node: exp.Expr) -> bool:
    """Whether the condition selects single rows: a column named like a key equals given values."""
    where = node.args.get("where")
    return where is not None and any(_selects_rows(part) for part in _conjuncts(where.this))


def _conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the parts of a condition that `AND` joins."""
    left = [condition]
    while left:
        part = left.pop()
        if part.key == "paren":
            left.append(part.this)
        elif part.key == "and":
            left += [part.this, part.expression]
        else:
            yield part


def _selects_rows(part: exp.Expr) -> bool:
    column = part.this
    if column is not None and column.key == "column" and is_holder(column.name):
        return False
    if part.key not in ("eq", "in") or column is None or column.key != "column" or not is_key(column.name):
        return False
    values = [part.expression] if part.key == "eq" else part.expressions
    return bool(values) and all(value is not None and value.key in _GIVEN for value in values)


#: Keys of what holds many rows of any table.
_HOLDERS = frozenset(
    (
        "bucket_id tenant_id org_id organization_id organisation_id workspace_id company_id project_id team_id site_id "
        "dataset_id"
    ).split()
)
#: Node types of literal values and parameters.
_GIVEN = frozenset({"literal", "placeholder", "parameter", "neg", "cast"})


def is_holder(column: str) -> bool:
    """Whether a column says to whom or to what many rows belong, such as a tenant or a project."""
    return column.lower() in _HOLDERS


def is_key(column: str) -> bool:
    """Whether a column is named like the key of a row."""
    name = column.lower()
    return name in _KEYS or name.endswith(tuple(f"_{key}" for key in _KEYS))


def _flags(node: exp.Expr) -> frozenset[str]:
    """Return the flags of a statement: `unbounded`, `many`, `drops`, …"""
    flags = set()
    if node.key in ("delete", "update", "merge") and _is_unbounded(node):
        flags.add("unbounded")
    elif node.key == "delete" and not _is_by_key(node):
        flags.add("many")
    if node.key == "truncatetable":
        flags |= {"unbounded", "truncate"}
    if node.key == "drop":
        flags |= {str(node.args.get("kind") or "table").lower()} & FLAGS.keys()
    if node.key == "create" and _kind(node) == "db.drop":
        flags.add("table")
    if node.key in ("alter", "altertable") and any(part.key == "drop" for part in nodes_in(node)):
        flags.add("drops")
    if node.key == "merge" and any(part.key == "var" and part.name.upper() == "DELETE" for part in nodes_in(node)):
        flags.add("deletes")
    return frozenset(flags)


def _is_unbounded(node: exp.Expr) -> bool:
    """Whether a statement has no condition, or one that is always true."""
    if node.key == "merge":
        return node.args.get("on") is not None and _is_always_true(node.args["on"])
    where = node.args.get("where")
    if where is None:
        return node.args.get("limit") is None
    if len(nodes_in(where)) >= MAX_CONDITION:
        return False
    return any(_is_always_true(part) for part in _alternatives(where.this))


def _alternatives(condition: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the parts of a condition that `OR` joins."""
    if condition.key == "paren":
        yield from _alternatives(condition.this)
    elif condition.key == "or":
        yield from _alternatives(condition.this)
        yield from _alternatives(condition.expression)
    else:
        yield condition


_TRUTHS = frozenset({"true", "1", "not false", "not 0", "'1'", "1 = 1"})


def _is_always_true(condition: exp.Expr) -> bool:
    """Whether a condition is true for every row: a constant, or an expression compared with itself."""
    if condition.key == "and":
        return all(_is_always_true(part) for part in (condition.this, condition.expression))
    if condition.key in ("eq", "gte", "lte", "is", "like", "nullsafeeq"):
        left, right = condition.this.sql().lower(), condition.expression.sql().lower()
        return bool(left == right) or (condition.key == "like" and right in ("'%'", "'%%'"))
    if condition.key in ("neq", "gt", "lt") and condition.this.key == condition.expression.key == "literal":
        left, right = condition.this.name, condition.expression.name
        if condition.key == "neq":
            return bool(left != right)
        return _comparison_holds(left, right, condition.key)
    return condition.sql().lower() in _TRUTHS


def _comparison_holds(left: str, right: str, key: str) -> bool:
    if not (re.fullmatch(r"\d{1,9}", left) and re.fullmatch(r"\d{1,9}", right)):
        return False
    return int(left) > int(right) if key == "gt" else int(left) < int(right)


def _find_changed_tables(node: exp.Expr) -> list[str]:
    """Return the tables that a statement changes, or all tables in it if it does not name those first."""
    if node.key not in TARGETED:
        return _all_tables(nodes_in(node))
    targets = node.args.get("tables") or ([node.this] if isinstance(node.this, exp.Expr) else node.expressions)
    found = [table for part in targets for table in nodes_of(part, exp.Table)]
    found = found[:1] if node.key in ("delete", "insert", "update", "merge") else found
    return _different([_name(table) for table in found] or [node.name])


def _all_tables(nodes: Iterable[exp.Expr]) -> list[str]:
    """Return the tables among nodes, without those that a `WITH` defines."""
    nodes = [node for node in nodes if isinstance(node, (exp.Table, exp.CTE))]
    hidden = {node.alias for node in nodes if isinstance(node, exp.CTE)}
    return _different([_name(node) for node in nodes if isinstance(node, exp.Table) and node.name not in hidden])


def _different(names: list[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name][:MAX_TABLES]


def _name(table: exp.Table) -> str:
    return f"{table.db}.{table.name}" if table.db else table.name

"""Secrets in databases: columns that are shown, settings that are read, and accounts whose rights change."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from interlock.analyse.reading import Reading, Site
from interlock.analyse.secrets.keys import is_secret_name, shows_secret, traces_a_key
from interlock.analyse.sql.nodes import nodes_of
from interlock.analyse.sql.vocabulary import CREDENTIALS
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.stores import DatabaseSecrets
from interlock.lazy import LazyModule
from interlock.patterns import late

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = LazyModule("sqlglot.expressions")

_TABLE = read_table("database-secrets", DatabaseSecrets)
_SECRET, _PAIRS = frozenset(_TABLE.secret), frozenset(_TABLE.secret_pairs)
_AMBIGUOUS, _HARMLESS = frozenset(_TABLE.ambiguous), frozenset(_TABLE.harmless)
_TABLES, _STORES = frozenset(_TABLE.tables), frozenset(_TABLE.stores)
_LOGS, _SETTINGS = frozenset(_TABLE.logs), frozenset(_TABLE.settings)
_RIGHTS, _GRANTING, _ACCOUNTS = frozenset(_TABLE.rights), frozenset(_TABLE.granting), frozenset(_TABLE.accounts)
_CREDENTIALS = frozenset({"credentials"})
_WORDS = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
#: Nodes whose result says nothing about the value below them, except whether or how much of it there is.
_COUNTING = frozenset(
    "count countif is eq neq gt lt gte lte length exists isnull not and or in between bytelength approxdistinct".split()
)
_SECOND_FACTOR = frozenset({"mfa", "2fa", "factor", "otp", "totp", "twofactor"})
_ON = frozenset({"true", "1", "'t'", "'true'"})
_OFF = frozenset({"false", "null", "0", "'off'"})


@lru_cache(maxsize=2048)
def split_words(name: str) -> tuple[str, ...]:
    """Return the words of the name of a column or a table."""
    return tuple(word.lower() for word in _WORDS.findall(name[:80]))


def is_secret_column(column: str, table: str = "") -> bool:
    """Whether a column holds secrets, by its name and that of its table.

    >>> is_secret_column("password_hash", "users"), is_secret_column("password_changed_at", "users")
    (True, False)
    >>> is_secret_column("token", "sessions"), is_secret_column("token", "vocabulary")
    (True, False)
    """
    words = split_words(column)
    if not words or words[-1] in _HARMLESS:
        return False
    if not _SECRET.isdisjoint(words) or any(pair in _PAIRS for pair in pairwise(words)):
        return True
    return words[-1] in _AMBIGUOUS and _is_about_signing_in(table) and words != ("key",)


def _is_about_signing_in(table: str) -> bool:
    words = split_words(table.rpartition(".")[2])
    return not _TABLES.isdisjoint(words) or any(word.endswith(_ENDINGS) for word in words)


_ENDINGS = ("token", "tokens", "credential", "credentials", "secret", "secrets")  # `robotaccounttoken`


def _is_store(table: str) -> bool:
    name = table.lower()
    return name.rpartition(".")[2] in _STORES or name in CREDENTIALS or name.rpartition(".")[2] in CREDENTIALS


def read_secret_columns(reading: Reading, nodes: list[exp.Expr], site: Site) -> None:
    """Report secrets that a statement shows, and accounts whose secrets or rights it changes."""
    parts = [node for node in nodes if isinstance(node, (exp.Select, exp.Update, exp.Insert))]
    for select in [node for node in parts if isinstance(node, exp.Select)]:
        shown = _find_shown_secret(select)
        if shown:
            reading.emit("db.read", site, shown, _CREDENTIALS)
    for update in [node for node in parts if isinstance(node, exp.Update)]:
        if _changes_account(update):
            reading.emit("db.write", site, _table_names(update)[0], _CREDENTIALS)
    for insert in [node for node in parts if isinstance(node, exp.Insert)]:
        target = next(iter(_table_names(insert)), "")
        if _is_store(target) and _is_about_signing_in(target) and "session" not in target:
            reading.emit("db.write", site, target, _CREDENTIALS)


def names_columns(nodes: list[exp.Expr]) -> bool:
    """Whether every query in a statement names the columns that it shows, so that none is shown unnamed."""
    selects = [node for node in nodes if isinstance(node, exp.Select)]
    columns = [part.unalias() for select in selects for part in select.expressions]
    if not columns:
        return False
    tables = [node for node in nodes if isinstance(node, exp.Table) and node.db.lower() != "mysql"]
    hidden = {table.alias or table.name for table in tables}  # a name of a table stands for a whole row, but in MySQL
    return all(
        isinstance(column, exp.Column) and column.name not in hidden and column.name != "*" for column in columns
    )


def _find_shown_secret(select: exp.Select) -> str:
    """Return the secret that a query shows: a column, a setting, a line of a log, or nothing."""
    tables = _table_names(select.args.get("from_") or select.args.get("from"), *(select.args.get("joins") or ()))
    projected = [column for part in select.expressions for column in _find_shown_columns(part)]
    for column in projected:
        name = column.name
        if isinstance(column, exp.Star) or name == "*":
            found = next((table for table in tables if _is_store(table)), "")
        elif isinstance(column, exp.Column):
            found = next((name for table in tables or [""] if is_secret_column(name, table)), "")
        else:
            found = name if shows_secret(name) or name.lower() in _HEADERS else ""
        if found:
            return found
    return _find_searched_secret(select, tables, {column.name.lower() for column in projected})


_HEADERS = frozenset({"authorization", "cookie", "set-cookie", "x-api-key", "proxy-authorization"})


def _find_shown_columns(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the columns, keys of documents and settings whose values an expression shows."""
    left = [node]
    while left:
        part = left.pop()
        if part.key in _COUNTING or isinstance(part, exp.Select):
            continue
        if isinstance(part, (exp.Column, exp.Star, exp.JSONPathKey)):
            if isinstance(part, exp.JSONPathKey):
                yield exp.Literal.string(str(part.this))
                continue
            yield part
        elif isinstance(part, exp.Anonymous) and part.name.lower() in _SETTINGS:
            yield from nodes_of(part, exp.Literal)
        left += list(part.iter_expressions())


def _find_searched_secret(select: exp.Select, tables: list[str], projected: set[str]) -> str:
    """Return what a condition looks for: settings by secret names, or secrets in what others typed."""
    where = select.args.get("where")
    if where is None or any(table.lower().startswith("information_schema.") for table in tables):
        return ""
    patterns = (exp.Like, exp.ILike, exp.RegexpLike, exp.RegexpILike, exp.SimilarTo)
    logged = any(not _LOGS.isdisjoint(split_words(table)) for table in tables)
    for test in nodes_of(where, exp.EQ, exp.In, *patterns):
        column = next(iter(nodes_of(test.this, exp.Column)), None) if isinstance(test.this, exp.Expr) else None
        values = [literal.name for literal in nodes_of(test, exp.Literal)]
        if column is None or not values:
            continue
        pattern = isinstance(test, patterns)
        if (
            pattern
            and logged
            and (column.name.lower() in projected or "*" in projected)
            and any(map(traces_a_key, values))
        ):
            return str(values[0])
        if projected & _VALUES and column.name.lower() in _KEYS and any(map(is_secret_column, values)):
            return str(values[0])
    return ""


_KEYS = frozenset({"key", "name", "setting", "option_name", "config_key", "variable", "meta_key", "k"})
_VALUES = frozenset("value val setting option_value config_value meta_value data v * content".split())


def _changes_account(update: exp.Update) -> bool:
    """Whether an update sets a secret, or gives an account more rights."""
    table = next(iter(_table_names(update)), "")
    for change in update.expressions:
        if not isinstance(change, exp.EQ) or not isinstance(change.this, exp.Column):
            continue
        column, value = change.this.name, change.expression
        if is_secret_column(column, table) and value.key != "null":
            return True
        words = set(split_words(column))
        if words & _RIGHTS and not _ACCOUNTS.isdisjoint(split_words(table)):
            text = value.sql().lower()
            second = not _SECOND_FACTOR.isdisjoint(words)
            given = _GRANTING.intersection(split_words(text)) or "*" in text or (text in _ON and not second)
            if given or (second and text in _OFF):
                return True
    return False


def _table_names(*nodes: exp.Expr | None) -> list[str]:
    found = [table for node in nodes if node is not None for table in nodes_of(node, exp.Table)]
    return [f"{table.db}.{table.name}" if table.db else table.name for table in found]


def read_variables(reading: Reading, nodes: list[exp.Expr], site: Site) -> None:
    """Report secrets of the environment that a query shows: `SELECT getenv('API_TOKEN')`."""
    for call in [node for node in nodes if isinstance(node, exp.Anonymous)]:
        names = [value.name for value in call.expressions if value.key == "literal"]
        if call.name.lower() == "getenv" and any(is_secret_name(name) for name in names):
            reading.emit("secret.read", site, names[0], frozenset({"printed"}))

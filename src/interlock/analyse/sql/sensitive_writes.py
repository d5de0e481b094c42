"""Writes that move money or grant rights, and triggers that copy secrets, by the names of tables and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.analyse.addresses.hosts import host_flags
from interlock.analyse.reading import Reading, Site
from interlock.analyse.sql.nodes import nodes_of
from interlock.analyse.sql.secret_columns import is_secret_column, split_words
from interlock.analyse.sql.shared_settings import read_shared_settings
from interlock.analyse.sql.vocabulary import RUNNING_TABLES
from interlock.analyse.stores.scratch_names import is_scratch_name
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.stores import DatabaseSecrets
from interlock.lazy import LazyModule
from interlock.patterns import late

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = LazyModule("sqlglot.expressions")

_TABLE = read_table("database-secrets", DatabaseSecrets)
_GRANTING = frozenset(_TABLE.granting)
_MONEY_COLUMNS, _MONEY_TABLES = frozenset(_TABLE.money_columns), frozenset(_TABLE.money_tables)
_TRANSFERS, _RIGHTS_TABLES = frozenset(_TABLE.transfers), frozenset(_TABLE.rights_tables)
_LEADING = frozenset(_TABLE.leading)
#: Words in tables of addresses that get what happens, and in the columns with these addresses.
_HOOKS = frozenset("webhook webhooks hooks callbacks subscribers endpoints integrations".split())
_ADDRESSES = frozenset("url uri endpoint target address".split())
_CREDENTIALS = frozenset({"credentials"})
_TRIGGER_ROW = late(r"(?i)\b(?:new|old)\s*\.\s*[\"`]?(\w+)")
_TRIGGER = late(
    r"(?is)^\s*create\s+(?:or\s+(?:replace|alter)\s+)?(?:definer\s*=\s*\S+\s+)?(?:constraint\s+)?trigger\b(.*)"
)
_COPIED = late(r"(?i)\binsert\s+into\b|\bhttp_\w+|\bcopy\b|\bnotify\b|\bpg_notify\b")
_AUDITED = late(r"(?i)\bbefore\s+(?:delete|update|insert)\b[^;]{0,40}\bon\s+\S*audit")


def read_sensitive_writes(reading: Reading, nodes: list[exp.Expr], site: Site) -> None:
    """Report updates and inserts that move money, or that make somebody an administrator."""
    changes = [node for node in nodes if isinstance(node, (exp.Update, exp.Insert, exp.Delete))]
    for change in changes:
        if not isinstance(change, exp.Delete):
            _read_kept_change(reading, change, site)
    for change in changes:
        if isinstance(change, exp.Update):
            _read_update(reading, change, site)
            read_shared_settings(reading, change, site)
    for change in changes:
        if isinstance(change, exp.Delete):
            read_shared_settings(reading, change, site)
    for change in changes:
        if isinstance(change, exp.Insert):
            _read_insert(reading, change, site)


#: Words in tables of settings by name, and in the names of settings that say where money goes.
_SETTINGS = frozenset("settings setting config configuration configs options preferences parameters params".split())
_PAYEES = frozenset("iban bic swift payout payouts payee beneficiary routing wallet".split())


def _read_kept_change(reading: Reading, change: exp.Expr, site: Site) -> None:
    """Report a change of code that the server runs itself, or of a named setting that says where money goes."""
    table = change.find(exp.Table)
    if table is None or is_scratch_name(table.name):
        return
    name = table.name.lower()
    if name in RUNNING_TABLES or f"{table.db.lower()}.{name}" in RUNNING_TABLES:
        reading.emit("db.execute", site, name, frozenset({"outside"}))
    elif _SETTINGS.intersection(split_words(name)) and any(
        _PAYEES.intersection(split_words(t)) for t in _texts(change)
    ):
        reading.emit("payment.send", site, name)


def _read_update(reading: Reading, update: exp.Update, site: Site) -> None:
    table = _target(update)
    if is_scratch_name(table):
        return
    words = set(split_words(table))
    for change in update.expressions:
        if not isinstance(change, exp.EQ) or not isinstance(change.this, exp.Column):
            continue
        column = set(split_words(change.this.name))
        if column & _MONEY_COLUMNS and words & _MONEY_TABLES:
            reading.emit("payment.send", site, table)
            return
        if (
            (column & _LEADING or (words & _HOOKS and column & _ADDRESSES))
            and change.expression.key == "literal"
            and _is_elsewhere(change.expression.name)
        ):
            reading.emit("db.write", site, table, _CREDENTIALS)
            return


def _read_insert(reading: Reading, insert: exp.Insert, site: Site) -> None:
    table = _target(insert)
    words = set(split_words(table))
    if is_scratch_name(table):
        return
    if words & _HOOKS and any(_is_elsewhere(text) for text in _texts(insert)):
        reading.emit("db.write", site, table, _CREDENTIALS)
    elif words & _TRANSFERS:
        reading.emit("payment.send", site, table)
    elif words & _RIGHTS_TABLES and (words & {"admins", "administrators", "superusers"} or _gives_all(insert)):
        reading.emit("db.write", site, table, _CREDENTIALS)


def _is_elsewhere(text: str) -> bool:
    """Whether a value is an address that is not on this machine."""
    return "://" in text and "local" not in host_flags(text)


def _gives_all(insert: exp.Insert) -> bool:
    """Whether one of the values that an insert gives is that of an administrator, or everything."""
    return any("*" in text or not _GRANTING.isdisjoint(split_words(text)) for text in _texts(insert))


def _texts(change: exp.Expr) -> list[str]:
    """Return the texts in a statement."""
    return [literal.name for literal in nodes_of(change, exp.Literal) if literal.is_string]


def _target(node: exp.Expr) -> str:
    table = node.find(exp.Table)
    return table.name if table is not None else ""


def read_trigger(reading: Reading, text: str, site: Site) -> None:
    """Report a trigger that copies a secret of each row elsewhere, or that stands in the way of an audit trail."""
    found = _TRIGGER.match(text)
    if found is None:
        return
    body = found[1][:4_000]
    if _COPIED.search(body) and any(is_secret_column(name[1]) for name in _TRIGGER_ROW.finditer(body)):
        reading.emit("db.read", site, "trigger", _CREDENTIALS)
    if _AUDITED.search(body):
        reading.emit("trace.erase", site, "trigger")

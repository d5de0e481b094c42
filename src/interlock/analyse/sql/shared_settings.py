"""Database rows in which forges, registries and clusters store what is public, protected, approved or running."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.analyse.reading import Reading, Site
from interlock.analyse.sql.secret_columns import split_words
from interlock.lazy import LazyModule

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = LazyModule("sqlglot.expressions")

#: Tables of what a forge, a registry or an object store shows to others.
_SHOWN = frozenset("project projects repo repos repository repositories bucket buckets namespaces packages".split())
_OPENED = frozenset({"true", "1", "20", "'public'", "'true'", "'anyone'"})
_CLOSED = frozenset({"false", "0", "'false'"})
#: Tables of what waits for somebody's consent before it runs for others.
_GATED = frozenset("deployment deployments release releases environments approvals rollouts pipelines".split())
_CONSENT = frozenset({"approved", "approval", "approver"})
#: Schemas and tables in which clusters and infrastructure tools keep their whole state.
_STATES = frozenset({"kine", "terraform_remote_state"})


def read_shared_settings(reading: Reading, change: exp.Update | exp.Delete, site: Site) -> None:
    """Report a change that opens, unprotects or approves something that others depend on."""
    table = change.find(exp.Table)
    if table is None:
        return
    if not _STATES.isdisjoint((table.name.lower(), table.db.lower())):
        reading.emit("infra.change", site, table.name, frozenset({"state_replaced"}))
        return
    words = set(split_words(table.name))
    for setting in change.expressions:
        if isinstance(setting, exp.EQ) and isinstance(setting.this, exp.Column):
            found = _meaning(words, set(split_words(setting.this.name)), setting.expression.sql().lower(), change)
            if found:
                kind, *flags = found.split()
                reading.emit(kind, site, table.name, frozenset(flags))
                return


def _meaning(table: set[str], column: set[str], value: str, change: exp.Expr) -> str:
    """Return the kind and the flags of setting a column to a value, or an empty text."""
    if table & _SHOWN:
        opened = value in _OPENED or "'public'" in value
        if column & {"visibility", "public"} and opened:
            return "infra.change public"
        if "private" in column and value in _CLOSED:
            return "infra.change public"
        where = change.args.get("where")
        if "value" in column and opened and where is not None and "'public'" in where.sql().lower():
            return "infra.change public"
    if {"protected", "protection", "protections"} & table or {"force", "push"} <= column:
        return "infra.change unguarded"
    if table & _GATED and (column & _CONSENT or value == "'approved'") and value not in _CLOSED | {"null"}:
        return "deploy.release"
    return ""

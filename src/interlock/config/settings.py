"""Settings of what comes after a decision: the store, who approves, what is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.config.values import choice, expect, texts
from interlock.documents import Document
from interlock.errors import nearest
from interlock.levels import Level

#: What happens to a request when nobody is there to ask.
UNATTENDED = ("refuse", "wait", "queue")
_LEVELS = [level.value for level in Level]


class ApprovalSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How requests are answered. `one_person` None means: yes on an embedded store, no on a shared one."""

    one_person: bool | None = None
    unattended: Mapping[str, str] = {}
    remember_days: int = 30
    queue_hours: int = 24
    require_reviewer: bool = False

    def without_anyone(self, level: Level) -> str:
        """Return what happens at a level when nobody is there to ask."""
        return self.unattended.get(level.value, "refuse")


class AuditSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the chain keeps, whose signatures count, and what happens when it cannot be written."""

    payloads: bool = False
    unwritable: str = "refuse"
    keys: tuple[str, ...] = ()


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the server is reached, and how much it takes from one caller. `rate` is requests a second; 0 is no limit."""

    host: str = "127.0.0.1"
    port: int = 8700
    public_url: str | None = None
    rate: int = 1_000
    max_body: int = 1_000_000
    webhooks_inside: tuple[str, ...] = ()
    open_metrics: bool = False


def server_of(document: Document, key: str, value: Any) -> ServerSettings:
    """Return `[server]`."""
    table = _table(document, key, value, ServerSettings)
    found = dict(table)
    for name in ("host", "public_url"):
        if name in table:
            expect(document, table[name], str, "a text", key, name)
    for name, least in (("port", 1), ("rate", 0), ("max_body", 1_000)):
        if name in table and expect(document, table[name], int, "a number", key, name) < least:
            raise document.error(f"`{name}` must be at least {least}, found `{table[name]}`", key, name)
    if "open_metrics" in table:
        expect(document, table["open_metrics"], bool, "true or false", key, "open_metrics")
    if "webhooks_inside" in table:
        found["webhooks_inside"] = texts(document, "webhooks_inside", table["webhooks_inside"])
    return ServerSettings(**found)


def approvals_of(document: Document, key: str, value: Any) -> ApprovalSettings:
    """Return `[approvals]`."""
    table = _table(document, key, value, ApprovalSettings)
    found = dict(table)
    for name in ("one_person", "require_reviewer"):
        if name in table:
            expect(document, table[name], bool, "true or false", key, name)
    for name in ("remember_days", "queue_hours"):
        if name in table and expect(document, table[name], int, "a number", key, name) <= 0:
            raise document.error(f"`{name}` must be above zero, found `{table[name]}`", key, name)
    if "unattended" in table:
        found["unattended"] = _unattended(document, key, table["unattended"])
    return ApprovalSettings(**found)


def _unattended(document: Document, key: str, value: Any) -> dict[str, str]:
    given = dict.fromkeys(_LEVELS, value) if isinstance(value, str) else value
    expect(document, given, dict, "one of refuse, wait, queue, or a table of levels", key, "unattended")
    for level, what in given.items():
        if level not in _LEVELS:
            raise document.error(f"unknown level `{level}`{nearest(level, _LEVELS)}", key, "unattended")
        choice(document, what, list(UNATTENDED), key, "unattended")
    return dict(given)


def audit_of(document: Document, key: str, value: Any) -> AuditSettings:
    """Return `[audit]`."""
    table = _table(document, key, value, AuditSettings)
    found = dict(table)
    if "payloads" in table:
        expect(document, table["payloads"], bool, "true or false", key, "payloads")
    if "unwritable" in table:
        choice(document, table["unwritable"], ["refuse", "spool"], key, "unwritable")
    if "keys" in table:
        found["keys"] = texts(document, "keys", table["keys"])
    return AuditSettings(**found)


def roles_of(document: Document, key: str, value: Any) -> dict[str, tuple[str, ...]]:
    """Return `[roles]`: who belongs to each."""
    table = expect(document, value, dict, "a table of roles", key)
    return {role: texts(document, key, names) for role, names in table.items()}


def crisis_of(document: Document, key: str, value: Any) -> bool:
    """Return whether words of a crisis in the context are enough: `[crisis] context_bypass`."""
    table = expect(document, value, dict, "a table", key)
    for name in table:
        if name != "context_bypass":
            raise document.error(f"unknown key `{name}`{nearest(name, ['context_bypass'])}", key, name)
    return bool(expect(document, table.get("context_bypass", False), bool, "true or false", key, "context_bypass"))


def _table(document: Document, key: str, value: Any, shape: type[msgspec.Struct]) -> dict[str, Any]:
    table: dict[str, Any] = expect(document, value, dict, "a table", key)
    known = shape.__struct_fields__
    for name in table:
        if name not in known:
            raise document.error(f"unknown key `{name}`{nearest(name, known)}", key, name)
    return table

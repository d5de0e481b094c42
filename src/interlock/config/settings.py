"""Settings of approvals, the audit chain and the server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from interlock.config.values import choice, expect, texts
from interlock.documents import Document
from interlock.errors import nearest
from interlock.levels import Level

#: What happens to a request when no person is available to answer it.
UNATTENDED = ("refuse", "wait", "queue")
_LEVELS = [level.value for level in Level]


class ApprovalSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How requests are answered. `one_person` None means true for an embedded store and false for a shared one.

    `expire_hours` is how long a request of an unattended agent stays open, and `extend_days` how long after it was
    opened it can be kept open. `quiz_tries` is how often one person can take the quiz of a request, with a pause of
    `quiz_pause` seconds after the first failure and a longer one after each further failure.
    """

    one_person: bool | None = None
    unattended: Mapping[str, str] = {}
    remember_days: int = 30
    expire_hours: int = 24
    extend_days: int = 7
    warn_minutes: int = 60
    quiz_tries: int = 3
    quiz_pause: int = 60
    require_reviewer: bool = False

    def unattended_action(self, level: Level) -> str:
        """Return what happens to a request of a level when no person is available to answer it."""
        return self.unattended.get(level.value, "refuse")


#: How strictly private data and untrusted content in the memory of a run are judged.
STRICTNESS = ("off", "normal", "strict")


class MemorySettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a run's memory is used. `requests` says whether the person's own words are recorded."""

    strictness: str = "normal"
    requests: bool = True


#: The classes of personal data that can be masked.
PERSONAL_DATA = ("cards", "accounts", "identities")


class AuditSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of the chain, its accepted keys, and what happens when it cannot be written."""

    payloads: bool = True
    unwritable: str = "refuse"
    keys: tuple[str, ...] = ()
    mask: tuple[str, ...] = PERSONAL_DATA  # classes of personal data that are masked besides secrets


class RetentionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How long runs stay open and records are kept. 0 means no limit.

    `at_least_days` is a floor: younger records are never removed, whatever else is configured or requested.
    """

    idle_hours: int = 24
    keep_days: int = 0
    at_least_days: int = 0


class ObserveSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The agents that are only observed: all, or `agents` and the agents below them.

    `until` is the time in microseconds at which enforcement starts again; None is without an end.
    """

    everything: bool = False
    agents: tuple[str, ...] = ()
    until: int | None = None

    def covers(self, agents: Iterable[str | None], at: int) -> bool:
        """Whether the actions of a caller are observed at a time. All names of the caller must be covered."""
        if self.until is not None and at >= self.until:
            return False
        return self.everything or (bool(self.agents) and all(map(self._covers_agent, agents)))

    def _covers_agent(self, agent: str | None) -> bool:
        return agent is not None and any(f"{agent}/".startswith(f"{one}/") for one in self.agents)


MAX_PORT = 65_535


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The server's address and its limits per caller. `rate` is requests per second; 0 is no limit."""

    host: str = "127.0.0.1"
    port: int = 8700
    public_url: str | None = None
    rate: int = 1_000
    max_body: int = 1_000_000
    webhooks_inside: tuple[str, ...] = ()
    open_metrics: bool = False


def read_server(document: Document, key: str, value: Any) -> ServerSettings:
    """Return the settings of `[server]`."""
    table = _table(document, key, value, ServerSettings)
    found = dict(table)
    _expect_each(document, key, table, ("host", "public_url"), str, "a string")
    for name, least in (("port", 1), ("rate", 0), ("max_body", 1_000)):
        if name in table and expect(document, table[name], int, "a whole number", key, name) < least:
            raise document.error(f"`{name}` must be at least {least}, found `{table[name]}`", key, name)
    if table.get("port", 0) > MAX_PORT:
        raise document.error(f"`port` must be at most {MAX_PORT}, found `{table['port']}`", key, "port")
    _expect_each(document, key, table, ("open_metrics",), bool, "true or false")
    if "webhooks_inside" in table:
        found["webhooks_inside"] = texts(document, "webhooks_inside", table["webhooks_inside"], key)
    return ServerSettings(**found)


def read_approvals(document: Document, key: str, value: Any) -> ApprovalSettings:
    """Return the settings of `[approvals]`."""
    table = _table(document, key, _current_names(value), ApprovalSettings)
    found = dict(table)
    _expect_each(document, key, table, ("one_person", "require_reviewer"), bool, "true or false")
    for name in ("remember_days", "expire_hours", "extend_days", "warn_minutes", "quiz_tries", "quiz_pause"):
        if name in table and expect(document, table[name], int, "a whole number", key, name) <= 0:
            raise document.error(f"`{name}` must be above zero, found `{table[name]}`", key, name)
    if "unattended" in table:
        found["unattended"] = _read_unattended(document, key, table["unattended"])
    return ApprovalSettings(**found)


def _current_names(value: Any) -> Any:
    """Return `[approvals]` with `queue_hours` renamed to its current name; if both are set, the shorter time counts."""
    if not isinstance(value, dict) or "queue_hours" not in value:
        return value
    given = {name: one for name, one in value.items() if name != "queue_hours"}
    older, newer = value["queue_hours"], given.get("expire_hours")
    both = isinstance(older, int) and isinstance(newer, int)
    return {**given, "expire_hours": min(older, newer) if both else older}


def _read_unattended(document: Document, key: str, value: Any) -> dict[str, str]:
    given = dict.fromkeys(_LEVELS, value) if isinstance(value, str) else value
    expect(document, given, dict, "one of refuse, wait, queue, or a table of levels", key, "unattended")
    for level, what in given.items():
        if level not in _LEVELS:
            raise document.error(f"unknown level `{level}`{nearest(level, _LEVELS)}", key, "unattended")
        choice(document, what, list(UNATTENDED), key, "unattended")
    return dict(given)


def read_memory(document: Document, key: str, value: Any) -> MemorySettings:
    """Return the settings of `[memory]`."""
    table = _table(document, key, value, MemorySettings)
    if "strictness" in table:
        choice(document, table["strictness"], list(STRICTNESS), key, "strictness")
    _expect_each(document, key, table, ("requests",), bool, "true or false")
    return MemorySettings(**table)


def read_audit(document: Document, key: str, value: Any) -> AuditSettings:
    """Return the settings of `[audit]`."""
    table = _table(document, key, value, AuditSettings)
    found = dict(table)
    _expect_each(document, key, table, ("payloads",), bool, "true or false")
    if "unwritable" in table:
        choice(document, table["unwritable"], ["refuse", "spool"], key, "unwritable")
    if "keys" in table:
        found["keys"] = texts(document, "keys", table["keys"], key)
    if "mask" in table:
        found["mask"] = texts(document, "mask", table["mask"], key)
        for name in found["mask"]:
            choice(document, name, list(PERSONAL_DATA), key, "mask")
    return AuditSettings(**found)


def read_retention(document: Document, key: str, value: Any) -> RetentionSettings:
    """Return the settings of `[retention]`."""
    table = _table(document, key, value, RetentionSettings)
    for name, given in table.items():
        if expect(document, given, int, "a whole number", key, name) < 0:
            raise document.error(f"`{name}` must not be negative, found `{given}`", key, name)
    found = RetentionSettings(**table)
    if found.keep_days and found.keep_days < found.at_least_days:
        raise document.error(f"`keep_days` is below `at_least_days`, which is {found.at_least_days}", key, "keep_days")
    return found


def read_roles(document: Document, key: str, value: Any) -> dict[str, tuple[str, ...]]:
    """Return the members of each role in `[roles]`."""
    table = expect(document, value, dict, "a table of roles", key)
    return {role: texts(document, role, names, key) for role, names in table.items()}


def read_crisis(document: Document, key: str, value: Any) -> bool:
    """Return whether the words of an action's context can mark a crisis: `[crisis] context_bypass`."""
    table = expect(document, value, dict, "a table", key)
    for name in table:
        if name != "context_bypass":
            raise document.error(f"unknown key `{name}`{nearest(name, ['context_bypass'])}", key, name)
    return bool(expect(document, table.get("context_bypass", False), bool, "true or false", key, "context_bypass"))


def _expect_each(
    document: Document, key: str, table: Mapping[str, Any], names: tuple[str, ...], kind: type, what: str
) -> None:
    """Raise for the first of these names that is present with a value of another type."""
    for name in names:
        if name in table:
            expect(document, table[name], kind, what, key, name)


def _table(document: Document, key: str, value: Any, shape: type[msgspec.Struct]) -> dict[str, Any]:
    table: dict[str, Any] = expect(document, value, dict, "a table", key)
    known = shape.__struct_fields__
    for name in table:
        if name not in known:
            raise document.error(f"unknown key `{name}`{nearest(name, known)}", key, name)
    return table

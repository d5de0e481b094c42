"""Values that complete a condition: seen in recent actions, and known to Interlock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

import msgspec

from interlock.effects import KINDS
from interlock.knowledge.catalogue import PROGRAMS
from interlock.levels import Level
from interlock.metrics.counters import ACTION, DAY, OTHERS
from interlock.model import Struct
from interlock.policy.conditions import DATA_CLASSES
from interlock.policy.drift import NEW
from interlock.rules import RULES
from interlock.sanitise import plain
from interlock.store.clock import MICROSECONDS, now
from interlock.store.connection import Connection

#: How many days back and how many of the newest actions are looked at, and how many values are offered.
SEEN_DAYS, MAX_ACTIONS, MAX_VALUES = 30, 500, 50
MAX_LENGTH = 200
_COUNTED = """
    SELECT {column} AS value, sum(count) AS count FROM interlock_counts
    WHERE grain = :grain AND at >= :start AND what = :what GROUP BY {column} ORDER BY 2 DESC LIMIT :most
"""
_NEWEST = "SELECT body FROM interlock_records WHERE kind = 'decision' ORDER BY seq DESC LIMIT :most"
_RECORDED = ("environment", "user", "tenant", "resources", "runId")
_ENVIRONMENTS = ("production", "staging", "development", "critical")


class _SeenData(msgspec.Struct):
    environment: str | None = None
    user: str | None = None
    tenant: str | None = None
    resources: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


class _SeenRecord(msgspec.Struct, rename="camel"):
    run_id: str | None = None
    data: _SeenData = msgspec.field(default_factory=_SeenData)


_DECODER = msgspec.json.Decoder(_SeenRecord)


class SeenValues(Struct, frozen=True, kw_only=True):
    """Values by field, the most frequent first, and the names of arguments that calls had."""

    values: dict[str, tuple[str, ...]]
    arguments: tuple[str, ...] = ()


def load_seen_values(connection: Connection) -> SeenValues:
    """Return the values that recent actions had, and those of small vocabularies."""
    seen: dict[str, Counter[str]] = {name: Counter() for name in _RECORDED}
    arguments: Counter[str] = Counter()
    for (body,) in connection.tuples(_NEWEST, most=MAX_ACTIONS):
        record = _DECODER.decode(body.encode("utf-8", "surrogatepass"))
        arguments.update(record.data.fields)
        for field, found in _values_of(record):
            seen[field][found] += 1
    values = {field: _offer(name for name, _ in found.most_common()) for field, found in seen.items()}
    return SeenValues(
        values=values
        | {
            "toolName": _frequent_names(connection, "name"),
            "agentId": _frequent_names(connection, "agent_id"),
            "environment": _offer(dict.fromkeys((*values["environment"], *_ENVIRONMENTS))),
            "effects.kind": tuple(sorted(KINDS)),
            "effects.changes": ("true", "false"),
            **dict.fromkeys(NEW, ("true",)),
            "data.classes": tuple(DATA_CLASSES),
            "risk.level": tuple(level.value for level in Level),
        },
        arguments=_offer(name for name, _ in arguments.most_common()),
    )


def _values_of(record: _SeenRecord) -> Iterator[tuple[str, str]]:
    data = record.data
    for field, value in (("environment", data.environment), ("user", data.user), ("tenant", data.tenant)):
        if value:
            yield field, value
    if record.run_id:
        yield "runId", record.run_id
    for resource in data.resources:
        yield "resources", resource


def _frequent_names(connection: Connection, column: str) -> tuple[str, ...]:
    """Return the most frequent names in the counters of the last days."""
    start = now().wall - SEEN_DAYS * DAY * MICROSECONDS
    query = _COUNTED.format(column=column)
    rows = connection.rows(query, grain=DAY, start=start, what=ACTION, most=MAX_VALUES + 1)
    return _offer(row["value"] for row in rows if row["value"] != OTHERS)


def _offer(values: Iterable[str]) -> tuple[str, ...]:
    """Return the values that can be offered: those that look like what they are."""
    found = [one for one in values if one and len(one) <= MAX_LENGTH and plain(one) == one]
    return tuple(found[:MAX_VALUES])


def complete_value(seen: SeenValues, field: str, text: str) -> tuple[str, ...]:
    """Return the values of a field that contain a text: those that were seen, then tools and rules that are known."""
    wanted = text.strip().casefold()[:MAX_LENGTH]
    known: Iterable[str] = ()
    if wanted and field == "toolName":
        known = list_known_tools()
    elif field == "risk.rules":
        known = sorted(rule.name for rule in RULES)
    found = (one for one in (*seen.values.get(field, ()), *known) if wanted in one.casefold())
    return tuple(dict.fromkeys(found))[:MAX_VALUES]


@cache
def list_known_tools() -> tuple[str, ...]:
    """Return the tools of described services, named as MCP servers name them."""
    found: set[str] = set()
    for number in set(PROGRAMS.services.values()):
        file = PROGRAMS.service(number)
        names = (*file.reads, *file.drafts, *file.tools)
        found.update(f"{file.names[0]}_{name}".lower().replace(" ", "_") for name in names)
    return tuple(sorted(found))

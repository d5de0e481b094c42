"""The files about the current state: configuration, policies, people and keys, exceptions, retention."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from interlock.access.groups import Groups
from interlock.access.identities import Identities
from interlock.access.keys import AccessKeys
from interlock.access.people import People
from interlock.approval.grants import Grants
from interlock.audit.journal import Journal
from interlock.audit.read import parse_record
from interlock.audit.record import Record
from interlock.audit.stops import Stops
from interlock.audit.stored_settings import retention_in_force
from interlock.config.schema import Config
from interlock.evidence.period import RecordRange
from interlock.policies.repository import version_from_row
from interlock.store.connection import Connection
from interlock.store.paging import PageCursor

_LAST = "SELECT body, hash FROM interlock_records WHERE kind = :kind AND seq <= :seq ORDER BY seq DESC LIMIT 1"
_VERSIONS = "SELECT * FROM interlock_policies ORDER BY policy_id, version"
_KEYS = "SELECT key_id, public, machine FROM interlock_keys ORDER BY key_id"


def state_files(journal: Journal, config: Config, wanted: RecordRange) -> dict[str, Any]:
    """Return the content of each file, by its name. Records are from the period; the rest is current."""
    with journal.database.read() as connection:
        start, end = (_last(connection, "configuration", seq) for seq in (wanted.first - 1, wanted.last))
        policy = _last(connection, "policy", wanted.last)
        versions = [version_from_row(row) for row in connection.rows(_VERSIONS)]
        keys = connection.rows(_KEYS)
    return {
        "configuration.json": {"atStart": start, "atEnd": end},
        "policies.json": {"inForceAtEnd": policy, "versions": versions},
        "people.json": _people(journal, config),
        "exceptions.json": _exceptions(journal, end),
        "signing-keys.json": [dict(row) for row in keys],
    }


def retention_file(journal: Journal, config: Config, removals: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the retention periods, and the records of removals in the period."""
    return {"inForce": retention_in_force(journal, config), "removals": removals}


def _last(connection: Connection, kind: str, seq: int) -> Record | None:
    """Return the last record of a kind up to a number."""
    found = connection.tuples(_LAST, kind=kind, seq=seq)
    return parse_record(*found[0]).record if found else None


def _people(journal: Journal, config: Config) -> dict[str, Any]:
    return {
        "people": People(journal).list(),
        "groups": Groups(journal).list(),
        "roles": {role: list(names) for role, names in config.roles.items()},
        "identities": Identities(journal).list(),
        "apiKeys": AccessKeys(journal).list(),
    }


def _exceptions(journal: Journal, configuration: Record | None) -> dict[str, Any]:
    """Return exceptions from enforcement: in the configuration at the end of the period, in keys and in grants."""
    data = configuration.data if configuration else {}
    observed = [key for key in AccessKeys(journal).list() if key.observe is not None]
    return {
        "mode": data.get("mode"),
        "rulesOff": data.get("rulesOff") or [],
        "crisis": bool(data.get("crisis")),
        "observe": data.get("observe"),
        "observedKeys": observed,
        "grants": list(_grants(journal)),
        "stops": Stops(journal).list(),
    }


def _grants(journal: Journal) -> Iterator[Any]:
    """Yield the grants in force, reading a page at a time."""
    grants, after = Grants(journal), None
    while page := grants.list(after=after):
        yield from page
        after = PageCursor(page[-1].created_at, page[-1].grant_id)


def encode_json(value: Any) -> bytes:
    """Return a value as JSON that people can read and that is the same each time."""
    return msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=2) + b"\n"

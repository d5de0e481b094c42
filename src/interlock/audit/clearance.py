"""Clearances: the record that allowed an action which is about to run or has run."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from interlock.audit.runs import is_open
from interlock.levels import Verdict
from interlock.store.connection import Connection, sql_list

_KINDS = sql_list(("decision", "asked", "approval.used", "grant.used"))
_NEWEST = (
    f"SELECT kind, body FROM interlock_records WHERE run_id = :run_id AND kind IN {_KINDS} AND at >= :since "
    "ORDER BY seq DESC LIMIT 50"
)


class Clearance(msgspec.Struct, frozen=True):
    """The kind of record by which an action was allowed, and the verdict and rules of its decision."""

    way: str
    verdict: Verdict
    rules: frozenset[str]


def find_clearance(connection: Connection, run_id: str, digests: Sequence[str], since: int) -> Clearance | None:
    """Return how an action was allowed since a time, or None if its newest record does not allow it.

    The first of several digests that has records counts. A run that is not open allows nothing.
    """
    if not is_open(connection, run_id):
        return None
    rows = connection.tuples(_NEWEST, run_id=run_id, since=since)
    records = [(kind, msgspec.json.decode(body)) for kind, body in rows]
    for digest in digests:
        matching = [(kind, record) for kind, record in records if record["digest"] == digest]
        decision = next((record for kind, record in matching if kind == "decision"), None)
        if decision is None:
            continue
        way, verdict = matching[0][0], Verdict(decision["outcome"])
        allowed = way != "decision" or verdict in (Verdict.ALLOW, Verdict.WARN)
        return Clearance(way, verdict, frozenset(decision["data"]["rules"])) if allowed else None
    return None


_DECISIONS = (
    "SELECT record_id, body FROM interlock_records WHERE run_id = :run_id AND kind = 'decision' "
    "ORDER BY seq DESC LIMIT 50"
)


def find_decision_id(connection: Connection, run_id: str, digest: str) -> str | None:
    """Return the id of the newest decision on an action among the last decisions of a run."""
    rows = connection.tuples(_DECISIONS, run_id=run_id)
    return next((str(name) for name, body in rows if msgspec.json.decode(body)["digest"] == digest), None)

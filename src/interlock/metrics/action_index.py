"""The index of actions: decided actions by what people filter by, and totals of runs and agents.

It is derived from the chain in batches, like the counters, so it never delays a decision and can be rebuilt.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from interlock.audit.journal import Journal
from interlock.metrics.derivation import (
    RecordRow,
    RecordSpan,
    count_left,
    derive_new,
    discard_derived,
    empty_tables,
    read_rows,
)
from interlock.metrics.stop_cause import STOPPING, stop_cause
from interlock.metrics.totals import Sums, add_totals
from interlock.sanitise import storable_name
from interlock.store.connection import Connection, sql_list
from interlock.store.tables import actions, matches

#: How many records one transaction indexes: writers wait no longer than that takes.
BATCH = 1_000
#: How many records a page indexes before it answers; the server indexes the rest in the background.
MAX_FOR_A_PAGE = 5_000
#: The kinds of matches that an action can be found by: rules, policies, the grant it used, and what stopped it.
RULE, POLICY, GRANT, CAUSE = "rule", "policy", "grant", "cause"
_CURSOR = "actions"
_REQUESTED, _GRANTED = "approval.requested", "grant.used"
_KINDS = frozenset({"decision", "risk", "observed.policy", _REQUESTED, _GRANTED})
_NEXT = f"""
    SELECT seq, kind, CASE WHEN kind IN {sql_list(sorted(_KINDS))} THEN body END
    FROM interlock_records WHERE seq > :after ORDER BY seq LIMIT :most
"""
_PERSON = "SELECT started_by FROM interlock_runs WHERE run_id = :run_id"


class _IndexedData(msgspec.Struct, frozen=True):
    level: str = "safe"
    rules: tuple[str, ...] = ()
    mode: str = ""
    environment: str = ""
    key_id: str = msgspec.field(name="keyId", default="")


class _IndexedRecord(msgspec.Struct, rename="camel"):
    at: int
    actor: str
    name: str | None = None
    run_id: str | None = None
    agent_id: str | None = None
    approval_id: str | None = None
    digest: str | None = None
    outcome: str | None = None
    data: _IndexedData = _IndexedData()


_DECODER = msgspec.json.Decoder(_IndexedRecord)


class IndexedAction(msgspec.Struct):
    """A decided action as the index keeps it, with the rules and policies that matched it, and the grant it used.

    `policies` say what each of them demanded.
    """

    seq: int
    record: _IndexedRecord
    rules: set[str]
    policies: list[tuple[str, str]]
    approval_id: str | None = None
    grant_id: str | None = None

    def row(self, person: str) -> tuple[object, ...]:
        """Return the row of the action, in the order of the columns."""
        record, data = self.record, self.record.data
        names = record.run_id or "", record.agent_id or "", person, record.name or "", record.outcome or ""
        return (
            self.seq,
            record.at,
            *names,
            data.level,
            storable_name(data.environment),
            data.key_id,
            self.approval_id,
        )


def index_new_actions(journal: Journal, most: int | None = None) -> int:
    """Index the actions since the last time, of at most so many records; return how many records are left."""
    return derive_new(journal, _CURSOR, _next_batch, most)


def count_unindexed(journal: Journal) -> int:
    """Return how many records are not indexed yet."""
    return count_left(journal, _CURSOR)


def rebuild(journal: Journal) -> None:
    """Rebuild the index from the records in the store."""
    discard_derived(journal, _CURSOR, lambda connection: empty_tables(connection, "actions", "matches", "totals"))
    index_new_actions(journal)


class _ActionBatch(NamedTuple):
    """The actions of some records."""

    span: RecordSpan
    found: Sequence[IndexedAction]

    def store(self, connection: Connection) -> bool:
        """Add the actions to the index, and return True; or False if another process has done so already."""
        if not self.span.claim(connection, _CURSOR):
            return False
        base = connection.value("SELECT base_seq FROM interlock_head WHERE id = 1") or 0
        found = [one for one in self.found if one.seq > base]  # others were pruned in the meantime
        people = _people(connection, found)
        connection.append(actions, [one.row(people[one.record.run_id]) for one in found])
        connection.append(matches, [row for one in found for row in _match_rows(one)])
        add_totals(connection, map(_sums, found))
        return True


def _sums(action: IndexedAction) -> Sums:
    record = action.record
    return Sums.of_action(
        record.run_id, record.agent_id, record.outcome, record.data.level, record.data.environment, record.at
    )


def _match_rows(action: IndexedAction) -> Iterable[tuple[object, ...]]:
    policies = dict.fromkeys(policy for policy, _ in action.policies)
    granted = () if action.grant_id is None else (action.grant_id,)
    for what, names in ((RULE, action.rules), (POLICY, policies), (GRANT, granted), (CAUSE, _causes(action))):
        for name in names:
            yield action.seq, what, name, action.record.at


def _causes(action: IndexedAction) -> Iterable[str]:
    verdict, data = action.record.outcome or "", action.record.data
    if verdict in STOPPING:
        yield storable_name(stop_cause(verdict, data.rules, data.mode, action.policies))


def _people(connection: Connection, found: Iterable[IndexedAction]) -> dict[str | None, str]:
    """Return who started the run of each action."""
    run_ids = {one.record.run_id for one in found}
    names = connection.several(*((_PERSON, {"run_id": run_id}) for run_id in run_ids))
    return {run_id: (rows[0][0] if rows else None) or "" for run_id, rows in zip(run_ids, names, strict=True)}


def _next_batch(connection: Connection) -> _ActionBatch | None:
    """Return the next batch of records that are not indexed yet, if there are any."""
    found = read_rows(connection, _CURSOR, _NEXT, BATCH)
    return None if found is None else _ActionBatch(found[0], _collect(found[1]))


def _collect(rows: Iterable[RecordRow]) -> list[IndexedAction]:
    """Return the actions of some records, each with what the records after it say about it."""
    found: list[IndexedAction] = []
    for seq, kind, body in rows:
        if body is None:
            continue
        try:
            record = _DECODER.decode(body)
        except (msgspec.DecodeError, UnicodeEncodeError):
            continue  # not written by Interlock; `interlock audit verify` reports it
        if kind == "decision":
            found.append(IndexedAction(seq, record, {storable_name(rule) for rule in record.data.rules}, []))
        elif found and _is_about(record, found[-1].record):
            if kind == _REQUESTED:
                found[-1].approval_id = record.approval_id
            elif kind == _GRANTED:
                found[-1].grant_id = record.name
            else:
                found[-1].policies.append((record.name or "", record.outcome or ""))
    return found


def _is_about(record: _IndexedRecord, decision: _IndexedRecord) -> bool:
    return record.digest == decision.digest and record.run_id == decision.run_id

"""A run as a timeline: its decisions with their outcomes, and everything else that was recorded, in order."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from interlock.audit.cited_calls import SILENT, CitedCall, load_causes
from interlock.audit.outcomes import is_call_event, measures_of
from interlock.audit.read import RecordFilter, StoredRecord, read_page
from interlock.audit.record import KINDS, Record
from interlock.model import Struct
from interlock.store.database import Database

#: Records that belong to the decision before them, and are shown as part of it.
_ATTACHED = ("risk", "override", "download", "bypass", "observed", "observed.policy")


class TimelineItem(Struct, frozen=True, kw_only=True):
    """A record. `about` are the records attached to a decision, and `reported` is how its call ended.

    `measures` are the type of an error, the duration of the call in milliseconds, and the size of its result in bytes.
    `causes` are the earlier calls of the run that a decision cites.
    """

    seq: int
    record_id: str
    at: int
    kind: str
    what: str
    actor: str
    name: str | None
    outcome: str | None
    approval_id: str | None
    agent_id: str | None
    run_id: str | None
    data: dict[str, Any]
    about: list[dict[str, Any]]
    reported: str | None = None
    measures: dict[str, Any] = msgspec.field(default_factory=dict)
    causes: list[CitedCall] = msgspec.field(default_factory=list)


def timeline(
    database: Database, run_id: str, *, after: int = 0, limit: int = 100
) -> tuple[list[TimelineItem], int | None]:
    """Return a page of a run's timeline, and the record after which the next page begins, if there is one."""
    lines = read_page(database, RecordFilter(run_id=run_id), after=after, limit=limit + 1)
    more = lines[limit - 1].record.seq if len(lines) > limit else None
    return timeline_items(lines[:limit], load_causes(database, lines[:limit])), more


def timeline_items(
    lines: list[StoredRecord], causes: Mapping[int, list[CitedCall]] = MappingProxyType({})
) -> list[TimelineItem]:
    """Return records as a timeline, with attached records and reported outcomes merged into their decision."""
    items: list[TimelineItem] = []
    decisions: dict[str, int] = {}
    for record in (line.record for line in lines):
        if record.kind in SILENT:
            continue
        if record.kind in _ATTACHED and items and items[-1].kind == "decision":
            items[-1].about.append({"kind": record.kind, "name": record.name, **_public_data(record)})
            continue
        decision_id = str(record.data.get("decisionId") or "")
        if is_call_event(record) and decision_id in decisions:
            index = decisions[decision_id]
            items[index] = _with_outcome(items[index], record)
            if record.data.get("text") == items[index].name:
                continue  # it says no more than how the call ended
        if record.kind == "decision":
            decisions[record.record_id] = len(items)
        item = item_of(record)
        cited = causes.get(record.seq)
        items.append(msgspec.structs.replace(item, causes=cited) if cited else item)
    return items


def item_of(record: Record) -> TimelineItem:
    """Return a record as a timeline item."""
    return TimelineItem(
        seq=record.seq,
        record_id=record.record_id,
        at=record.at,
        kind=record.kind,
        what=KINDS.get(record.kind, record.kind),
        actor=record.actor,
        name=record.name,
        outcome=record.outcome,
        approval_id=record.approval_id,
        agent_id=record.agent_id,
        run_id=record.run_id,
        data=_public_data(record),
        about=[],
        measures=measures_of(record) if is_call_event(record) else {},
    )


def _with_outcome(item: TimelineItem, record: Record) -> TimelineItem:
    state = str(record.name).removeprefix("tool.")
    return msgspec.structs.replace(item, reported=state, measures=measures_of(record))


#: Fields that only `interlock audit verify` needs.
_PROOF_FIELDS = ("table", "row", "seal", "key")


def _public_data(record: Record) -> dict[str, Any]:
    return {name: value for name, value in record.data.items() if name not in _PROOF_FIELDS}

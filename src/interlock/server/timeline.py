"""A run as a timeline: each action with its verdict, reasons and outcome, and whatever else happened, in order."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.audit.read import RecordFilter, StoredRecord, read_page
from interlock.audit.record import KINDS, Record
from interlock.model import Struct
from interlock.store.database import Database

#: Records that say more about an action than they are by themselves; they are told together with it.
_ABOUT = ("risk", "override", "download", "bypass")
_OUTCOMES = ("tool.started", "tool.completed", "tool.failed")


class Item(Struct, frozen=True, kw_only=True):
    """One thing that happened. An action says how it was decided; `about` are the records that belong to it."""

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


def timeline(database: Database, run_id: str, *, after: int = 0, limit: int = 100) -> tuple[list[Item], int | None]:
    """Return a page of a run, and where the next one begins after, if there is more."""
    lines = read_page(database, RecordFilter(run_id=run_id), after=after, limit=limit + 1)
    more = lines[limit - 1].record.seq if len(lines) > limit else None
    return items_of(lines[:limit]), more


def items_of(lines: list[StoredRecord]) -> list[Item]:
    """Return records as a timeline: those about an action stand with it, and what was reported of it too."""
    items: list[Item] = []
    decided: dict[str, int] = {}
    for record in (line.record for line in lines):
        if record.kind in _ABOUT and items and items[-1].kind == "decision":
            items[-1].about.append({"kind": record.kind, "name": record.name, **_open(record)})
            continue
        about = str(record.data.get("decisionId") or "")
        if record.kind == "event" and record.name in _OUTCOMES and about in decided:
            items[decided[about]] = _with(items[decided[about]], record)
        if record.kind == "decision":
            decided[record.record_id] = len(items)
        items.append(item_of(record))
    return items


def item_of(record: Record) -> Item:
    """Return a record as one thing that happened."""
    return Item(
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
        data=_open(record),
        about=[],
    )


def _with(item: Item, record: Record) -> Item:
    return msgspec.structs.replace(item, reported=str(record.name).removeprefix("tool."))


#: What a record keeps for its own proof; nobody reads it here.
_OWN = ("table", "row", "seal", "key")


def _open(record: Record) -> dict[str, Any]:
    return {name: value for name, value in record.data.items() if name not in _OWN}

"""Read from a store what the callers of soak were told."""

from __future__ import annotations

import re

import msgspec

from interlock.audit.read import RecordFilter, read_all
from interlock.audit.record import Record
from interlock.store.database import Database
from torture.soak.compare import Kept

#: The names of soak's actions, which are part of what the actions do.
NAME = re.compile(r"soak-\w+-\d+")
_RESULTS = {"approval.approved": "approved", "approval.rejected": "rejected"}


def read_kept(store: str) -> tuple[Kept, int]:
    """Return what a store holds, and the number of its last record."""
    database, kept, last = Database(store), Kept(), 0
    try:
        for line in read_all(database, RecordFilter()):
            _note(line.record, kept)
            last = line.record.seq
    finally:
        database.close()
    return kept, last


def _note(record: Record, kept: Kept) -> None:
    if record.kind == "decision":
        found = NAME.search(msgspec.json.encode(record.data["action"]["inputPayload"]).decode())
        if found:
            kept.decisions[record.record_id] = (found[0], record.outcome or "")
    elif record.kind == "event":
        kept.events[record.record_id] += 1
    elif record.kind == "run.ended" and record.run_id:
        kept.ended_runs.add(record.run_id)
    elif record.kind == "approval.used" and record.approval_id:
        kept.uses[record.approval_id] += 1
    elif record.kind in _RESULTS and record.approval_id:
        kept.answers.setdefault(record.approval_id, []).append(_RESULTS[record.kind])

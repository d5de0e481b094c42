"""The chain of calls behind a decision: which earlier calls of its run it cites."""

from __future__ import annotations

import msgspec

from interlock.audit.read import StoredRecord
from interlock.audit.record import NOT_CONFIGURED
from interlock.model import Struct
from interlock.store.database import Database

_NTH = (
    "SELECT seq, name, body FROM interlock_records WHERE run_id = :run_id AND kind = 'decision' "
    "ORDER BY seq LIMIT 1 OFFSET :before"
)
#: Kinds of records that only serve the memory of a run, and mean nothing to people.
SILENT = frozenset({"memory", "written", "budget"})
MAX_CITED = 8


def is_silent(kind: str, outcome: str | None) -> bool:
    """Whether a record is hidden from people: it is of a run's memory, or of a review without a configured model."""
    return kind in SILENT or (kind == "approval.reviewed" and outcome == NOT_CONFIGURED)


class CitedCall(Struct, frozen=True, kw_only=True):
    """An earlier call that a decision cites."""

    call: int
    seq: int
    tool: str
    text: str


def load_causes(database: Database, lines: list[StoredRecord]) -> dict[int, list[CitedCall]]:
    """Return the calls that decisions cite, by the number of the decision's record."""
    citing = {line.record.seq: line.record for line in lines if line.record.data.get("calls")}
    if not citing:
        return {}
    known: dict[tuple[str, int], CitedCall | None] = {}
    found: dict[int, list[CitedCall]] = {}
    with database.read() as connection:
        for seq, record in citing.items():
            for number in record.data["calls"][:MAX_CITED]:
                key = (record.run_id or "", int(number))
                if key not in known:
                    rows = connection.tuples(_NTH, run_id=key[0], before=max(0, key[1] - 1))
                    known[key] = _describe_call(key[1], *rows[0]) if rows else None
                cited = known[key]
                if cited is not None:
                    found.setdefault(seq, []).append(cited)
    return found


def _describe_call(call: int, seq: int, name: str, body: str) -> CitedCall:
    return CitedCall(call=call, seq=seq, tool=name, text=str(msgspec.json.decode(body)["data"].get("text", "")))

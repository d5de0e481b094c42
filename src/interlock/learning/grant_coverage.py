"""The past actions that a shape covers, and that a grant of it would have allowed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import msgspec

from interlock.approval.request import ApprovalState
from interlock.audit.record import Record
from interlock.learning.shape_matching import ActionRecord, ShapeFit
from interlock.learning.suggestion import PastUse
from interlock.levels import Level, Verdict
from interlock.store.connection import Connection
from interlock.store.database import Database

#: How many past actions of one agent are read, the newest first, and how many of a shape are kept.
MAX_READ = 200_000
MAX_KEPT = 10_000
_AT_ONCE = 1_000
_END = 2**62
_STOPPED = """
    SELECT a.seq, a.at, a.approval_id, r.body FROM interlock_actions a JOIN interlock_records r ON r.seq = a.seq
    WHERE a.agent_id = :agent AND a.tool = :tool AND a.verdict || '' IN ('require_approval', 'block')
    AND a.at <= :at AND (a.at < :at OR a.seq < :seq) ORDER BY a.at DESC, a.seq DESC LIMIT :most
"""
_REQUEST = "SELECT state, request FROM interlock_approvals WHERE approval_id = :approval_id"
_INDEXED = "SELECT at FROM interlock_cursors WHERE name = 'actions'"
_RECORD = msgspec.json.Decoder(Record)


class ShapeCoverage(NamedTuple):
    """The past actions that a shape covers. `is_refused` says that one of them, or what may be one, was not allowed."""

    uses: list[PastUse]
    is_refused: bool
    is_complete: bool


class _ShapeUses:
    """What is found for one shape so far: each action of a run once, with its request if it opened one."""

    def __init__(self, fit: ShapeFit) -> None:
        self.fit = fit
        self.uses: dict[tuple[str | None, str | None], PastUse] = {}
        self.is_refused = False
        self.is_cut = False

    def add_if_covered(self, connection: Connection, record: Record, approval_id: str | None) -> None:
        """Add a past action if the shape covers it."""
        past = _read_recorded_action(record, None)
        if self.is_refused or not self.fit.may_cover(past):
            return
        state = str(record.outcome)
        request = None if approval_id is None else connection.row(_REQUEST, approval_id=approval_id)
        if request is not None:
            state = request["state"]
            past = _read_recorded_action(record, msgspec.json.decode(request["request"])["action"])
            if not self.fit.may_cover(past):
                return
        if state in (ApprovalState.REJECTED.value, Verdict.BLOCK.value):
            self.is_refused = True
        key = record.run_id, record.digest
        is_known = key in self.uses and approval_id is None
        if self.fit.has_risk(past) and not is_known:
            if len(self.uses) >= MAX_KEPT:
                self.is_cut = True
                return
            is_certain = self.fit.is_certain(past)
            self.uses[key] = _use(record, past, state, approval_id, is_certain=is_certain)


def find_coverage(database: Database, fits: Sequence[ShapeFit]) -> list[ShapeCoverage]:
    """Return the reach of each shape, reading the actions of each agent and tool once."""
    found = [_ShapeUses(fit) for fit in fits]
    by_caller: dict[tuple[str, str], list[_ShapeUses]] = defaultdict(list)
    for one in found:
        by_caller[_caller(one)].append(one)
    complete = {key: _read_caller(database, *key, those) for key, those in by_caller.items()}
    return [
        ShapeCoverage(list(one.uses.values()), one.is_refused, complete[_caller(one)] and not one.is_cut)
        for one in found
    ]


def _caller(one: _ShapeUses) -> tuple[str, str]:
    approval = one.fit.approval
    return approval.agent_id or "", str(approval.action.get("toolName"))


def _read_caller(database: Database, agent: str, tool: str, found: Collection[_ShapeUses]) -> bool:
    """Check the actions of an agent and a tool that needed approval or were blocked; return whether all were read."""
    at, seq, read = _END, _END, 0
    while read < MAX_READ:
        with database.read() as connection:  # short reads, so that nothing waits for them
            rows = connection.tuples(_STOPPED, agent=agent, tool=tool, at=at, seq=seq, most=_AT_ONCE)
            for _, _, approval_id, body in rows:
                if those := [one for one in found if one.fit.is_mentioned(body)]:
                    record = _RECORD.decode(body)
                    for one in those:
                        one.add_if_covered(connection, record, approval_id)
            if len(rows) < _AT_ONCE:
                return _is_indexed(connection)
        seq, at = rows[-1][:2]
        read += len(rows)
    return False


def _is_indexed(connection: Connection) -> bool:
    """Whether no decision is newer than the index of actions."""
    upto = connection.value(_INDEXED) or 0
    query = "SELECT 1 FROM interlock_records WHERE kind = 'decision' AND seq > :upto LIMIT 1"
    return connection.value(query, upto=upto) is None


def _read_recorded_action(record: Record, action: dict[str, Any] | None) -> ActionRecord:
    data = record.data
    kept = data.get("action")
    return ActionRecord(
        tool_name=record.name or "",
        agent_id=record.agent_id,
        text=str(data.get("text") or ""),
        level=str(data.get("level") or Level.SAFE.value),
        score=int(data.get("score") or 0),
        rules=frozenset(map(str, data.get("rules") or ())),
        fields=data,
        action=action if action is not None else kept if isinstance(kept, dict) else None,
    )


def _use(record: Record, past: ActionRecord, state: str, approval_id: str | None, *, is_certain: bool) -> PastUse:
    return PastUse(
        seq=record.seq,
        record_id=record.record_id,
        at=record.at,
        text=past.text,
        level=past.level,
        score=past.score,
        state=state,
        run_id=record.run_id,
        approval_id=approval_id,
        is_certain=is_certain,
    )


def riskiest_first(uses: Sequence[PastUse]) -> list[PastUse]:
    """Return past actions with the highest level first, and of one level the newest first."""
    ranks = {level.value: rank for rank, level in enumerate(Level)}
    return sorted(uses, key=lambda use: (-ranks[use.level], -use.seq))

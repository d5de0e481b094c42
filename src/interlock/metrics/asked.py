"""Figures of the approvals: how many, how long they took, how many ran out, and which were rubber stamps."""

from __future__ import annotations

import statistics
from collections import Counter

from interlock.approval.request import ApprovalState
from interlock.metrics.risk import Window
from interlock.model import Struct
from interlock.store.clock import MICROSECONDS
from interlock.store.connection import Connection

MAX_READ = 20_000
#: A request ended with the answer that settled it. What was recorded last may be that the approval was used, later.
_ASKED = """
    SELECT asked.state, asked.created_at, settled.at FROM interlock_approvals asked LEFT JOIN interlock_records settled
    ON settled.approval_id = asked.approval_id AND settled.kind IN ('approval.approved', 'approval.rejected')
    WHERE asked.created_at >= :start AND asked.created_at < :end ORDER BY asked.created_at DESC LIMIT :most
"""
_APPROVERS = """
    SELECT given.approver FROM interlock_answers given JOIN interlock_approvals asked USING (approval_id)
    WHERE asked.created_at >= :start AND asked.created_at < :end LIMIT :most
"""


class Waiting(Struct, frozen=True, kw_only=True):
    """How long requests took from the question to the answer, in seconds."""

    median: float
    p90: float
    longest: float


class Asked(Struct, frozen=True, kw_only=True):
    """What `GET /v1/metrics/approvals` answers. `rubberStamps` are approvals quicker than reading."""

    window: Window
    total: int
    states: dict[str, int]
    waiting: Waiting | None
    approvers: dict[str, int]
    rubber_stamps: int
    sampled: bool


def asked(connection: Connection, within: Window, rubber_stamps: int) -> Asked:
    """Return the figures of the requests that were opened in a window; of very many, of the newest."""
    inside = {"start": within.start, "end": within.end, "most": MAX_READ}
    rows = connection.tuples(_ASKED, **inside)
    answered = [(ended - created) / MICROSECONDS for _, created, ended in rows if ended is not None]
    return Asked(
        window=within,
        total=len(rows),
        states={state.value: sum(row[0] == state.value for row in rows) for state in ApprovalState},
        waiting=_waiting(answered),
        approvers=dict(Counter(connection.values(_APPROVERS, **inside)).most_common(MAX_LISTED)),
        rubber_stamps=rubber_stamps,
        sampled=len(rows) == MAX_READ,
    )


MAX_LISTED = 20


def _waiting(seconds: list[float]) -> Waiting | None:
    if not seconds:
        return None
    ordered = sorted(seconds)
    p90 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.9))]
    return Waiting(median=round(statistics.median(ordered), 1), p90=round(p90, 1), longest=round(ordered[-1], 1))

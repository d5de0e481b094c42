"""Metrics of approval requests: how many, how long they took, how many expired or were rubber-stamped."""

from __future__ import annotations

import statistics
from collections import Counter

from interlock.approval.request import ApprovalState
from interlock.metrics.window import Window
from interlock.model import Struct
from interlock.store.clock import MICROSECONDS
from interlock.store.connection import Connection

#: Of more requests, only the newest are evaluated.
MAX_READ = 20_000
MAX_LISTED = 20
#: A request ends with the record of its approval or rejection; later records may say that the approval was used.
_REQUESTS = """
    SELECT request.state, request.created_at, answer.at
    FROM interlock_approvals request LEFT JOIN interlock_records answer
    ON answer.approval_id = request.approval_id AND answer.kind IN ('approval.approved', 'approval.rejected')
    WHERE request.created_at >= :start AND request.created_at < :end ORDER BY request.created_at DESC LIMIT :most
"""
_APPROVERS = """
    SELECT answer.approver FROM interlock_answers answer JOIN interlock_approvals request USING (approval_id)
    WHERE request.created_at >= :start AND request.created_at < :end LIMIT :most
"""


class AnswerTimes(Struct, frozen=True, kw_only=True):
    """How long requests waited for their answer, in seconds."""

    median: float
    p90: float
    longest: float


class ApprovalMetrics(Struct, frozen=True, kw_only=True):
    """What `GET /v1/metrics/approvals` returns. `rubberStamps` counts approvals faster than the request can be read."""

    window: Window
    total: int
    states: dict[str, int]
    waiting: AnswerTimes | None
    approvers: dict[str, int]
    rubber_stamps: int
    sampled: bool


def approval_metrics(connection: Connection, window: Window, rubber_stamps: int) -> ApprovalMetrics:
    """Return the metrics of the requests that were opened in a window."""
    bounds = {"start": window.start, "end": window.end, "most": MAX_READ}
    rows = connection.tuples(_REQUESTS, **bounds)
    seconds = [(ended - created) / MICROSECONDS for _, created, ended in rows if ended is not None]
    return ApprovalMetrics(
        window=window,
        total=len(rows),
        states={state.value: sum(row[0] == state.value for row in rows) for state in ApprovalState},
        waiting=_answer_times(seconds),
        approvers=dict(Counter(connection.values(_APPROVERS, **bounds)).most_common(MAX_LISTED)),
        rubber_stamps=rubber_stamps,
        sampled=len(rows) == MAX_READ,
    )


def _answer_times(seconds: list[float]) -> AnswerTimes | None:
    if not seconds:
        return None
    ordered = sorted(seconds)
    p90 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.9))]
    return AnswerTimes(median=round(statistics.median(ordered), 1), p90=round(p90, 1), longest=round(ordered[-1], 1))

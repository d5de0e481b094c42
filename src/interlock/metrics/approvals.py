"""Metrics of approval requests: how many, how long they took, how many expired or were rubber-stamped."""

from __future__ import annotations

import statistics
from collections import Counter

from interlock.approval.request import ApprovalState
from interlock.metrics.window import Window
from interlock.model import Struct
from interlock.store.clock import MICROSECONDS
from interlock.store.connection import Connection

#: Of more requests, the times and approvers of the newest are evaluated. All of them are counted.
MAX_READ = 2_000
MAX_LISTED = 20
#: A request ends with the record of its approval or rejection; later records may say that the approval was used.
#: The requests are read by time, not by state: an expression in place of the column makes sure of that.
#: Most often, that record is the newest about its request: a record is found faster by its number than by its request.
_TIMES = """
    SELECT request.created_at, coalesce(newest.at, (
        SELECT max(answer.at) FROM interlock_records answer WHERE answer.approval_id = request.approval_id
        AND answer.kind IN ('approval.approved', 'approval.rejected')
    )) FROM (
        SELECT approval_id, created_at, seq FROM interlock_approvals
        WHERE created_at >= :start AND created_at < :end AND state || '' IN ('approved', 'rejected')
        ORDER BY created_at DESC LIMIT :most
    ) AS request LEFT JOIN interlock_records newest
    ON newest.seq = request.seq AND newest.kind IN ('approval.approved', 'approval.rejected')
"""
_STATES = """
    SELECT state, count(*) FROM interlock_approvals WHERE created_at >= :start AND created_at < :end GROUP BY state
"""
_APPROVERS = """
    SELECT answer.approver FROM interlock_answers answer JOIN interlock_approvals request USING (approval_id)
    WHERE request.created_at >= :start AND request.created_at < :end ORDER BY request.created_at DESC LIMIT :most
"""


class AnswerTimes(Struct, frozen=True, kw_only=True):
    """How long requests waited for their answer, in seconds."""

    median: float
    p90: float
    longest: float


class ApprovalMetrics(Struct, frozen=True, kw_only=True):
    """What `GET /v1/metrics/approvals` returns. `rubberStamps` counts approvals faster than the request can be read.

    `sampled` says that `waiting` and `approvers` are those of the newest requests only.
    """

    window: Window
    total: int
    states: dict[str, int]
    waiting: AnswerTimes | None
    approvers: dict[str, int]
    rubber_stamps: int
    sampled: bool


def approval_metrics(connection: Connection, window: Window, rubber_stamps: int) -> ApprovalMetrics:
    """Return the metrics of the requests that were opened in a window."""
    bounds = {"start": window.start, "end": window.end}
    states = {state: int(number) for state, number in connection.tuples(_STATES, **bounds)}
    times = connection.tuples(_TIMES, most=MAX_READ, **bounds)
    approvers = connection.values(_APPROVERS, most=MAX_READ, **bounds)
    return ApprovalMetrics(
        window=window,
        total=sum(states.values()),
        states={state.value: states.get(state.value, 0) for state in ApprovalState},
        waiting=_answer_times([(ended - created) / MICROSECONDS for created, ended in times if ended is not None]),
        approvers=dict(Counter(approvers).most_common(MAX_LISTED)),
        rubber_stamps=rubber_stamps,
        sampled=MAX_READ in (len(times), len(approvers)),
    )


def _answer_times(seconds: list[float]) -> AnswerTimes | None:
    if not seconds:
        return None
    ordered = sorted(seconds)
    p90 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.9))]
    return AnswerTimes(median=round(statistics.median(ordered), 1), p90=round(p90, 1), longest=round(ordered[-1], 1))

"""Figures of the approvals: how many, how long they took, how many ran out, and which were rubber stamps."""

from __future__ import annotations

import statistics
from collections import Counter

from sqlalchemy import Connection, select

from interlock.approval.request import State
from interlock.metrics.risk import Window
from interlock.model import Struct
from interlock.store.clock import MICROSECONDS
from interlock.store.tables import answers, approvals, records

MAX_READ = 20_000
#: The answer that settled a request. What was recorded last may be that the approval was used, much later.
_SETTLED = ("approval.approved", "approval.rejected")


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
    inside = (approvals.c.created_at >= within.start, approvals.c.created_at < within.end)
    columns = (approvals.c.approval_id, approvals.c.state, approvals.c.created_at, records.c.at.label("ended"))
    settled = (records.c.approval_id == approvals.c.approval_id) & records.c.kind.in_(_SETTLED)
    query = (
        select(*columns)
        .join(records, settled, isouter=True)
        .where(*inside)
        .order_by(approvals.c.created_at.desc())
        .limit(MAX_READ)
    )
    rows = connection.execute(query).all()
    by = select(answers.c.approver).join(approvals, approvals.c.approval_id == answers.c.approval_id).where(*inside)
    answered = [(ended - created) / MICROSECONDS for _, _, created, ended in rows if ended is not None]
    return Asked(
        window=within,
        total=len(rows),
        states={state.value: sum(row[1] == state.value for row in rows) for state in State},
        waiting=_waiting(answered),
        approvers=dict(Counter(connection.execute(by.limit(MAX_READ)).scalars()).most_common(MAX_LISTED)),
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

"""`/v1/metrics`: how risky it was, and what became of the requests."""

from __future__ import annotations

from typing import Literal

from litestar import get
from litestar.params import FromQuery

from interlock.approval.rubber_stamps import find_rubber_stamps
from interlock.metrics.asked import Asked, asked
from interlock.metrics.counting import count_new
from interlock.metrics.risk import Risk, Window, risk, window
from interlock.server.api.shared import SEE, Served, Since, Until, moment, problems, threaded
from interlock.server.service import Service
from interlock.store.clock import now

#: So many of the newest answers are looked at for rubber stamps.
MAX_STAMPS = 500
Bucket = Literal["minute", "hour", "day"]


@get(
    "/metrics/risk",
    opt={"right": SEE},
    responses=problems(),
    summary="Risk over time, by tool, agent and policy",
    tags=["metrics"],
)
async def risk_metrics(
    service: Served, since: Since = None, until: Until = None, bucket: FromQuery[Bucket | None] = None
) -> Risk:
    """Return the risk figures of a time; the last day where none is given."""
    within = window(moment(since, "from"), moment(until, "to"), bucket, now().wall)
    return await threaded(risk_of, service, within)


@get(
    "/metrics/approvals",
    opt={"right": SEE},
    responses=problems(),
    summary="How many requests, how long they took, how many ran out",
    tags=["metrics"],
)
async def approval_metrics(
    service: Served, since: Since = None, until: Until = None, bucket: FromQuery[Bucket | None] = None
) -> Asked:
    """Return the figures of the approvals of a time; the last day where none is given."""
    within = window(moment(since, "from"), moment(until, "to"), bucket, now().wall)
    return await threaded(asked_of, service, within)


def risk_of(service: Service, within: Window) -> Risk:
    """Return the risk figures, with everything that is recorded by now."""
    count_new(service.journal)
    with service.journal.database.read() as connection:
        return risk(connection, within)


def asked_of(service: Service, within: Window) -> Asked:
    """Return the figures of the approvals."""
    found = find_rubber_stamps(service.journal.database, since=within.start, limit=MAX_STAMPS)
    stamped = sum(1 for stamp in found if stamp.answer.at < within.end)
    with service.journal.database.read() as connection:
        return asked(connection, within, stamped)


ROUTES = [risk_metrics, approval_metrics]

"""`/v1/metrics`: risk over time, and what became of approval requests."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Literal

from litestar import get
from litestar.params import FromQuery, QueryParameter

from interlock.approval.rubber_stamps import find_rubber_stamps
from interlock.metrics.approvals import ApprovalMetrics, approval_metrics
from interlock.metrics.counters import count_new_records
from interlock.metrics.observe_report import MAX_DAYS, ObserveReport, observe_report
from interlock.metrics.risk import RiskMetrics, risk_metrics
from interlock.metrics.window import Window, make_window
from interlock.server.api.parameters import SEE, ServiceDependency, Since, Until, parse_time
from interlock.server.api.responses import problem_responses
from interlock.server.service import Service
from interlock.store.clock import now

#: How many of the newest answers are checked for rubber stamps.
MAX_STAMPS = 500
BucketSize = Literal["minute", "hour", "day"]
Days = Annotated[int, QueryParameter(ge=1, le=MAX_DAYS, description="how many days back")]
AgentQuery = Annotated[
    str | None, QueryParameter(max_length=200, description="only this agent and the agents below it")
]


@get(
    "/metrics/risk",
    opt={"right": SEE},
    responses=problem_responses(),
    summary="Risk over time, by tool, agent and policy",
    tags=["metrics"],
)
async def get_risk_metrics(
    service: ServiceDependency, since: Since = None, until: Until = None, bucket: FromQuery[BucketSize | None] = None
) -> RiskMetrics:
    """Return the risk metrics of a time span, by default the last day."""
    window = make_window(parse_time(since, "from"), parse_time(until, "to"), bucket, now().wall)
    return await to_thread(load_risk_metrics, service, window)


@get(
    "/metrics/approvals",
    opt={"right": SEE},
    responses=problem_responses(),
    summary="Approval requests: how many, how long they took, how many expired",
    tags=["metrics"],
)
async def get_approval_metrics(
    service: ServiceDependency, since: Since = None, until: Until = None, bucket: FromQuery[BucketSize | None] = None
) -> ApprovalMetrics:
    """Return the approval metrics of a time span, by default the last day."""
    window = make_window(parse_time(since, "from"), parse_time(until, "to"), bucket, now().wall)
    return await to_thread(load_approval_metrics, service, window)


@get(
    "/metrics/observed",
    opt={"right": SEE},
    responses=problem_responses(),
    summary="Observed actions that would have been stopped",
    tags=["metrics"],
)
async def get_observe_report(service: ServiceDependency, days: Days = 7, agent: AgentQuery = None) -> ObserveReport:
    """Report the observed actions of the last days that would have been stopped."""
    return await to_thread(observe_report, service.journal, days, agent)


def load_risk_metrics(service: Service, window: Window) -> RiskMetrics:
    """Return the risk metrics, including everything that is recorded by now."""
    count_new_records(service.journal)
    with service.journal.database.read() as connection:
        return risk_metrics(connection, window)


def load_approval_metrics(service: Service, window: Window) -> ApprovalMetrics:
    """Return the approval metrics."""
    stamped = find_stamped(service, window.start, window.end)
    with service.journal.database.read() as connection:
        return approval_metrics(connection, window, len(stamped))


def find_stamped(service: Service, start: int, end: int) -> tuple[str, ...]:
    """Return the ids of the requests of a time span that were approved faster than they can be read."""
    found = find_rubber_stamps(service.journal.database, since=start, limit=MAX_STAMPS)
    return tuple(dict.fromkeys(stamp.approval_id for stamp in found if stamp.answer.at < end))


ROUTES = [get_risk_metrics, get_approval_metrics, get_observe_report]

"""`/healthz`, `/readyz` and `/metrics`: for load balancers and monitoring."""

from __future__ import annotations

from asyncio import to_thread

from litestar import Response, get

from interlock.access.roles import Right
from interlock.audit.chain import read_head
from interlock.model import Struct
from interlock.server.api.parameters import ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.authorization import IN_OUTAGE, OPEN
from interlock.server.problems import RequestError
from interlock.server.service import Service
from interlock.server.store_state import read_store_state
from interlock.version import VERSION

#: The public message about servers that differ. The log and the overview say more.
DIFFERING = "the servers of this store decide by different configurations"


class HealthStatus(Struct, frozen=True, kw_only=True):
    """The status and version of the server. `problems` are those of its configuration."""

    status: str
    version: str
    problems: tuple[str, ...] = ()


@get("/healthz", opt={"right": OPEN}, responses=problem_responses(), summary="Is the server alive?", tags=["health"])
async def healthz() -> HealthStatus:
    """Report that the server is alive."""
    return HealthStatus(status="ok", version=VERSION)


@get(
    "/readyz",
    opt={"right": OPEN},
    responses=problem_responses(),
    summary="Can the server decide and record?",
    tags=["health"],
)
async def readyz(service: ServiceDependency) -> HealthStatus:
    """Report whether the store can be read, and whether the configuration loads and is that of the other servers."""
    await to_thread(_read_head, service)
    if not service.is_configured:
        raise RequestError(503, "the newest configuration does not load, and an older one is in force; see the log")
    if service.problems:
        return HealthStatus(status="ready", version=VERSION, problems=(DIFFERING,))
    return HealthStatus(status="ready", version=VERSION)


def _read_head(service: Service) -> None:
    with service.journal.database.read() as connection:
        read_head(connection)


@get(
    "/metrics",
    opt={"right": OPEN, IN_OUTAGE: True},
    responses=problem_responses(),
    media_type="text/plain",
    summary="Metrics for Prometheus",
    description="Requires a key with the right `see`, unless `server.open_metrics = true`.",
    tags=["health"],
)
async def metrics(request: ApiRequest, service: ServiceDependency) -> Response[bytes]:
    """Return the metrics in Prometheus's format."""
    caller = request.scope.get("user")
    if not service.settings.open_metrics:
        if caller is None:
            raise RequestError(401, "send a key with the right `see`, or set `server.open_metrics = true`")
        if not caller.may(Right.SEE):
            raise RequestError(403, f"this requires the right to `see`, which the role `{caller.role.value}` lacks")
    state = await read_store_state(service.journal.database)
    deliveries = service.webhook_worker.results
    body, content_type = service.prometheus.render(state, records=service.journal.last_seq, deliveries=deliveries)
    return Response(body, headers={"content-type": content_type})


ROUTES = [healthz, readyz, metrics]

"""`/healthz`, `/readyz` and `/metrics`: for whoever keeps the server running."""

from __future__ import annotations

from litestar import Response, get

from interlock.access.roles import Right
from interlock.audit.chain import read_head
from interlock.model import Struct
from interlock.server.api.shared import Call, Served, problems, threaded
from interlock.server.doors import OPEN
from interlock.server.problem import Refused
from interlock.server.service import Service
from interlock.version import VERSION


class Health(Struct, frozen=True, kw_only=True):
    """That the server answers, and which version it is."""

    status: str
    version: str


@get("/healthz", opt={"right": OPEN}, responses=problems(), summary="Is the server there?", tags=["health"])
async def healthz() -> Health:
    """Say that the server is there."""
    return Health(status="ok", version=VERSION)


@get("/readyz", opt={"right": OPEN}, responses=problems(), summary="Can it decide and record?", tags=["health"])
async def readyz(service: Served) -> Health:
    """Say whether the store answers."""
    await threaded(_read, service)
    return Health(status="ready", version=VERSION)


def _read(service: Service) -> None:
    with service.journal.database.read() as connection:
        read_head(connection)


@get(
    "/metrics",
    opt={"right": OPEN},
    responses=problems(),
    media_type="text/plain",
    summary="Figures for Prometheus",
    description="Takes a key that may see, unless `server.open_metrics = true`.",
    tags=["health"],
)
async def metrics(request: Call, service: Served) -> Response[bytes]:
    """Return the figures in Prometheus's own format."""
    caller = request.scope.get("user")
    if not service.settings.open_metrics:
        if caller is None:
            raise Refused(401, "send a key that may see, or set `server.open_metrics = true`")
        if not caller.may(Right.SEE):
            raise Refused(403, f"this takes the right to `see`, and `{caller.role.value}` does not have it")
    pending = await threaded(service.gate.approvals.count)
    body, kind = service.gauges.exposition(pending=pending, records=service.journal.last_seq)
    return Response(body, headers={"content-type": kind})


ROUTES = [healthz, readyz, metrics]

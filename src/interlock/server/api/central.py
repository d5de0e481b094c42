"""`/v1/bundle` and `/v1/machines`: signed policies for other machines, and the version that each machine uses."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated

from litestar import Response, get, post
from litestar.datastructures import ResponseHeader
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import HeaderParameter, JSONBody

from interlock.access.machines import Machine, MachineReport
from interlock.config.bundle import SignedBundle
from interlock.model import Struct
from interlock.server.api.parameters import PULL, SEE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses

IfNoneMatch = Annotated[
    str | None, HeaderParameter(name="if-none-match", max_length=200, description="the `ETag` of the bundle in force")
]
_ETAG = [ResponseHeader(name="ETag", description="the version, for `If-None-Match`", documentation_only=True)]
_NOT_MODIFIED = ResponseSpec(None, description="The bundle in force is the newest", generate_examples=False)


class MachineList(Struct, frozen=True, kw_only=True):
    """The machines that have reported, and the current version of the bundle."""

    bundle: str
    items: list[Machine]


@get(
    "/bundle",
    opt={"right": PULL},
    responses={**problem_responses(), 304: _NOT_MODIFIED},
    response_headers=_ETAG,
    summary="Policies and settings for other machines",
    description="Signed by this server's key. `bundle` is a JSON string; the signature covers that string.",
    tags=["central"],
)
async def get_bundle(service: ServiceDependency, if_none_match: IfNoneMatch = None) -> Response[SignedBundle | None]:
    """Return the bundle, or status 304 if the caller has it already."""
    issued = await to_thread(service.current_bundle)
    headers = {"etag": issued.bundle.etag}
    if if_none_match == issued.bundle.etag:
        return Response(None, status_code=304, headers=headers)
    return Response(issued.signed, headers=headers)


@post(
    "/machines",
    opt={"right": PULL},
    status_code=200,
    responses=problem_responses(),
    summary="Report the bundle in force on a machine",
    tags=["central"],
)
async def report_machine(request: ApiRequest, service: ServiceDependency, data: JSONBody[MachineReport]) -> Machine:
    """Store the report of a machine."""
    return await to_thread(service.machines.report, request.user, data)


@get("/machines", opt={"right": SEE}, responses=problem_responses(), summary="All machines", tags=["central"])
async def list_machines(service: ServiceDependency) -> MachineList:
    """List the machines that pull policies from this server."""
    issued = await to_thread(service.current_bundle)
    return MachineList(bundle=issued.bundle.version, items=await to_thread(service.machines.list))


ROUTES = [get_bundle, report_machine, list_machines]

"""`/v1/policies`: written in versions, switched on and off, restored, and tried on what has been."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Response, delete, get, post, put
from litestar.datastructures import ResponseHeader
from litestar.params import FromPath, HeaderParameter, JSONBody, PathParameter

from interlock.errors import ConflictError
from interlock.model import Struct
from interlock.policies.repository import Version
from interlock.policies.simulation import Simulation
from interlock.server.api.parameters import MANAGE, SEE, Call, Served, problems, threaded
from interlock.server.policy_editor import (
    Draft,
    PolicyGiven,
    PolicyWire,
    Trial,
    Tried,
    known_version,
    listed,
    next_version,
    one,
    remove,
    restored,
    save,
    simulated,
    switched,
    tag,
    tried,
    wire_of,
)

IfMatch = Annotated[str | None, HeaderParameter(name="if-match", max_length=100, description="the `ETag` you read")]


_ETAG = [ResponseHeader(name="ETag", description="names this version, for `If-Match`", documentation_only=True)]


class Versions(Struct, frozen=True, kw_only=True):
    """Every version of a policy, the newest first."""

    items: list[Version]


class Policies(Struct, frozen=True, kw_only=True):
    """All policies that count, and those that are switched off."""

    items: list[PolicyWire]


def _tagged(wire: PolicyWire, status: int = 200) -> Response[PolicyWire]:
    return Response(wire, status_code=status, headers={"etag": tag(wire)})


@get("/policies", opt={"right": SEE}, responses=problems(), summary="All policies", tags=["policies"])
async def list_policies(service: Served) -> Policies:
    """List the policies."""
    return Policies(items=await threaded(listed, service))


@post(
    "/policies",
    opt={"right": MANAGE},
    responses=problems(),
    response_headers=_ETAG,
    summary="Write a new policy",
    tags=["policies"],
)
async def make_policy(request: Call, service: Served, data: JSONBody[PolicyGiven]) -> Response[PolicyWire]:
    """Write a new policy."""

    def work() -> PolicyWire:
        known = next_version(service, data.policy_id)
        return wire_of(save(service, request.user.name, data, known=known))

    return _tagged(await threaded(work), 201)


@get(
    "/policies/{policy_id:str}",
    opt={"right": SEE},
    responses=problems(),
    response_headers=_ETAG,
    summary="One policy",
    tags=["policies"],
)
async def get_policy(service: Served, policy_id: FromPath[str]) -> Response[PolicyWire]:
    """Show a policy."""
    return _tagged(await threaded(one, service, policy_id))


@put(
    "/policies/{policy_id:str}",
    opt={"right": MANAGE},
    responses=problems(412, 428),
    response_headers=_ETAG,
    summary="Change a policy",
    description="Writes the next version. `If-Match` says which one you have read; a lost update is refused.",
    tags=["policies"],
)
async def change_policy(
    request: Call, service: Served, policy_id: FromPath[str], data: JSONBody[PolicyGiven], if_match: IfMatch = None
) -> Response[PolicyWire]:
    """Change a policy."""

    def work() -> PolicyWire:
        if data.policy_id != policy_id:
            raise ConflictError("the id in the address and the one in the policy differ; a policy keeps its id")
        known = known_version(one(service, policy_id), if_match)
        return wire_of(save(service, request.user.name, data, known=known))

    return _tagged(await threaded(work))


@delete(
    "/policies/{policy_id:str}",
    opt={"right": MANAGE},
    status_code=204,
    responses=problems(412, 428),
    summary="Remove a policy",
    description="Its versions stay, and any of them can be restored.",
    tags=["policies"],
)
async def remove_policy(request: Call, service: Served, policy_id: FromPath[str], if_match: IfMatch = None) -> None:
    """Remove a policy."""

    def work() -> None:
        wire = one(service, policy_id)
        remove(service, request.user.name, wire, known=known_version(wire, if_match))

    await threaded(work)


@get(
    "/policies/{policy_id:str}/versions",
    opt={"right": SEE},
    responses=problems(),
    summary="Every version of a policy",
    tags=["policies"],
)
async def list_versions(service: Served, policy_id: FromPath[str]) -> Versions:
    """List the versions of a policy."""
    found = await threaded(service.gate.book.versions, policy_id)
    if not found:
        await threaded(one, service, policy_id)  # a shipped one has none yet
    return Versions(items=found)


@post(
    "/policies/{policy_id:str}/versions/{version:int}/restore",
    opt={"right": MANAGE},
    status_code=200,
    responses=problems(412),
    response_headers=_ETAG,
    summary="Restore a version",
    description="Writes it anew as the newest version. With `If-Match`, only if nothing was written since.",
    tags=["policies"],
)
async def restore_version(
    request: Call,
    service: Served,
    policy_id: FromPath[str],
    version: Annotated[int, PathParameter(ge=1, le=1_000_000)],
    if_match: IfMatch = None,
) -> Response[PolicyWire]:
    """Restore a version of a policy."""
    return _tagged(wire_of(await threaded(restored, service, request.user.name, policy_id, version, if_match)))


@post(
    "/policies/{policy_id:str}/{switch:str}",
    opt={"right": MANAGE},
    status_code=200,
    responses=problems(),
    response_headers=_ETAG,
    summary="Switch a policy on or off: `enable`, `disable`",
    tags=["policies"],
)
async def switch_policy(
    request: Call,
    service: Served,
    policy_id: FromPath[str],
    switch: Annotated[str, PathParameter(pattern="^(enable|disable)$")],
) -> Response[PolicyWire]:
    """Switch a policy on or off."""
    found = await threaded(switched, service, request.user.name, policy_id, enabled=switch == "enable")
    return _tagged(found)


@post(
    "/policies/simulate",
    opt={"right": SEE},
    status_code=200,
    responses=problems(),
    summary="Try a draft on past actions",
    description="Says what would have been answered otherwise, with examples. Nothing is changed. A policy that looks "
    "into the input can only tell of actions whose input was kept (`audit.payloads = true`); the others are `unknown`. "
    "So are all where one takes `effects` apart: of those, only the kinds are kept.",
    tags=["policies"],
)
async def simulate_policies(service: Served, data: JSONBody[Draft]) -> Simulation:
    """Try a draft of the policies on what has been."""
    return await threaded(simulated, service, data)


@post(
    "/policies/test",
    opt={"right": SEE},
    status_code=200,
    responses=problems(),
    summary="Try a policy on an action",
    description="Says whether it matches, and what would be decided. Nothing is recorded.",
    tags=["policies"],
)
async def try_policy(service: Served, data: JSONBody[Trial]) -> Tried:
    """Try a policy on an action."""
    return await threaded(tried, service, data)


ROUTES: list[Any] = [
    list_policies,
    make_policy,
    get_policy,
    change_policy,
    remove_policy,
    list_versions,
    restore_version,
    switch_policy,
    simulate_policies,
    try_policy,
]

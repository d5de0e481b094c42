"""`/v1/policies`: policies in versions, switched on and off, restored, and tested against past actions."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any

from litestar import Response, delete, get, post, put
from litestar.datastructures import ResponseHeader
from litestar.params import FromPath, HeaderParameter, JSONBody, PathParameter

from interlock.errors import ConflictError
from interlock.model import Struct
from interlock.policies.drafts import PolicyDraft
from interlock.policies.policy_input import PolicyInput
from interlock.policies.repository import PolicyVersion
from interlock.policies.simulation import Simulation
from interlock.server import policy_editor, policy_simulation
from interlock.server.api.parameters import MANAGE, SEE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.policy_editor import PolicyWire
from interlock.server.policy_simulation import PolicyTrial, PolicyTrialResult

IfMatch = Annotated[
    str | None, HeaderParameter(name="if-match", max_length=100, description="the `ETag` that you read")
]


_ETAG = [ResponseHeader(name="ETag", description="the version, for `If-Match`", documentation_only=True)]


class PolicyVersionList(Struct, frozen=True, kw_only=True):
    """Every version of a policy, newest first."""

    items: list[PolicyVersion]


class PolicyList(Struct, frozen=True, kw_only=True):
    """All policies, including those that are switched off."""

    items: list[PolicyWire]


def _with_etag(wire: PolicyWire, status: int = 200) -> Response[PolicyWire]:
    return Response(wire, status_code=status, headers={"etag": policy_editor.etag(wire)})


@get("/policies", opt={"right": SEE}, responses=problem_responses(), summary="All policies", tags=["policies"])
async def list_policies(service: ServiceDependency) -> PolicyList:
    """List the policies."""
    return PolicyList(items=await to_thread(policy_editor.list_policies, service))


@post(
    "/policies",
    opt={"right": MANAGE},
    responses=problem_responses(),
    response_headers=_ETAG,
    summary="Create a policy",
    tags=["policies"],
)
async def create_policy(
    request: ApiRequest, service: ServiceDependency, data: JSONBody[PolicyInput]
) -> Response[PolicyWire]:
    """Create a policy."""

    def work() -> PolicyWire:
        known = policy_editor.base_version(service, data.policy_id)
        return policy_editor.as_current_policy(policy_editor.save_policy(service, request.user.name, data, known=known))

    return _with_etag(await to_thread(work), 201)


@get(
    "/policies/{policy_id:str}",
    opt={"right": SEE},
    responses=problem_responses(),
    response_headers=_ETAG,
    summary="One policy",
    tags=["policies"],
)
async def get_policy(service: ServiceDependency, policy_id: FromPath[str]) -> Response[PolicyWire]:
    """Show a policy."""
    return _with_etag(await to_thread(policy_editor.get_policy, service, policy_id))


@put(
    "/policies/{policy_id:str}",
    opt={"right": MANAGE},
    responses=problem_responses(412, 428),
    response_headers=_ETAG,
    summary="Change a policy",
    description="Writes the next version. `If-Match` names the version that you read; a lost update is rejected.",
    tags=["policies"],
)
async def change_policy(
    request: ApiRequest,
    service: ServiceDependency,
    policy_id: FromPath[str],
    data: JSONBody[PolicyInput],
    if_match: IfMatch = None,
) -> Response[PolicyWire]:
    """Change a policy."""

    def work() -> PolicyWire:
        if data.policy_id != policy_id:
            raise ConflictError("the id in the URL and the id in the policy differ; a policy keeps its id")
        known = policy_editor.check_etag(policy_editor.get_policy(service, policy_id), if_match)
        return policy_editor.as_current_policy(policy_editor.save_policy(service, request.user.name, data, known=known))

    return _with_etag(await to_thread(work))


@delete(
    "/policies/{policy_id:str}",
    opt={"right": MANAGE},
    status_code=204,
    responses=problem_responses(412, 428),
    summary="Remove a policy",
    description="Its versions are kept, and any of them can be restored.",
    tags=["policies"],
)
async def remove_policy(
    request: ApiRequest, service: ServiceDependency, policy_id: FromPath[str], if_match: IfMatch = None
) -> None:
    """Remove a policy."""

    def work() -> None:
        wire = policy_editor.get_policy(service, policy_id)
        known = policy_editor.check_etag(wire, if_match)
        policy_editor.remove_policy(service, request.user.name, wire, known=known)

    await to_thread(work)


@get(
    "/policies/{policy_id:str}/versions",
    opt={"right": SEE},
    responses=problem_responses(),
    summary="Every version of a policy",
    tags=["policies"],
)
async def list_versions(service: ServiceDependency, policy_id: FromPath[str]) -> PolicyVersionList:
    """List the versions of a policy."""
    found = await to_thread(service.gate.policies.versions, policy_id)
    if not found:
        await to_thread(policy_editor.get_policy, service, policy_id)  # raises, unless it is a shipped policy
    return PolicyVersionList(items=found)


@post(
    "/policies/{policy_id:str}/versions/{version:int}/restore",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(412),
    response_headers=_ETAG,
    summary="Restore a version",
    description="Writes it again as the newest version. With `If-Match`, only if the policy has not changed since.",
    tags=["policies"],
)
async def restore_version(
    request: ApiRequest,
    service: ServiceDependency,
    policy_id: FromPath[str],
    version: Annotated[int, PathParameter(ge=1, le=1_000_000)],
    if_match: IfMatch = None,
) -> Response[PolicyWire]:
    """Restore a version of a policy."""
    restored = await to_thread(policy_editor.restore_policy, service, request.user.name, policy_id, version, if_match)
    return _with_etag(policy_editor.as_current_policy(restored))


@post(
    "/policies/{policy_id:str}/{switch:str}",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    response_headers=_ETAG,
    summary="Switch a policy on or off: `enable`, `disable`",
    tags=["policies"],
)
async def switch_policy(
    request: ApiRequest,
    service: ServiceDependency,
    policy_id: FromPath[str],
    switch: Annotated[str, PathParameter(pattern="^(enable|disable)$")],
) -> Response[PolicyWire]:
    """Switch a policy on or off."""
    found = await to_thread(
        policy_editor.set_enabled, service, request.user.name, policy_id, enabled=switch == "enable"
    )
    return _with_etag(found)


@post(
    "/policies/simulate",
    opt={"right": SEE},
    status_code=200,
    responses=problem_responses(),
    summary="Test a draft against past actions",
    description="Returns which decisions would have been different, with examples. Nothing is changed. A policy that "
    "reads the input can only be tested against actions whose input was recorded (`audit.payloads`); the others "
    "count as `unknown`. So do all actions if it reads details of `effects`: only their kinds are recorded. The newest "
    "actions come first, for about five seconds. If `isComplete` is false, send the draft again with `before` set to "
    "`first` to test older ones.",
    tags=["policies"],
)
async def simulate_policies(service: ServiceDependency, data: JSONBody[PolicyDraft]) -> Simulation:
    """Test a draft against past actions."""
    return await to_thread(policy_simulation.simulate_in_time, service, data)


@post(
    "/policies/test",
    opt={"right": SEE},
    status_code=200,
    responses=problem_responses(),
    summary="Test a policy against an action",
    description="Returns whether it matches, and what would be decided. Nothing is recorded.",
    tags=["policies"],
)
async def try_policy(service: ServiceDependency, data: JSONBody[PolicyTrial]) -> PolicyTrialResult:
    """Test a policy against an action."""
    return await to_thread(policy_simulation.try_policy, service, data)


ROUTES: list[Any] = [
    list_policies,
    create_policy,
    get_policy,
    change_policy,
    remove_policy,
    list_versions,
    restore_version,
    switch_policy,
    simulate_policies,
    try_policy,
]

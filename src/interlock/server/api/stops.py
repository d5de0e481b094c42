"""`/v1/stops`: refuse every action of an agent, an API key, or all agents, at once."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated

import msgspec
from litestar import get, post
from litestar.params import JSONBody

from interlock.audit.stops import Stop, Stops, StopTarget
from interlock.errors import InterlockError
from interlock.model import Struct
from interlock.server.api.parameters import ANSWER, MANAGE, SEE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.service import Service

AgentId = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
StopKey = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]


class NewStop(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to stop: an agent, an API key by its id or name, or everything if neither is given."""

    agent_id: AgentId | None = None
    key: StopKey | None = None
    reason: Annotated[str, msgspec.Meta(max_length=300)] = ""


class LiftedStop(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The stop to lift: of an agent, of an API key, or of everything if neither is given."""

    agent_id: AgentId | None = None
    key: StopKey | None = None


class StopList(Struct, frozen=True, kw_only=True):
    """The stops and pauses in force."""

    items: list[Stop]


@get("/stops", opt={"right": SEE}, responses=problem_responses(), summary="Stops and pauses in force", tags=["stops"])
async def list_stops(service: ServiceDependency) -> StopList:
    """List the stops and pauses that are in force."""
    return StopList(items=await to_thread(Stops(service.journal).list))


@post(
    "/stops",
    opt={"right": ANSWER},
    responses=problem_responses(),
    summary="Stop an agent, a key, or everything",
    description="Every action is refused from now on, at every server of the store, until the stop is lifted.",
    tags=["stops"],
)
async def create_stop(request: ApiRequest, service: ServiceDependency, data: JSONBody[NewStop]) -> Stop:
    """Stop an agent, a key, or everything."""
    target = await to_thread(stop_target, service, data.agent_id, data.key)
    return await to_thread(service.gate.stop, target, actor=request.user.name, reason=data.reason)


@post(
    "/stops/lift",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Lift a stop",
    tags=["stops"],
)
async def lift_stop(request: ApiRequest, service: ServiceDependency, data: JSONBody[LiftedStop]) -> Stop:
    """Lift the stop of an agent, a key, or everything."""
    target = await to_thread(stop_target, service, data.agent_id, data.key)
    return await to_thread(service.gate.lift_stop, target, actor=request.user.name)


def stop_target(service: Service, agent_id: str | None, key: str | None) -> StopTarget:
    """Return what a request names: an agent, a key, or everything."""
    if key is None:
        return StopTarget(agent_id)
    if agent_id is not None:
        raise InterlockError("name an agent or a key, not both")
    found = service.authenticator.keys.find(key)
    return StopTarget(key_id=found.key_id, key_name=found.name)


ROUTES = [list_stops, create_stop, lift_stop]

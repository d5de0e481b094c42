"""`/v1/stops`: refuse every action of an agent, or of all agents, at once."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated

import msgspec
from litestar import get, post
from litestar.params import JSONBody

from interlock.audit.stops import Stop, Stops
from interlock.model import Struct
from interlock.server.api.parameters import ANSWER, MANAGE, SEE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses


class NewStop(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An agent to stop, or all if there is no `agentId`, and why."""

    agent_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    reason: Annotated[str, msgspec.Meta(max_length=300)] = ""


class LiftedStop(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The agent whose stop is lifted, or all if there is no `agentId`."""

    agent_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None


class StopList(Struct, frozen=True, kw_only=True):
    """What is stopped, and by whom."""

    items: list[Stop]


@get("/stops", opt={"right": SEE}, responses=problem_responses(), summary="What is stopped", tags=["stops"])
async def list_stops(service: ServiceDependency) -> StopList:
    """List the stops that are in force."""
    return StopList(items=await to_thread(Stops(service.journal).list))


@post(
    "/stops",
    opt={"right": ANSWER},
    responses=problem_responses(),
    summary="Stop an agent, or all",
    description="Every action is refused from now on, at every server of the store, until the stop is lifted.",
    tags=["stops"],
)
async def create_stop(request: ApiRequest, service: ServiceDependency, data: JSONBody[NewStop]) -> Stop:
    """Stop an agent, or all."""
    return await to_thread(service.gate.stop, data.agent_id, actor=request.user.name, reason=data.reason)


@post(
    "/stops/lift",
    opt={"right": MANAGE},
    status_code=200,
    responses=problem_responses(),
    summary="Lift a stop",
    tags=["stops"],
)
async def lift_stop(request: ApiRequest, service: ServiceDependency, data: JSONBody[LiftedStop]) -> Stop:
    """Let an agent, or all, act again."""
    return await to_thread(service.gate.lift_stop, data.agent_id, actor=request.user.name)


ROUTES = [list_stops, create_stop, lift_stop]

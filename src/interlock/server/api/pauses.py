"""`/v1/pauses`: hold the actions of an agent, an API key, or all agents, for some time or until they are resumed."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated

import msgspec
from litestar import post
from litestar.params import JSONBody

from interlock.access.roles import Caller, Right
from interlock.audit.stops import MAX_PAUSE, Stop, Stops, StopTarget
from interlock.errors import ForbiddenError
from interlock.model import Struct
from interlock.sanitise import plain
from interlock.server.api.parameters import ANSWER, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.api.stops import AgentId, LiftedStop, StopKey, stop_target
from interlock.server.service import Service


class NewPause(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to pause: an agent, an API key by its id or name, or everything if neither is given.

    Without `seconds`, the pause lasts until a person ends it.
    """

    agent_id: AgentId | None = None
    key: StopKey | None = None
    seconds: Annotated[int, msgspec.Meta(ge=1, le=MAX_PAUSE)] | None = None
    reason: Annotated[str, msgspec.Meta(max_length=300)] = ""


@post(
    "/pauses",
    opt={"right": ANSWER},
    responses=problem_responses(),
    summary="Pause an agent, a key, or everything",
    description="From now on, at every server of the store, callers that wait are held, and other actions are refused, "
    "until the pause ends. `GET /v1/stops` lists pauses as well. A stop takes precedence over a pause.",
    tags=["stops"],
)
async def create_pause(request: ApiRequest, service: ServiceDependency, data: JSONBody[NewPause]) -> Stop:
    """Pause an agent, a key, or everything."""
    target = await to_thread(stop_target, service, data.agent_id, data.key)
    name, reason, seconds = request.user.name, data.reason, data.seconds
    return await to_thread(lambda: service.gate.pause(target, seconds=seconds, actor=name, reason=reason))


@post(
    "/pauses/end",
    opt={"right": ANSWER},
    status_code=200,
    responses=problem_responses(),
    summary="End a pause",
    description="The person who paused an agent can resume it, and so can an admin.",
    tags=["stops"],
)
async def end_pause(request: ApiRequest, service: ServiceDependency, data: JSONBody[LiftedStop]) -> Stop:
    """End the pause of an agent, a key, or everything."""
    target = await to_thread(stop_target, service, data.agent_id, data.key)
    return await to_thread(resume, service, request.user, target)


def resume(service: Service, caller: Caller, target: StopTarget) -> Stop:
    """End a pause. Only the person who paused and admins may."""
    if not caller.may(Right.MANAGE):
        for pause in Stops(service.journal).list():
            is_it = pause.pauses and pause.target.identity == target.identity
            if is_it and pause.stopped_by != caller.name:
                raise ForbiddenError(f"{plain(pause.stopped_by)} paused this; they or an admin can resume it")
    return service.gate.resume(target, actor=caller.name)


ROUTES = [create_pause, end_pause]

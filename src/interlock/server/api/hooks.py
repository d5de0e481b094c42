"""`POST /v1/hooks/AGENT`: a coding agent that calls its hook over HTTP."""

from __future__ import annotations

import logging
from asyncio import to_thread
from typing import Annotated, Any

import msgspec
from litestar import post
from litestar.params import FromPath, QueryParameter

from interlock.access.roles import Caller
from interlock.agents.coding import AGENTS, NAMES
from interlock.agents.coding.agent import Stage
from interlock.agents.hook.answer import decide_in_session, refuse
from interlock.agents.hook.call import HookCall, parse_call
from interlock.agents.hook.outcome import record_outcome
from interlock.agents.permission import Permission, PermissionText
from interlock.agents.reply import AnswerOptions
from interlock.errors import InterlockError
from interlock.server.api.parameters import EVALUATE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.service import Service

#: Agents time out after 30 seconds, and then run the action.
MAX_WAIT = 25
Wait = Annotated[float, QueryParameter(ge=0, le=MAX_WAIT, description="wait this many seconds for an approval")]
EventName = Annotated[
    str | None, QueryParameter(max_length=60, description="the name of the hook, if the body does not hold it")
]
NO_OBJECTION = b"{}"
_LOG = logging.getLogger("interlock.server")


@post(
    "/hooks/{agent:str}",
    opt={"right": EVALUATE},
    status_code=200,
    responses=problem_responses(),
    summary="Answer the hook of a coding agent",
    description="Takes the hook call of a coding agent as the agent sends it, and responds in the agent's own format; "
    "an empty object is no objection. Agents run the action if a hook fails or times out: use the hook command instead "
    f"where you can. The agents are {', '.join(f'`{name}`' for name in NAMES)}.",
    tags=["decisions"],
)
async def hook(
    request: ApiRequest, service: ServiceDependency, agent: FromPath[str], event: EventName = None, wait: Wait = 0
) -> dict[str, Any]:
    """Answer one hook call."""
    raw = await request.body()
    try:
        call = _assign_to_key(parse_call(agent, raw, event), request.user)
        agent, event = call.agent.name, call.event
        response = await _answer(service, request.user, call, wait)
    except Exception as error:  # every failure refuses: an error response would let the action run
        expected = isinstance(error, InterlockError)
        if not expected:
            _LOG.error("the hook of %s failed", agent[:40], exc_info=error)
        known = agent if agent in NAMES else AGENTS[0].name  # any dialect will do: it is a refusal in all
        why = f"the decision failed: {error if expected else type(error).__name__}"
        response = refuse(known, event, why).stdout
    answer: dict[str, Any] = msgspec.json.decode(response or NO_OBJECTION)
    return answer


async def _answer(service: Service, caller: Caller, call: HookCall, wait: float) -> bytes:
    if call.stage is Stage.AFTER:
        await to_thread(service.check_owner, caller, call.run_id)
        session = await service.session_for(caller, call.action, reports_workspace=True)
        await to_thread(record_outcome, service.gate, call, session)
    if call.stage in (Stage.AFTER, Stage.OTHER):
        return call.agent.write(call.event, Permission.NO_OBJECTION, PermissionText())
    session = await service.session_for(caller, call.action, reports_workspace=True)
    options = AnswerOptions(wait=wait, max_wait=MAX_WAIT, link=service.approval_url)
    permission, words = await to_thread(decide_in_session, session, call, options)
    return call.agent.write(call.event, call.agent.express(call.event, permission), words)


def _assign_to_key(call: HookCall, caller: Caller) -> HookCall:
    """Return a call with an agent id below the name of the key that it came with."""
    agent_id = call.action.agent_id
    if caller.agent is not None:
        agent_id = f"{caller.agent}/{agent_id}"
    action = msgspec.structs.replace(call.action, run_id=call.run_id, agent_id=agent_id)
    return msgspec.structs.replace(call, action=action)


ROUTES = [hook]

"""`POST /v1/hooks/AGENT`: a coding agent that calls its hook over HTTP."""

from __future__ import annotations

import logging
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
from interlock.agents.permission import Explanation, Permission
from interlock.agents.reply import AnswerOptions
from interlock.errors import InterlockError
from interlock.server.api.shared import EVALUATE, Call, Served, problems, threaded
from interlock.server.service import Service

#: Agents give up after half a minute, and then the action runs.
MAX_WAIT = 25
Wait = Annotated[float, QueryParameter(ge=0, le=MAX_WAIT, description="wait so many seconds for an approval")]
Event = Annotated[str | None, QueryParameter(max_length=60, description="which hook this is, if the call does not say")]
NO_OBJECTION = b"{}"
_LOG = logging.getLogger("interlock.server")


@post(
    "/hooks/{agent:str}",
    opt={"right": EVALUATE},
    status_code=200,
    responses=problems(),
    summary="Answer the hook of a coding agent",
    description=f"Takes the call of a coding agent ({', '.join(f'`{name}`' for name in NAMES)}) as the agent sends it, "
    "and answers in the agent's own language; an object with nothing in it is no objection. Agents take a hook that "
    "fails, or does not answer in time, for leave to go on: where you can, use the hook command instead.",
    tags=["deciding"],
)
async def hook(
    request: Call, service: Served, agent: FromPath[str], event: Event = None, wait: Wait = 0
) -> dict[str, Any]:
    """Answer one call."""
    raw = await request.body()
    try:
        heard = _belonging(parse_call(agent, raw, event), request.user)
        agent, event = heard.agent.name, heard.event
        said = await _answer(service, request.user, heard, wait)
    except Exception as error:  # whatever fails, the answer is no: an error would let the action run
        ours = isinstance(error, InterlockError)
        if not ours:
            _LOG.error("the hook of %s failed", agent[:40], exc_info=error)
        known = agent if agent in NAMES else AGENTS[0].name  # any dialect will do: it is a refusal in all
        said = refuse(known, event, f"it could not be decided: {error if ours else type(error).__name__}").stdout
    answer: dict[str, Any] = msgspec.json.decode(said or NO_OBJECTION)
    return answer


async def _answer(service: Service, caller: Caller, heard: HookCall, wait: float) -> bytes:
    if heard.stage is Stage.AFTER:
        await threaded(service.check_owner, caller, heard.run_id)
        await threaded(record_outcome, service.gate, heard, caller.name)
    if heard.stage in (Stage.AFTER, Stage.OTHER):
        return heard.agent.write(heard.event, Permission.NO_OBJECTION, Explanation())
    session = await service.session(caller, heard.action)
    options = AnswerOptions(wait=wait, max_wait=MAX_WAIT, link=service.url_of)
    permission, words = await threaded(decide_in_session, session, heard, options)
    return heard.agent.write(heard.event, heard.agent.express(heard.event, permission), words)


def _belonging(heard: HookCall, caller: Caller) -> HookCall:
    """Return a call as one of whoever's key it came with."""
    agent_id = heard.action.agent_id
    if caller.agent is not None:
        agent_id = f"{caller.agent}/{agent_id}"
    return heard._replace(action=msgspec.structs.replace(heard.action, run_id=heard.run_id, agent_id=agent_id))


ROUTES = [hook]

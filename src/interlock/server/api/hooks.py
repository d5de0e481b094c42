"""`POST /v1/hooks/AGENT`: hooks of coding agents that are called over HTTP."""

from __future__ import annotations

import logging
from asyncio import to_thread
from typing import Annotated, Any

import msgspec
from litestar import post
from litestar.params import FromPath, QueryParameter

from interlock.access.roles import Caller
from interlock.agents import claude_code
from interlock.agents.agent import Reply, Stage, Words
from interlock.agents.heard import AGENTS, Heard, hear
from interlock.agents.hook import refused, reply_in
from interlock.agents.outcome import note_outcome
from interlock.agents.refusal import Terms
from interlock.errors import InterlockError
from interlock.server.api.parameters import EVALUATE, ApiRequest, ServiceDependency
from interlock.server.api.responses import problem_responses
from interlock.server.service import Service

#: Agents time out after 30 seconds, and then run the action.
MAX_WAIT = 25
Wait = Annotated[float, QueryParameter(ge=0, le=MAX_WAIT, description="wait this many seconds for an approval")]
Event = Annotated[
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
    description="Takes the hook call of `claude-code`, `codex`, `gemini`, `cursor` or `copilot` as the agent sends it, "
    "and responds in the agent's own format; an empty object is no objection. Agents run the action if a hook fails or "
    "times out: use the hook command instead where you can.",
    tags=["decisions"],
)
async def hook(
    request: ApiRequest, service: ServiceDependency, agent: FromPath[str], event: Event = None, wait: Wait = 0
) -> dict[str, Any]:
    """Answer one hook call."""
    raw = await request.body()
    try:
        heard = _assign_to_key(hear(agent, raw, event), request.user)
        agent, event = heard.agent.name, heard.event
        response = await _answer(service, request.user, heard, wait)
    except Exception as error:  # every failure refuses: an error response would let the action run
        expected = isinstance(error, InterlockError)
        if not expected:
            _LOG.error("the hook of %s failed", agent[:40], exc_info=error)
        known = agent if agent in AGENTS else claude_code.AGENT.name  # the agent that calls over HTTP
        response = refused(known, event, f"it could not be decided: {error if expected else type(error).__name__}").out
    answer: dict[str, Any] = msgspec.json.decode(response or NO_OBJECTION)
    return answer


async def _answer(service: Service, caller: Caller, heard: Heard, wait: float) -> bytes:
    if heard.stage is Stage.AFTER:
        await to_thread(service.check_owner, caller, heard.run_id)
        await to_thread(note_outcome, service.gate, heard, caller.name)
    if heard.stage in (Stage.AFTER, Stage.OTHER):
        return heard.agent.write(heard.event, Reply.SILENT, Words())
    session = await service.session_for(caller, heard.action)
    reply, words = await to_thread(
        reply_in, session, heard, Terms(wait=wait, patience=MAX_WAIT, link=service.approval_url)
    )
    return heard.agent.write(heard.event, heard.agent.expressed(heard.event, reply), words)


def _assign_to_key(heard: Heard, caller: Caller) -> Heard:
    """Return a call with an agent id below the name of the key that it came with."""
    agent_id = heard.action.agent_id
    if caller.agent is not None:
        agent_id = f"{caller.agent}/{agent_id}"
    return heard._replace(action=msgspec.structs.replace(heard.action, run_id=heard.run_id, agent_id=agent_id))


ROUTES = [hook]

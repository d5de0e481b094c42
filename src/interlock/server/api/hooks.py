"""`POST /v1/hooks/AGENT`: a coding agent that calls its hook over HTTP."""

from __future__ import annotations

import logging
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
from interlock.server.api.parameters import EVALUATE, Call, Served, problems, threaded
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
    description="Takes the call of `claude-code`, `codex`, `gemini`, `cursor` or `copilot` as the agent sends it, and "
    "answers in the agent's own language; an object with nothing in it is no objection. Agents take a hook that fails, "
    "or does not answer in time, for leave to go on: where you can, use the hook command instead.",
    tags=["deciding"],
)
async def hook(
    request: Call, service: Served, agent: FromPath[str], event: Event = None, wait: Wait = 0
) -> dict[str, Any]:
    """Answer one call."""
    raw = await request.body()
    try:
        heard = _belonging(hear(agent, raw, event), request.user)
        agent, event = heard.agent.name, heard.event
        said = await _answer(service, request.user, heard, wait)
    except Exception as error:  # whatever fails, the answer is no: an error would let the action run
        ours = isinstance(error, InterlockError)
        if not ours:
            _LOG.error("the hook of %s failed", agent[:40], exc_info=error)
        known = agent if agent in AGENTS else claude_code.AGENT.name  # which is who calls over HTTP
        said = refused(known, event, f"it could not be decided: {error if ours else type(error).__name__}").out
    answer: dict[str, Any] = msgspec.json.decode(said or NO_OBJECTION)
    return answer


async def _answer(service: Service, caller: Caller, heard: Heard, wait: float) -> bytes:
    if heard.stage is Stage.AFTER:
        await threaded(service.check_owner, caller, heard.run_id)
        await threaded(note_outcome, service.gate, heard, caller.name)
    if heard.stage in (Stage.AFTER, Stage.OTHER):
        return heard.agent.write(heard.event, Reply.SILENT, Words())
    session = await service.session(caller, heard.action)
    reply, words = await threaded(reply_in, session, heard, Terms(wait=wait, patience=MAX_WAIT, link=service.url_of))
    return heard.agent.write(heard.event, heard.agent.expressed(heard.event, reply), words)


def _belonging(heard: Heard, caller: Caller) -> Heard:
    """Return a call as one of whoever's key it came with."""
    agent_id = heard.action.agent_id
    if caller.agent is not None:
        agent_id = f"{caller.agent}/{agent_id}"
    return heard._replace(action=msgspec.structs.replace(heard.action, run_id=heard.run_id, agent_id=agent_id))


ROUTES = [hook]

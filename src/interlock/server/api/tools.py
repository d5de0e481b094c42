"""`/v1/tools`: the descriptions that MCP tools had when an agent was last allowed to call them."""

from __future__ import annotations

import hashlib
from asyncio import to_thread
from typing import Annotated

import msgspec
from litestar import get, put
from litestar.params import JSONBody, QueryParameter

from interlock.access.roles import Caller
from interlock.agents.gateway.tool_records import allow_tool, find_allowed_digest
from interlock.audit.record import canonical
from interlock.audit.runs import OPEN, Run
from interlock.model import Struct
from interlock.sanitise import storable_name
from interlock.server.api.parameters import EVALUATE, ApiRequest, ServiceDependency, optional_name
from interlock.server.api.responses import problem_responses
from interlock.server.service import Service, agent_id_for
from interlock.store.clock import now

_NAME = msgspec.Meta(min_length=1, max_length=1_000)
TargetQuery = Annotated[str, QueryParameter(name="target", min_length=1, max_length=200, description="the MCP server")]
ToolQuery = Annotated[str, QueryParameter(name="tool", min_length=1, max_length=1_000, description="the tool")]


class AllowedTool(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool that an agent may call in a run, and the digest of its description."""

    target: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    tool: Annotated[str, _NAME]
    digest: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    run_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    agent_id: Annotated[str, msgspec.Meta(max_length=200)] | None = None


class ToolDigest(Struct, frozen=True, kw_only=True):
    """The digest of a tool's description, or null if the agent was never allowed to call it."""

    digest: str | None


@get(
    "/tools",
    opt={"right": EVALUATE},
    responses=problem_responses(),
    summary="The last allowed description of a tool",
    description="The digest of a tool's description when this agent was last allowed to call it.",
    tags=["decisions"],
)
async def get_tool(request: ApiRequest, service: ServiceDependency, target: TargetQuery, tool: ToolQuery) -> ToolDigest:
    """Show the description that a tool had."""
    name = _name(request.user, target, tool)
    return ToolDigest(digest=await to_thread(find_allowed_digest, service.journal, name))


@put(
    "/tools",
    opt={"right": EVALUATE},
    responses=problem_responses(),
    summary="Record the description of a tool",
    description="Send this after a call of the tool was allowed. If its description changes later, ask again.",
    tags=["decisions"],
)
async def put_tool(request: ApiRequest, service: ServiceDependency, data: JSONBody[AllowedTool]) -> ToolDigest:
    """Record the description of a tool."""
    await to_thread(_allow, service, request.user, data)
    return ToolDigest(digest=data.digest)


def _allow(service: Service, caller: Caller, tool: AllowedTool) -> None:
    service.check_owner(caller, tool.run_id)
    run = Run(
        run_id=storable_name(tool.run_id),
        agent_id=optional_name(agent_id_for(caller, tool.agent_id)),
        started_by=caller.name,
        workspace=None,
        state=OPEN,
        started_at=now().wall,
    )
    allow_tool(service.journal, _name(caller, tool.target, tool.tool), tool.tool, tool.digest, run)


def _name(caller: Caller, target: str, tool: str) -> str:
    """Return the name under which a caller's tools are recorded: what one agent allows counts for no other."""
    whose = hashlib.sha256(canonical([caller.name, caller.agent, target])).hexdigest()[:16]
    return storable_name(f"{whose} {tool}")


ROUTES = [get_tool, put_tool]

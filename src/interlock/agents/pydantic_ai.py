"""Pydantic AI: a capability that decides every call of a tool.

    agent = Agent(model, output_type=[str, DeferredToolRequests], capabilities=[Guard(gate)])

A call that may not run is denied with the reason. One that needs a person is deferred: the run ends with
`DeferredToolRequests`, and goes on with `DeferredToolResults` that approve, deny or change it (`override_args`).
`GuardedToolset(toolset, gate)` guards one toolset alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from interlock.agents.agent import Reply
from interlock.agents.framework import Call, Checker
from interlock.gate.gate import Gate

try:
    from pydantic_ai import ApprovalRequired, RunContext, ToolDenied
    from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
    from pydantic_ai.toolsets import AbstractToolset, WrapperToolset
    from pydantic_ai.toolsets.abstract import ToolsetTool
    from pydantic_core import to_jsonable_python
except ModuleNotFoundError as error:
    raise ImportError(f"this needs `{error.name}`: pip install 'interlock[pydantic-ai]'") from error


@dataclass
class GuardedToolset(WrapperToolset[Any]):
    """A toolset whose calls are decided before they run."""

    gate: Gate = field(kw_only=True)
    agent_id: str = field(default="pydantic-ai", kw_only=True)
    wait: float = field(default=0.0, kw_only=True)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Decide a call: run it, deny it, or have somebody asked."""
        told = await Checker(self.gate, self.agent_id, wait=self.wait).acheck(
            Call(
                str(ctx.conversation_id or ctx.run_id),
                str(ctx.tool_call_id or ""),
                name,
                to_jsonable_python(tool_args, fallback=str),
                first={},  # its id is enough: whoever approves may change what it is given
                description=tool.tool_def.description,
            ),
            approved=ctx.tool_call_approved,
        )
        if told.reply is Reply.ASK:
            raise ApprovalRequired(metadata={"reason": told.why})
        if not told.runs:
            return ToolDenied(told.why)
        return await super().call_tool(name, tool_args, ctx, tool)


@dataclass
class Guard(AbstractCapability[Any]):
    """Decides every call of an agent's tools, however they were given to it."""

    gate: Gate
    agent_id: str = "pydantic-ai"
    wait: float = 0.0

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        """Stand right before the tools, behind whatever else changes a call."""
        return GuardedToolset(toolset, gate=self.gate, agent_id=self.agent_id, wait=self.wait)

    def get_ordering(self) -> CapabilityOrdering:
        """Come last, whoever is listed after."""
        return CapabilityOrdering(position="innermost")

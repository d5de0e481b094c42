"""Pydantic AI: a capability that decides every call of a tool.

    agent = Agent(model, output_type=[str, DeferredToolRequests], capabilities=[Guard(gate)])

A call that may not run is denied with the reason. One that needs a person is deferred: the run ends with
`DeferredToolRequests`, and goes on with `DeferredToolResults` that approve, deny or change it (`override_args`).
`GuardedToolset(toolset, gate)` guards one toolset alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from interlock.agents.agent import Reply
from interlock.agents.framework import Call, Checker
from interlock.gate.gate import Gate

try:
    from pydantic import BaseModel, SecretBytes, SecretStr
    from pydantic_ai import ApprovalRequired, ModelRetry, RunContext, ToolCallPart, ToolDenied
    from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering, WrapOutputProcessHandler
    from pydantic_ai.output import OutputContext
    from pydantic_ai.toolsets import AbstractToolset, WrapperToolset
    from pydantic_ai.toolsets.abstract import ToolsetTool
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
        call = Call(
            str(ctx.conversation_id or ctx.run_id),
            str(ctx.tool_call_id or ""),
            name,
            seen(tool_args),
            first=_first(ctx),
            description=tool.tool_def.description,
        )
        told = await Checker(self.gate, self.agent_id, wait=self.wait).acheck(call, approved=ctx.tool_call_approved)
        if told.reply is Reply.ASK:
            raise ApprovalRequired(metadata={"reason": told.why})
        if not told.runs:
            return ToolDenied(told.why)
        return await super().call_tool(name, tool_args, ctx, tool)


def _first(ctx: RunContext[Any]) -> dict[str, Any]:
    """Return what the model gave a call: whoever approves it may have changed that since."""
    parts = [part for message in ctx.messages for part in message.parts if isinstance(part, ToolCallPart)]
    mine = [part for part in parts if part.tool_call_id == ctx.tool_call_id]
    return seen(mine[-1].args_as_dict()) if mine else {}


def seen(value: Any) -> Any:
    """Return what a tool is given as the tool sees it: no serializer of somebody's has a say in it."""
    if isinstance(value, SecretStr | SecretBytes):
        return seen(value.get_secret_value())
    if isinstance(value, BaseModel):
        return {name: seen(one) for name, one in {**value.__dict__, **(value.__pydantic_extra__ or {})}.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: seen(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): seen(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [seen(one) for one in value]
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "replace")
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


@dataclass
class Guard(AbstractCapability[Any]):
    """Decides every call of an agent's tools, however they were given to it."""

    gate: Gate
    agent_id: str = "pydantic-ai"
    wait: float = 0.0

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        """Stand right before the tools, behind whatever else changes a call."""
        return GuardedToolset(toolset, gate=self.gate, agent_id=self.agent_id, wait=self.wait)

    async def wrap_output_process(
        self, ctx: RunContext[Any], *, output_context: OutputContext, output: Any, handler: WrapOutputProcessHandler
    ) -> Any:
        """Decide the call of a function that makes the output: it acts as a tool does. Nobody can be asked here."""
        if not output_context.has_function:
            return await handler(output)
        called = output_context.tool_call  # what the model gave, and what became of it: both have to be well
        given = {**(seen(called.args_as_dict()) if called is not None else {}), "input": seen(output)}
        call = Call(str(ctx.conversation_id or ctx.run_id), "", output_context.function_name or "output", given)
        told = await Checker(self.gate, self.agent_id, wait=self.wait, asks=False).acheck(call)
        if not told.runs:
            raise ModelRetry(told.why)
        return await handler(output)

    def get_ordering(self) -> CapabilityOrdering:
        """Come last, whoever is listed after."""
        return CapabilityOrdering(position="innermost")

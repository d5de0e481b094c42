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

from interlock.agents.call_runs import ToolCall
from interlock.agents.framework import ApproverName, Checker, DetailsOf
from interlock.agents.permission import Permission
from interlock.gate.declaration import find_declared_tool
from interlock.gate.gate import Gate
from interlock.knowledge.tool import Tool
from interlock.model import NO_DETAILS

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
    approver: ApproverName = field(default=None, kw_only=True)
    details: DetailsOf = field(default=NO_DETAILS, kw_only=True)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Decide a call: run it, deny it, or defer it to a person."""
        call = ToolCall(
            str(ctx.conversation_id or ctx.run_id),
            str(ctx.tool_call_id or ""),
            name,
            plain_arguments(tool_args),
            original=_model_arguments(ctx),
            description=tool.tool_def.description,
            schema=tool.tool_def.parameters_json_schema,
            declared=_find_declaration(tool),
        )
        checker = Checker(self.gate, self.agent_id, wait=self.wait, approver=self.approver, details=self.details)
        decision = await checker.acheck(call, approved=ctx.tool_call_approved)
        if decision.permission is Permission.ASK:
            raise ApprovalRequired(metadata={"reason": decision.why})
        if not decision.runs:
            return ToolDenied(decision.why)
        with checker.watch(call, decision) as watched, checker.mark_call(call):
            return watched.measure_result(await super().call_tool(name, tool_args, ctx, tool))


def _find_declaration(tool: Any) -> Tool | None:
    """Return the declaration of a tool's function, which may be inside nested toolsets."""
    while hasattr(tool, "source_tool"):
        tool = tool.source_tool
    schema = getattr(getattr(tool, "call_func", None), "__self__", None)
    return find_declared_tool(getattr(schema, "function", None))


def _model_arguments(ctx: RunContext[Any]) -> dict[str, Any]:
    """Return the arguments that the model gave a call: the person who approves it may have edited them."""
    parts = [part for message in ctx.messages for part in message.parts if isinstance(part, ToolCallPart)]
    mine = [part for part in parts if part.tool_call_id == ctx.tool_call_id]
    return plain_arguments(mine[-1].args_as_dict()) if mine else {}


def plain_arguments(value: Any) -> Any:
    """Return arguments as plain values, as the tool sees them: custom serializers are not used."""
    if isinstance(value, SecretStr | SecretBytes):
        return plain_arguments(value.get_secret_value())
    if isinstance(value, BaseModel):
        members = {**value.__dict__, **(value.__pydantic_extra__ or {})}
        return {name: plain_arguments(one) for name, one in members.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain_arguments(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain_arguments(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain_arguments(one) for one in value]
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "replace")
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


@dataclass
class Guard(AbstractCapability[Any]):
    """Decides every call of an agent's tools."""

    gate: Gate
    agent_id: str = "pydantic-ai"
    wait: float = 0.0
    details: DetailsOf = NO_DETAILS

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        """Wrap the tools directly, inside everything that changes a call."""
        return GuardedToolset(toolset, gate=self.gate, agent_id=self.agent_id, wait=self.wait, details=self.details)

    async def wrap_output_process(
        self, ctx: RunContext[Any], *, output_context: OutputContext, output: Any, handler: WrapOutputProcessHandler
    ) -> Any:
        """Decide the call of an output function, which can act as a tool does. No person can be asked here."""
        if not output_context.has_function:
            return await handler(output)
        called = output_context.tool_call  # both what the model gave and what it was parsed into are decided
        given = {
            **(plain_arguments(called.args_as_dict()) if called is not None else {}),
            "input": plain_arguments(output),
        }
        call = ToolCall(str(ctx.conversation_id or ctx.run_id), "", output_context.function_name or "output", given)
        checker = Checker(self.gate, self.agent_id, wait=self.wait, asks=False, details=self.details)
        decision = await checker.acheck(call)
        if not decision.runs:
            raise ModelRetry(decision.why)
        with checker.watch(call, decision) as watched, checker.mark_call(call):
            return watched.measure_result(await handler(output))

    def get_ordering(self) -> CapabilityOrdering:
        """Come last, wherever it is listed."""
        return CapabilityOrdering(position="innermost")

"""The OpenAI Agents SDK: tools that are decided before they run.

    guard = Guard(gate)
    agent = Agent(name="ops", tools=guard.tools([deploy, restart]))

A call that may not run is answered with the reason. One that needs a person is an interruption of the run:
`state.approve(item)` or `state.reject(item)`, and `guard.edit(item, {…})` before approving to change what it is given.
"""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
from collections.abc import Iterable, Mapping
from typing import Any

from interlock.agents.agent import Reply
from interlock.agents.framework import Call, Checker, Told
from interlock.errors import InterlockError
from interlock.gate.gate import Gate
from interlock.ids import new_id

try:
    from agents.items import ToolApprovalItem
    from agents.tool_context import ToolContext

    from agents import FunctionTool, Tool, ToolGuardrailFunctionOutput, ToolInputGuardrail, ToolInputGuardrailData
except ModuleNotFoundError as error:
    raise ImportError(f"this needs `{error.name}`: pip install 'interlock[openai-agents]'") from error


class Guard:
    """Decides the calls of function tools. `conversation` is the run they belong to; else there is one per guard."""

    def __init__(
        self, gate: Gate, *, agent_id: str = "openai-agents", conversation: str | None = None, wait: float = 0.0
    ) -> None:
        self._checker = Checker(gate, agent_id, wait=wait, strict=True)
        self._conversation = conversation or new_id()

    def tools(self, tools: Iterable[Tool]) -> list[Tool]:
        """Return tools that ask before they run. One that runs at the vendor's cannot be guarded, and is refused."""
        return [self._guarded(tool) for tool in tools]

    def edit(self, item: ToolApprovalItem, given: Mapping[str, Any]) -> None:
        """Change what a call is given, before it is approved. What it becomes is decided again."""
        first, name = _parsed(item.arguments or ""), item.tool_name
        if not item.call_id or first is None or name is None:
            raise ValueError("this call has no id, name or arguments; it can be approved or rejected, and not changed")
        self._checker.edit(self._call(name, first, item.call_id), given)

    def _guarded(self, tool: Tool) -> FunctionTool:
        if not isinstance(tool, FunctionTool):
            kind = type(tool).__name__
            raise TypeError(f"a {kind} cannot be guarded: only function tools run where they can be stopped")
        inner, own, others = tool.on_invoke_tool, tool.needs_approval, tool.tool_input_guardrails or []

        async def needs_approval(context: Any, given: dict[str, Any], call_id: str) -> bool:
            if await self._checker.apeek(self._call(tool.name, given, call_id, tool.description)):
                return True
            if not callable(own):
                return bool(own)
            found = own(context, given, call_id)
            return bool(await found if inspect.isawaitable(found) else found)

        async def guardrail(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
            told = await self._decided(tool, data.context)
            return ToolGuardrailFunctionOutput.allow() if told.runs else _refused(told)

        async def invoke(context: ToolContext[Any], arguments: str) -> Any:
            first = _parsed(arguments)
            call = self._call(tool.name, first or {}, context.tool_call_id)
            if await asyncio.to_thread(self._checker.is_unanswered, call):
                return "Interlock: somebody has to agree to this first"
            edited = await asyncio.to_thread(self._checker.edited, call)
            return await inner(context, arguments if edited is None else json.dumps(edited))

        guard: ToolInputGuardrail[Any] = ToolInputGuardrail(guardrail_function=guardrail, name="interlock")
        return dataclasses.replace(
            tool, on_invoke_tool=invoke, needs_approval=needs_approval, tool_input_guardrails=[*others, guard]
        )

    async def _decided(self, tool: FunctionTool, context: ToolContext[Any]) -> Told:
        """Decide right before a call runs: with what it is given then, and with what the person has said since."""
        first = _parsed(context.tool_arguments)
        if first is None:
            return Told(Reply.DENY, "Interlock does not let this run: what the tool is given is no JSON object")
        call = self._call(tool.name, first, context.tool_call_id, tool.description)
        try:
            edited = await asyncio.to_thread(self._checker.edited, call)
        except InterlockError as error:
            return Told(Reply.DENY, f"Interlock does not let this run: {error}")
        if edited is not None:
            call = call._replace(given=edited, first=first)
        approved = context.is_tool_approved(context.tool_name, context.tool_call_id) is True
        told = await self._checker.acheck(call, approved=approved)
        if told.reply is Reply.ASK and _is_early(context):
            return Told(Reply.SILENT)  # it has not come to the question yet, which stops it
        return told

    def _call(self, tool: str, given: Mapping[str, Any], call_id: str, description: str | None = None) -> Call:
        # The vendor's ids mean one call, whichever process goes on with it.
        return Call(self._conversation, call_id, tool, given, description=description, scope="openai")


def _is_early(context: ToolContext[Any]) -> bool:
    """Whether guardrails run before anybody is asked, too."""
    execution = getattr(context.run_config, "tool_execution", None)
    return getattr(execution, "pre_approval_tool_input_guardrails", False) is True


def _refused(told: Told) -> ToolGuardrailFunctionOutput:
    return ToolGuardrailFunctionOutput.reject_content(told.why, output_info={"interlock": told.reply.name.lower()})


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None

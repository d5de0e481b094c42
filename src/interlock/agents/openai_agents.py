"""The OpenAI Agents SDK: tools that are decided before they run.

    guard = Guard(gate)
    agent = Agent(name="ops", tools=guard.tools([deploy, restart]))

A call that may not run is answered with the reason. One that needs a person is an interruption of the run:
`state.approve(item)` or `state.reject(item)`, and `guard.edit(item, {…})` before approving to change what it is given.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Iterable, Mapping
from typing import Any

from interlock.agents.agent import Reply
from interlock.agents.framework import Call, Checker, Told
from interlock.audit.record import new_id
from interlock.gate.gate import Gate

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
        self._checker = Checker(gate, agent_id, wait=wait)
        self._conversation = conversation or new_id()
        self._edits: dict[str, dict[str, Any]] = {}
        self._told: dict[tuple[str, str], Told] = {}

    def tools(self, tools: Iterable[Tool]) -> list[Tool]:
        """Return tools that ask before they run. One that runs at the vendor's cannot be guarded, and is refused."""
        return [self._guarded(tool) for tool in tools]

    def edit(self, item: ToolApprovalItem, given: Mapping[str, Any]) -> None:
        """Change what a call is given, before it is approved. What it becomes is decided again."""
        call_id = item.call_id
        if not call_id:
            raise ValueError("this call has no id; it can be approved or rejected, and not changed")
        self._edits[call_id] = dict(given)

    def _guarded(self, tool: Tool) -> FunctionTool:
        if not isinstance(tool, FunctionTool):
            kind = type(tool).__name__
            raise TypeError(f"a {kind} cannot be guarded: only function tools run where they can be stopped")
        inner, own, others = tool.on_invoke_tool, tool.needs_approval, tool.tool_input_guardrails or []

        async def needs_approval(context: Any, given: dict[str, Any], call_id: str) -> bool:
            told = await self._checker.acheck(self._call(tool, given, call_id))
            self._told[call_id, _text(given)] = told
            if told.reply is Reply.ASK or not callable(own):
                return told.reply is Reply.ASK or bool(own)
            found = own(context, given, call_id)
            return bool(await found if inspect.isawaitable(found) else found)

        async def guardrail(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
            told = await self._decided(tool, data.context)
            return ToolGuardrailFunctionOutput.allow() if told.runs else _refused(told)

        async def invoke(context: ToolContext[Any], arguments: str) -> Any:
            edited = self._edits.pop(context.tool_call_id, None)
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
        approved = context.is_tool_approved(context.tool_name, context.tool_call_id) is True
        edited = self._edits.get(context.tool_call_id)
        known = self._told.pop((context.tool_call_id, _text(first)), None)
        if known is not None and known.reply is not Reply.ASK and edited is None:
            return known  # it was decided a moment ago
        call = self._call(tool, first if edited is None else edited, context.tool_call_id)._replace(first=first)
        return await self._checker.acheck(call, approved=approved)

    def _call(self, tool: FunctionTool, given: Mapping[str, Any], call_id: str) -> Call:
        return Call(self._conversation, call_id, tool.name, given, description=tool.description)


def _refused(told: Told) -> ToolGuardrailFunctionOutput:
    return ToolGuardrailFunctionOutput.reject_content(told.why, output_info={"interlock": told.reply.name.lower()})


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _text(given: Mapping[str, Any]) -> str:
    return json.dumps(given, sort_keys=True, default=str)

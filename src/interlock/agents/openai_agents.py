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

from interlock.agents.call_runs import ToolCall
from interlock.agents.framework import ApproverName, CallDecision, Checker, DetailsOf
from interlock.agents.permission import Permission
from interlock.errors import InterlockError
from interlock.gate.declaration import find_declared_tool
from interlock.gate.gate import Gate
from interlock.ids import new_id
from interlock.model import NO_DETAILS

try:
    from agents.items import ToolApprovalItem
    from agents.tool_context import ToolContext

    from agents import FunctionTool, Tool, ToolGuardrailFunctionOutput, ToolInputGuardrail, ToolInputGuardrailData
except ModuleNotFoundError as error:
    raise ImportError(f"this needs `{error.name}`: pip install 'interlock[openai-agents]'") from error


class Guard:
    """Decides the calls of function tools. `conversation` is the run they belong to; else there is one per guard."""

    def __init__(
        self,
        gate: Gate,
        *,
        agent_id: str = "openai-agents",
        conversation: str | None = None,
        wait: float = 0.0,
        approver: ApproverName = None,
        details: DetailsOf = NO_DETAILS,
    ) -> None:
        self._checker = Checker(gate, agent_id, wait=wait, strict=True, approver=approver, details=details)
        self._conversation = conversation or new_id()
        self._decisions: dict[str, CallDecision] = {}  # on calls that are about to run

    def tools(self, tools: Iterable[Tool]) -> list[Tool]:
        """Return tools whose calls are decided first. Raise for a tool that runs at the vendor."""
        return [self._guard(tool) for tool in tools]

    def edit(self, item: ToolApprovalItem, given: Mapping[str, Any]) -> None:
        """Edit the arguments of a call before it is approved. The edited call is decided again."""
        first, name = _parse(item.arguments or ""), item.tool_name
        if not item.call_id or first is None or name is None:
            raise ValueError("this call has no id, name or arguments; it can be approved or rejected, but not changed")
        self._checker.edit(self._call(name, first, item.call_id), given)

    def _guard(self, tool: Tool) -> FunctionTool:
        if not isinstance(tool, FunctionTool):
            kind = type(tool).__name__
            raise TypeError(f"a {kind} cannot be guarded: only function tools run where they can be stopped")
        inner, own, others = tool.on_invoke_tool, tool.needs_approval, tool.tool_input_guardrails or []

        async def needs_approval(context: Any, given: dict[str, Any], call_id: str) -> bool:
            if await self._checker.needs_answer_async(self._call(tool, given, call_id)):
                return True
            if not callable(own):
                return bool(own)
            found = own(context, given, call_id)
            return bool(await found if inspect.isawaitable(found) else found)

        async def guardrail(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
            decision = await self._decide(tool, data.context)
            return ToolGuardrailFunctionOutput.allow() if decision.runs else _refuse(decision)

        async def invoke(context: ToolContext[Any], arguments: str) -> Any:
            first = _parse(arguments)
            call = self._call(tool, first or {}, context.tool_call_id)
            if await asyncio.to_thread(self._checker.is_unanswered, call):
                return "Interlock: a person has to approve this first"
            edited = await asyncio.to_thread(self._checker.find_edited_arguments, call)
            decision = self._decisions.pop(call.call_id, _UNKNOWN)
            with self._checker.watch(call, decision) as watched, self._checker.mark_call(call):
                return watched.measure_result(await inner(context, arguments if edited is None else json.dumps(edited)))

        guard: ToolInputGuardrail[Any] = ToolInputGuardrail(guardrail_function=guardrail, name="interlock")
        return dataclasses.replace(
            tool, on_invoke_tool=invoke, needs_approval=needs_approval, tool_input_guardrails=[*others, guard]
        )

    async def _decide(self, tool: FunctionTool, context: ToolContext[Any]) -> CallDecision:
        """Decide right before a call runs: with its arguments then, and with the person's answer by then."""
        first = _parse(context.tool_arguments)
        if first is None:
            return CallDecision(Permission.DENY, "Interlock refused this: its arguments are not a JSON object")
        call = self._call(tool, first, context.tool_call_id)
        try:
            edited = await asyncio.to_thread(self._checker.find_edited_arguments, call)
        except InterlockError as error:
            return CallDecision(Permission.DENY, f"Interlock refused this: {error}")
        if edited is not None:
            call = call._replace(arguments=edited, original=first)
        approved = context.is_tool_approved(context.tool_name, context.tool_call_id) is True
        decision = await self._checker.acheck(call, approved=approved)
        if decision.permission is Permission.ASK and _is_early(context):
            return CallDecision(Permission.NO_OBJECTION)  # the SDK asks after this, which stops the call
        if decision.runs:
            self._decisions[call.call_id] = decision
        return decision

    def _call(self, tool: str | FunctionTool, given: Mapping[str, Any], call_id: str) -> ToolCall:
        # The vendor's ids are unique, also where another process continues the run.
        if isinstance(tool, str):
            return ToolCall(self._conversation, call_id, tool, given, scope="openai")
        call = ToolCall(self._conversation, call_id, tool.name, given, scope="openai")
        declared = find_declared_tool(getattr(tool, "__wrapped__", None))
        return call._replace(description=tool.description, schema=tool.params_json_schema, declared=declared)


_UNKNOWN = CallDecision(Permission.NO_OBJECTION)


def _is_early(context: ToolContext[Any]) -> bool:
    """Whether guardrails also run before the person is asked."""
    execution = getattr(context.run_config, "tool_execution", None)
    return getattr(execution, "pre_approval_tool_input_guardrails", False) is True


def _refuse(decision: CallDecision) -> ToolGuardrailFunctionOutput:
    info = {"interlock": decision.permission.name.lower()}
    return ToolGuardrailFunctionOutput.reject_content(decision.why, output_info=info)


def _parse(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None

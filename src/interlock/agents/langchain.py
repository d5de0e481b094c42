"""LangChain: a middleware that decides every call of a tool.

    agent = create_agent(model, tools, middleware=[Guard(gate)], checkpointer=…)

A call that may not run is answered with the reason. One that needs a person interrupts the graph as LangChain's own
`HumanInTheLoopMiddleware` does for each call, and goes on with the same answers: approve, edit, reject.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from interlock.agents.call_runs import ToolCall
from interlock.agents.framework import ApproverName, CallDecision, Checker, DetailsOf
from interlock.agents.permission import Permission
from interlock.gate.call_outcome import WatchedCall
from interlock.gate.declaration import find_declared_tool
from interlock.gate.gate import Gate
from interlock.ids import new_id
from interlock.knowledge.tool import Tool
from interlock.model import NO_DETAILS

try:
    from langchain.agents.middleware import AgentMiddleware, ToolCallRequest
    from langchain_core.messages import ToolMessage
    from langgraph.types import Command, interrupt
except ModuleNotFoundError as error:
    raise ImportError(f"this needs `{error.name}`: pip install 'interlock[langchain]'") from error

ToolResult = ToolMessage | Command[Any]


class Guard(AgentMiddleware[Any, Any, Any]):
    """Decides every call of a tool. List it after middleware that changes calls, so that it sees the final call."""

    def __init__(
        self,
        gate: Gate,
        *,
        agent_id: str = "langchain",
        wait: float = 0.0,
        approver: ApproverName = None,
        details: DetailsOf = NO_DETAILS,
    ) -> None:
        super().__init__()
        # A graph runs no finished call again.
        self._checker = Checker(gate, agent_id, wait=wait, once=False, approver=approver, details=details)
        self._run_id = new_id()  # for calls without a thread

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolResult]) -> ToolResult:
        """Decide a call, ask the person if needed, and run it or return why not."""
        call = self._call(request)
        decision = self._checker.check(call)
        while decision.permission is Permission.ASK:
            request, call, decision = self._apply_answer(request, call, decision, _ask(request, decision))
        if not decision.runs:
            return _refuse(request, decision)
        with self._checker.watch(call, decision) as watched, self._checker.mark_call(call):
            return _mention_edit(_note_result(watched, handler(request)), call)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        """Do as `wrap_tool_call` does, without blocking the event loop."""
        call = self._call(request)
        decision = await self._checker.acheck(call)
        while decision.permission is Permission.ASK:
            answer = _ask(request, decision)
            request, call, decision = await asyncio.to_thread(self._apply_answer, request, call, decision, answer)
        if not decision.runs:
            return _refuse(request, decision)
        with self._checker.watch(call, decision) as watched, self._checker.mark_call(call):
            return _mention_edit(_note_result(watched, await handler(request)), call)

    def _apply_answer(
        self, request: ToolCallRequest, call: ToolCall, decision: CallDecision, answer: Mapping[str, Any]
    ) -> tuple[ToolCallRequest, ToolCall, CallDecision]:
        """Apply a person's answer. An edited call is decided again; an answer that cannot be read is asked again."""
        kind, edited = answer.get("type"), answer.get("edited_action")
        if kind == "reject":
            self._checker.reject(call)
            why = f"The person rejected this: {answer.get('message') or 'no reason was given'}"
            return request, call, CallDecision(Permission.DENY, why)
        if kind == "edit" and isinstance(edited, Mapping) and edited.get("name", call.tool) == call.tool:
            call = call._replace(arguments=edited.get("args", {}), original=call.original or call.arguments)
            request = request.override(tool_call={**request.tool_call, "args": dict(call.arguments)})
        elif kind != "approve":
            again = f"Answer with approve, edit or reject; found `{str(kind)[:40]}`. {decision.why}"
            return request, call, decision._replace(why=again)
        return request, call, self._checker.check(call, approved=True)

    def _call(self, request: ToolCallRequest) -> ToolCall:
        call, known = request.tool_call, (request.runtime.config or {}).get("configurable") or {}
        description = getattr(request.tool, "description", None)
        thread = str(known.get("thread_id") or self._run_id)
        arguments = call.get("args") or {}
        schema = getattr(request.tool, "args", None) or {}
        return ToolCall(
            thread,
            str(call.get("id") or ""),
            call["name"],
            arguments,
            description=description,
            schema={"properties": schema},
            declared=_find_declaration(request.tool),
        )


def _ask(request: ToolCallRequest, decision: CallDecision) -> Mapping[str, Any]:
    """Ask the person, as LangChain's own middleware does; the graph stops here until they have answered."""
    name, given = request.tool_call["name"], request.tool_call.get("args") or {}
    answer = interrupt(
        {
            "type": "tool_approval",
            "tool_call_id": request.tool_call["id"],
            "name": name,
            "args": given,
            "description": decision.why,
            "allowed_decisions": ["approve", "edit", "reject"],
        }
    )
    decisions = answer.get("decisions") if isinstance(answer, Mapping) else None
    found = decisions[0] if isinstance(decisions, list) and len(decisions) == 1 else answer
    return found if isinstance(found, Mapping) else {"type": found}


def _find_declaration(tool: Any) -> Tool | None:
    """Return the declaration of a tool's function."""
    return find_declared_tool(getattr(tool, "func", None)) or find_declared_tool(getattr(tool, "coroutine", None))


def _note_result(watched: WatchedCall, answer: ToolResult) -> ToolResult:
    if isinstance(answer, ToolMessage):
        watched.measure_result(answer.content, failed=answer.status == "error")
    return answer


def _mention_edit(answer: ToolResult, call: ToolCall) -> ToolResult:
    """Tell the model that a person has edited its call, so that the result makes sense to it."""
    if call.original is not None and isinstance(answer, ToolMessage) and isinstance(answer.content, str):
        changed = f"[The person changed this call; it ran with {json.dumps(dict(call.arguments), default=str)}]"
        return answer.model_copy(update={"content": f"{changed}\n{answer.content}"})
    return answer


def _refuse(request: ToolCallRequest, decision: CallDecision) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(content=decision.why, name=call["name"], tool_call_id=call["id"], status="error")

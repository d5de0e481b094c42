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

from interlock.agents.agent import Reply
from interlock.agents.framework import Call, Checker, Told
from interlock.gate.gate import Gate
from interlock.ids import new_id

try:
    from langchain.agents.middleware import AgentMiddleware, ToolCallRequest
    from langchain_core.messages import ToolMessage
    from langgraph.types import Command, interrupt
except ModuleNotFoundError as error:
    raise ImportError(f"this needs `{error.name}`: pip install 'interlock[langchain]'") from error

Answered = ToolMessage | Command[Any]


class Guard(AgentMiddleware[Any, Any, Any]):
    """Decides every call of a tool. List it after whatever changes calls, so that it sees what really runs."""

    def __init__(self, gate: Gate, *, agent_id: str = "langchain", wait: float = 0.0) -> None:
        super().__init__()
        self._checker = Checker(gate, agent_id, wait=wait, once=False)  # a graph runs no finished call again
        self._run_id = new_id()  # of those who have no thread

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Answered]) -> Answered:
        """Decide a call, ask where that takes it, and run it or say why not."""
        call = self._call(request)
        told = self._checker.check(call)
        while told.reply is Reply.ASK:
            request, call, told = self._taken(request, call, told, _asked(request, told))
        return _noted(handler(request), call) if told.runs else _refused(request, told)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Answered]]
    ) -> Answered:
        """Do as `wrap_tool_call` does, while others go on."""
        call = self._call(request)
        told = await self._checker.acheck(call)
        while told.reply is Reply.ASK:
            answer = _asked(request, told)
            request, call, told = await asyncio.to_thread(self._taken, request, call, told, answer)
        return _noted(await handler(request), call) if told.runs else _refused(request, told)

    def _taken(
        self, request: ToolCallRequest, call: Call, told: Told, answer: Mapping[str, Any]
    ) -> tuple[ToolCallRequest, Call, Told]:
        """Take a person's answer in. What they changed is decided again; what cannot be read is asked again."""
        kind, edited = answer.get("type"), answer.get("edited_action")
        if kind == "reject":
            self._checker.reject(call)
            why = f"The person rejected this: {answer.get('message') or 'no reason was given'}"
            return request, call, Told(Reply.DENY, why)
        if kind == "edit" and isinstance(edited, Mapping) and edited.get("name", call.tool) == call.tool:
            call = call._replace(given=edited.get("args", {}), first=call.first or call.given)
            request = request.override(tool_call={**request.tool_call, "args": dict(call.given)})
        elif kind != "approve":
            again = f"Approve, edit or reject this; `{str(kind)[:40]}` is none of them. {told.why}"
            return request, call, told._replace(why=again)
        return request, call, self._checker.check(call, approved=True)

    def _call(self, request: ToolCallRequest) -> Call:
        call, known = request.tool_call, (request.runtime.config or {}).get("configurable") or {}
        description = getattr(request.tool, "description", None)
        thread = str(known.get("thread_id") or self._run_id)
        return Call(thread, str(call.get("id") or ""), call["name"], call.get("args") or {}, description=description)


def _asked(request: ToolCallRequest, told: Told) -> Mapping[str, Any]:
    """Ask the person, as LangChain's own middleware does; the graph stops here until they have answered."""
    name, given = request.tool_call["name"], request.tool_call.get("args") or {}
    answer = interrupt(
        {
            "type": "tool_approval",
            "tool_call_id": request.tool_call["id"],
            "name": name,
            "args": given,
            "description": told.why,
            "allowed_decisions": ["approve", "edit", "reject"],
        }
    )
    decisions = answer.get("decisions") if isinstance(answer, Mapping) else None
    found = decisions[0] if isinstance(decisions, list) and len(decisions) == 1 else answer
    return found if isinstance(found, Mapping) else {"type": found}


def _noted(answer: Answered, call: Call) -> Answered:
    """Tell the model where a person has changed its call: else it takes what it reads for the answer to its own."""
    if call.first is not None and isinstance(answer, ToolMessage) and isinstance(answer.content, str):
        changed = f"[The person changed this call; it ran with {json.dumps(dict(call.given), default=str)}]"
        return answer.model_copy(update={"content": f"{changed}\n{answer.content}"})
    return answer


def _refused(request: ToolCallRequest, told: Told) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(content=told.why, name=call["name"], tool_call_id=call["id"], status="error")

"""Asking the client's person in the client's own dialog (MCP's elicitation)."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Awaitable, Callable

import anyio
from mcp_types.jsonrpc import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from interlock.agents.gateway.messages import CANCELLED, ENDED, McpMessage

#: How long a client may take to answer.
ASK_SECONDS = 600
#: How long withdrawing a question may take.
CANCEL_SECONDS = 2.0
_FIELD = {"type": "boolean", "title": "Run it", "description": "Run exactly this, once"}
_SCHEMA = {"type": "object", "properties": {"allow": _FIELD}, "required": ["allow"]}
#: Sends a message to the client, on the stream of one of its requests.
Send = Callable[[McpMessage, int | str | None], Awaitable[None]]


class _ClientQuestion:
    """A question to the client's person, until it is answered."""

    def __init__(self) -> None:
        self._event = anyio.Event()
        self._answer: McpMessage | None = None

    def set_answer(self, answer: McpMessage) -> None:
        """Store the answer, and wake the task that waits for it."""
        self._answer = answer
        self._event.set()

    async def is_agreed(self) -> bool:
        """Wait for the answer; return whether it is a plain yes."""
        await self._event.wait()
        result = self._answer.result if isinstance(self._answer, JSONRPCResponse) else {}
        content = result.get("content")
        return result.get("action") == "accept" and isinstance(content, dict) and content.get("allow") is True


class Elicitations:
    """The questions that one client has not answered yet."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._questions: dict[str, _ClientQuestion] = {}

    async def ask(self, request_id: int | str, text: str) -> bool:
        """Ask about a request; return whether the person agreed. Any answer other than a plain yes counts as no."""
        name = f"interlock-{secrets.token_hex(8)}"
        question = self._questions[name] = _ClientQuestion()
        try:
            with anyio.fail_after(ASK_SECONDS):
                params = {"message": text, "requestedSchema": _SCHEMA}
                request = JSONRPCRequest(jsonrpc="2.0", id=name, method="elicitation/create", params=params)
                await self._send(request, request_id)
                return await question.is_agreed()
        except TimeoutError:
            return False
        finally:
            if self._questions.pop(name, None) is not None:
                with anyio.move_on_after(CANCEL_SECONDS, shield=True), contextlib.suppress(*ENDED):
                    back = JSONRPCNotification(jsonrpc="2.0", method=CANCELLED, params={"requestId": name})
                    await self._send(back, request_id)

    def accept_answer(self, message: McpMessage) -> bool:
        """Take a message as the answer to a question of ours; return whether it is one."""
        name = getattr(message, "id", None)
        question = self._questions.pop(name, None) if isinstance(name, str) else None
        if question is None:
            return False
        question.set_answer(message)
        return True

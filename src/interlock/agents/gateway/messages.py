"""JSON-RPC messages of MCP: which methods need no decision, and how a refused call is answered."""

from __future__ import annotations

import math
from typing import Any

import anyio
from mcp_types.jsonrpc import ErrorData, JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

McpMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError
RequestKey = tuple[str, int | str]

CALL, LIST, INITIALIZE, DISCOVER = "tools/call", "tools/list", "initialize", "server/discover"
CANCELLED = "notifications/cancelled"
#: Methods that need no decision: they list, read, or set what the client is notified of.
#: Any other method is decided like a tool call.
UNDECIDED_METHODS = frozenset(
    "initialize ping tools/list resources/list resources/templates/list resources/read resources/subscribe "
    "resources/unsubscribe prompts/list prompts/get completion/complete logging/setLevel tasks/get tasks/list "
    "tasks/result tasks/cancel".split()
)
#: Notifications about a request that the server still works on.
REPORTS = frozenset({"notifications/progress", "notifications/message"})
#: What a stream raises once the other end has closed.
ENDED = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, SERVER_ENDED = -32700, -32600, -32601, -32000


def find_innermost(error: BaseException) -> BaseException:
    """Return the first error in nested groups of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def request_key(name: int | str) -> RequestKey:
    """Return a request's id as a key that keeps 1 and "1" apart."""
    return type(name).__name__, name


def failure(name: int | str | None, code: int, why: str) -> JSONRPCError:
    """Return an error response."""
    return JSONRPCError(jsonrpc="2.0", id=name, error=ErrorData(code=code, message=why))


def refusal(name: int | str, why: str) -> JSONRPCResponse:
    """Return the response to a call that does not run: a result that the model reads, and can act on."""
    content = [{"type": "text", "text": why}]
    return JSONRPCResponse(
        jsonrpc="2.0", id=name, result={"content": content, "isError": True, "resultType": "complete"}
    )


def is_finite(value: Any) -> bool:
    """Whether all numbers in a value are finite. JSON has no others, so the server would get another value."""
    if isinstance(value, float):
        return math.isfinite(value)
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return all(is_finite(one) for one in inside)

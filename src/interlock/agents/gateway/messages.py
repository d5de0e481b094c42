"""Messages of the protocol: what passes as it is, and how a call that does not is answered."""

from __future__ import annotations

import math
from typing import Any

import anyio
from mcp_types.jsonrpc import ErrorData, JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

Message = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError
Key = tuple[str, int | str]

CALL, LIST, INITIALIZE, DISCOVER = "tools/call", "tools/list", "initialize", "server/discover"
CANCELLED = "notifications/cancelled"
#: What a client may ask of a server without doing anything: it lists, reads, or says how it wants to be told.
#: Whatever is not named here is decided like the call of a tool.
PASSED = frozenset(
    "initialize ping tools/list resources/list resources/templates/list resources/read resources/subscribe "
    "resources/unsubscribe prompts/list prompts/get completion/complete logging/setLevel tasks/get tasks/list "
    "tasks/result tasks/cancel".split()
)
#: What a server tells of a request while it works on it.
REPORTS = frozenset({"notifications/progress", "notifications/message"})
#: What a stream says once the other end has gone.
ENDED = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, GONE = -32700, -32600, -32601, -32000


def innermost(error: BaseException) -> BaseException:
    """Return what went wrong, out of all that followed from it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def key_of(name: int | str) -> Key:
    """Return an id so that 1 and "1" are two."""
    return type(name).__name__, name


def failure(name: int | str | None, code: int, why: str) -> JSONRPCError:
    """Return the answer to a message that cannot be dealt with."""
    return JSONRPCError(jsonrpc="2.0", id=name, error=ErrorData(code=code, message=why))


def refusal(name: int | str, why: str) -> JSONRPCResponse:
    """Return the answer to a call that does not run: a result that the model reads, and can act on."""
    content = [{"type": "text", "text": why}]
    return JSONRPCResponse(
        jsonrpc="2.0", id=name, result={"content": content, "isError": True, "resultType": "complete"}
    )


def is_finite(value: Any) -> bool:
    """Whether there is no number in a value that JSON cannot say: it would be sent as another than was judged."""
    if isinstance(value, float):
        return math.isfinite(value)
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return all(is_finite(one) for one in inside)

"""The requests of a client that are not answered yet: being decided, or passed on to the server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

import anyio
from mcp_types.jsonrpc import JSONRPCRequest

from interlock.agents.gateway.messages import LIST, RequestKey, request_key
from interlock.gate.call_outcome import WatchedCall

MAX_REQUESTS = 10_000
#: Ends the stream of a request that will not be answered.
EndStream = Callable[[], Awaitable[None]]


class ForwardedRequest(NamedTuple):
    """A request that the server has not answered yet: its method, its tool (of a list: its cursor), and its watch."""

    method: str
    subject: str
    watched: WatchedCall | None = None  # records how a call of a tool ends


class OpenRequests:
    """The open requests of one client."""

    def __init__(self) -> None:
        self._open: set[RequestKey] = set()
        self._passed: dict[RequestKey, ForwardedRequest] = {}
        self._streams: dict[RequestKey, EndStream] = {}
        self._deciding: dict[RequestKey, anyio.CancelScope] = {}

    def add(self, request: JSONRPCRequest, end_stream: EndStream | None) -> str | None:
        """Add a request; return why it is rejected, or None."""
        key = request_key(request.id)
        if key in self._open:
            return "this id is in use"
        if len(self._open) >= MAX_REQUESTS:
            return "too many requests are open"
        self._open.add(key)
        if end_stream is not None:
            self._streams[key] = end_stream
        return None

    def start_deciding(self, request: JSONRPCRequest) -> anyio.CancelScope:
        """Return the scope in which a request is decided; it is cancelled when the client cancels the request."""
        scope = self._deciding[request_key(request.id)] = anyio.CancelScope()
        return scope

    def stop_deciding(self, request: JSONRPCRequest) -> None:
        """Record that a request is decided."""
        self._deciding.pop(request_key(request.id), None)

    def add_forwarded(self, request: JSONRPCRequest, watched: WatchedCall | None = None) -> None:
        """Record that a request was passed on to the server."""
        self.stop_deciding(request)
        subject = (request.params or {}).get("cursor" if request.method == LIST else "name")
        named = subject if isinstance(subject, str) else ""
        self._passed[request_key(request.id)] = ForwardedRequest(request.method, named, watched)

    def take_forwarded(self, name: int | str | None) -> ForwardedRequest | None:
        """Remove and return the request that the server answers; None if it was never passed on."""
        return self._passed.pop(request_key(name), None) if name is not None else None

    def take_watched(self) -> list[WatchedCall]:
        """Remove and return the calls that the server has not answered."""
        found = [request.watched for request in self._passed.values() if request.watched is not None]
        self._passed.clear()
        return found

    def find_newest_forwarded(self, is_waiting: Callable[[int | str], bool]) -> int | str | None:
        """Return the id of the newest request that the server has not answered and that the client waits for."""
        return next((key[1] for key in reversed(self._passed) if is_waiting(key[1])), None)

    def close(self, name: int | str) -> None:
        """Remove an answered request."""
        self._open.discard(request_key(name))
        self._streams.pop(request_key(name), None)

    async def cancel(self, name: int | str) -> bool:
        """Drop a request that the client has cancelled; return whether it was still being decided."""
        key = request_key(name)
        self._open.discard(key)
        self._passed.pop(key, None)
        end_stream = self._streams.pop(key, None)
        if end_stream is not None:
            await end_stream()
        scope = self._deciding.pop(key, None)
        if scope is not None:
            scope.cancel()
        return scope is not None

    def cancel_decisions(self) -> list[int | str]:
        """Stop deciding, and return the ids of the requests that are not answered."""
        for scope in list(self._deciding.values()):
            scope.cancel()
        return [key[1] for key in self._open]

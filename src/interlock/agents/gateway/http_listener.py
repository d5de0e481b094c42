"""Serve MCP clients over HTTP: each client has its own session and its own server."""

from __future__ import annotations

import contextlib
import hmac
import json
import logging
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import Any

import anyio
import uvicorn
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, StreamableHTTPServerTransport
from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import JSONRPCRequest

from interlock.agents.gateway.messages import ENDED, SERVER_ENDED, failure, find_innermost
from interlock.agents.gateway.streams import FLUSH_SECONDS, MAX_LINE, ClientStreams

PATH = "/mcp"
MAX_SESSIONS = 100
#: After how long without a request a session ends, and its server with it.
IDLE_SECONDS = 1_800.0
SHUTDOWN_SECONDS = 2
_LOG = logging.getLogger("interlock.mcp")
#: Relays the messages of one client, until it or its server ends.
ServeClient = Callable[[ClientStreams], Awaitable[None]]


class _ListenerServer(uvicorn.Server):
    """An HTTP server that leaves signals to its caller: it would raise them again before anything is cleaned up."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


class _ClientSession:
    """A client's session: its transport, the requests that are not answered yet, and the scope that ends it."""

    def __init__(self, name: str, security: TransportSecuritySettings) -> None:
        self.transport = StreamableHTTPServerTransport(name, security_settings=security, idle_timeout=IDLE_SECONDS)
        self.open: set[str] = set()
        self.scope = anyio.CancelScope()

    def is_waiting(self, request: int | str) -> bool:
        """Whether the client still waits for the answer to a request."""
        return str(request) in self.open


class HttpListener:
    """Serves clients on a port of this machine. A request without the token is rejected."""

    def __init__(self, serve_client: ServeClient, token: str) -> None:
        self._serve_client, self._token = serve_client, f"Bearer {token}".encode()
        self._sessions: dict[str, _ClientSession] = {}
        self._security = TransportSecuritySettings()
        self._tasks: TaskGroup | None = None
        self._server: _ListenerServer | None = None
        self._answer = RequestBodyLimitMiddleware(self._route, MAX_LINE)

    async def run(self, listener: socket.socket) -> None:
        """Serve until this process gets a signal to end."""
        port = listener.getsockname()[1]
        hosts = ("127.0.0.1", "localhost", "[::1]")
        self._security.allowed_hosts = [f"{host}:{port}" for host in hosts] + (list(hosts) if port == 80 else [])
        settings = uvicorn.Config(
            self, lifespan="off", log_config=None, access_log=False, timeout_graceful_shutdown=SHUTDOWN_SECONDS
        )
        self._server = _ListenerServer(settings)
        async with anyio.create_task_group() as self._tasks:
            await self._server.serve(sockets=[listener])
            self._tasks.cancel_scope.cancel()

    def end(self) -> None:
        """Accept no more requests, and end the open sessions."""
        if self._server is not None:
            self._server.should_exit = True
        for session in self._sessions.values():
            session.scope.cancel()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer an HTTP request."""
        if scope["type"] != "http":
            return
        headers = dict(scope["headers"])
        if not hmac.compare_digest(headers.get(b"authorization", b""), self._token):
            await _say(send, 401, "send `Authorization: Bearer …` with the token of this gateway")
        elif scope["path"] != PATH:
            await _say(send, 404, f"the gateway is at `{PATH}`")
        else:
            await self._answer(scope, receive, send)

    async def _route(self, scope: Any, receive: Any, send: Any) -> None:
        named = dict(scope["headers"]).get(MCP_SESSION_ID_HEADER.encode(), b"").decode("latin-1")
        session = self._sessions.get(named)
        if session is not None:
            await self._handle(session, scope, receive, send)
            if session.transport.is_terminated:
                await self._end(named, session)
        elif named:
            await _say(send, 404, "this session has ended; start a new one")
        elif len(self._sessions) >= MAX_SESSIONS:
            await _say(send, 503, f"{MAX_SESSIONS} sessions are open, which is the limit; close one first")
        else:
            await self._begin(scope, receive, send)

    async def _handle(self, session: _ClientSession, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request. A second request with the same id is rejected: it would get the answer to the first."""
        if scope["method"] != "POST":
            await session.transport.handle_request(scope, receive, send)
            return
        body = await _read(receive)
        name = _id_in(body)
        if name is not None and session.is_waiting(name):
            await _say(send, 400, "this id is in use")
            return
        if name is not None:
            session.open.add(str(name))
        try:
            await session.transport.handle_request(scope, _replay(body, receive), send)
        finally:
            session.open.discard(str(name))

    async def _begin(self, scope: Any, receive: Any, send: Any) -> None:
        """Begin a session with a client's first request, and end it if that is rejected."""
        name, status = secrets.token_hex(16), 500
        session = self._sessions[name] = _ClientSession(name, self._security)

        async def send_and_note(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            if self._tasks is not None:
                await self._tasks.start(self._serve, name, session)
                await self._handle(session, scope, receive, send_and_note)
        finally:
            if status >= 400:
                await self._end(name, session)

    async def _serve(
        self, name: str, session: _ClientSession, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED
    ) -> None:
        try:
            with session.scope:
                async with session.transport.connect() as (read, write):
                    with session.transport.idle_scope or anyio.CancelScope(), contextlib.suppress(*ENDED):
                        task_status.started()
                        async for first in read:  # a server is started once the client has sent a message
                            forget = partial(self._sessions.pop, name, None)  # so that no more requests are accepted
                            await self._relay(first, ClientStreams(read, write, session.is_waiting, forget))
                            await _reject_late(read, write)
                            break
        except Exception:  # the other sessions go on
            _LOG.exception("a session failed")
        finally:
            await self._end(name, session)

    async def _relay(self, first: Any, client: ClientStreams) -> None:
        """Relay a client's messages; where its server cannot be reached, tell the client."""
        try:
            await self._serve_client(client._replace(read=_prepend(first, client.read)))
        except Exception as errors:
            error = find_innermost(errors)
            if isinstance(error, ENDED):
                return
            _LOG.warning("a session ended: %s", error)
            if isinstance(first, SessionMessage) and isinstance(first.message, JSONRPCRequest):
                answer = failure(first.message.id, SERVER_ENDED, "the server cannot be reached")
                with contextlib.suppress(*ENDED):
                    await client.write.send(SessionMessage(answer))
        finally:
            client.on_end()

    async def _end(self, name: str, session: _ClientSession) -> None:
        self._sessions.pop(name, None)
        session.scope.cancel()
        if not session.transport.is_terminated:
            with anyio.CancelScope(shield=True):
                await session.transport.terminate()


async def _prepend(first: Any, rest: Any) -> AsyncIterator[Any]:
    """Yield a message that has already been read, and then the rest."""
    yield first
    async for item in rest:
        yield item


async def _reject_late(read: Any, write: Any) -> None:
    """Answer requests that came too late to be relayed, while the last messages are written."""
    with anyio.move_on_after(FLUSH_SECONDS):
        async for item in read:
            if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCRequest):
                await write.send(SessionMessage(failure(item.message.id, SERVER_ENDED, "the server has exited")))
    await anyio.sleep(FLUSH_SECONDS)


async def _read(receive: Any) -> bytes:
    """Return the body of a request, whose length was checked before."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return bytes(body)


def _replay(body: bytes, receive: Any) -> Callable[[], Awaitable[Any]]:
    """Return a `receive` that gives a body again that was read already, and then what follows."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Any:
        return left.pop() if left else await receive()

    return replay


def _id_in(body: bytes) -> int | str | None:
    """Return the id of a JSON-RPC request; None where the body is not one."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    name = found.get("id") if isinstance(found, dict) and "method" in found else None
    return name if isinstance(name, int | str) else None


async def _say(send: Any, status: int, why: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"Interlock: {why}\n".encode()})

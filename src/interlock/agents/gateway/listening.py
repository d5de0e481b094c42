"""Clients that come over HTTP: each has a session of its own, and a server of its own behind it."""

from __future__ import annotations

import contextlib
import hmac
import logging
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import anyio
import uvicorn
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, StreamableHTTPServerTransport
from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import JSONRPCRequest

from interlock.agents.gateway.messages import ENDED, GONE, failure
from interlock.agents.gateway.streams import FLUSH_SECONDS, MAX_LINE

PATH = "/mcp"
MAX_SESSIONS = 100
#: A session that nobody has used for so long ends, and its server with it.
IDLE_SECONDS = 1_800.0
LAST_SECONDS = 2
_LOG = logging.getLogger("interlock.mcp")
#: Carries the messages of one client, until it or its server has gone.
Carry = Callable[[Any], Awaitable[None]]


class Listening:
    """Answers clients at an address of this machine. Whoever does not know the token is not heard."""

    def __init__(self, carry: Carry, token: str) -> None:
        self._carry, self._token = carry, f"Bearer {token}".encode()
        self._sessions: dict[str, StreamableHTTPServerTransport] = {}
        self._security = TransportSecuritySettings()
        self._tasks: TaskGroup | None = None
        self._answer = RequestBodyLimitMiddleware(self._answered, MAX_LINE)

    async def run(self, listener: socket.socket) -> None:
        """Answer until this process is told to end."""
        port = listener.getsockname()[1]
        self._security.allowed_hosts = [f"{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]")]
        settings = uvicorn.Config(
            self, lifespan="off", log_config=None, access_log=False, timeout_graceful_shutdown=LAST_SECONDS
        )
        async with anyio.create_task_group() as self._tasks:
            await uvicorn.Server(settings).serve(sockets=[listener])
            self._tasks.cancel_scope.cancel()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request over HTTP."""
        if scope["type"] != "http":
            return
        headers = dict(scope["headers"])
        if not hmac.compare_digest(headers.get(b"authorization", b""), self._token):
            await _say(send, 401, "say `Authorization: Bearer …` with the token that this gateway goes by")
        elif scope["path"] != PATH:
            await _say(send, 404, f"the gateway is at `{PATH}`")
        else:
            await self._answer(scope, receive, send)

    async def _answered(self, scope: Any, receive: Any, send: Any) -> None:
        named = dict(scope["headers"]).get(MCP_SESSION_ID_HEADER.encode(), b"").decode("latin-1")
        session = self._sessions.get(named)
        if session is not None:
            await session.handle_request(scope, receive, send)
        elif named:
            await _say(send, 404, "this session has ended; begin another one")
        elif len(self._sessions) >= MAX_SESSIONS:
            await _say(send, 503, f"{MAX_SESSIONS} sessions are open, and no more than that")
        else:
            await self._begin(scope, receive, send)

    async def _begin(self, scope: Any, receive: Any, send: Any) -> None:
        """Begin a session with a client's first request; one that is not taken begins none."""
        name, status = secrets.token_hex(16), 500
        session = self._sessions[name] = StreamableHTTPServerTransport(
            name, security_settings=self._security, idle_timeout=IDLE_SECONDS
        )

        async def sent(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            if self._tasks is not None:
                await self._tasks.start(self._serve, name, session)
                await session.handle_request(scope, receive, sent)
        finally:
            if status >= 400:
                await self._end(name, session)

    async def _serve(
        self,
        name: str,
        session: StreamableHTTPServerTransport,
        *,
        task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        try:
            async with session.connect() as (read, write):
                with session.idle_scope or anyio.CancelScope(), contextlib.suppress(*ENDED):
                    task_status.started()
                    async for first in read:  # a server is started for those alone who have said something
                        await self._carried(first, read, write)
                        self._sessions.pop(name, None)  # nothing more is taken
                        await anyio.sleep(FLUSH_SECONDS)  # for what was said last to be written
                        break
        except Exception:  # whatever it is, the other sessions go on
            _LOG.exception("a session has failed")
        finally:
            await self._end(name, session)

    async def _carried(self, first: Any, read: Any, write: Any) -> None:
        """Carry a client's messages; where there is no server for them, the client is told."""
        try:
            await self._carry((_again(first, read), write))
        except Exception as error:
            while isinstance(error, ExceptionGroup):
                error = error.exceptions[0]
            if isinstance(error, ENDED):
                return
            _LOG.warning("a session has ended: %s", error)
            if isinstance(first, SessionMessage) and isinstance(first.message, JSONRPCRequest):
                gone = failure(first.message.id, GONE, "the server cannot be had")
                with contextlib.suppress(*ENDED):
                    await write.send(SessionMessage(gone))

    async def _end(self, name: str, session: StreamableHTTPServerTransport) -> None:
        self._sessions.pop(name, None)
        if not session.is_terminated:
            with anyio.CancelScope(shield=True):
                await session.terminate()


async def _again(first: Any, rest: Any) -> AsyncIterator[Any]:
    """Yield what was read already, and then what comes."""
    yield first
    async for item in rest:
        yield item


async def _say(send: Any, status: int, why: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"Interlock: {why}\n".encode()})

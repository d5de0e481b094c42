"""Clients that come over HTTP: each has a session of its own, and a server of its own behind it."""

from __future__ import annotations

import contextlib
import hmac
import json
import logging
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import anyio
import uvicorn
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, StreamableHTTPServerTransport
from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import JSONRPCRequest

from interlock.agents.gateway.messages import ENDED, GONE, failure, innermost
from interlock.agents.gateway.streams import FLUSH_SECONDS, MAX_LINE, Client

PATH = "/mcp"
MAX_SESSIONS = 100
#: A session that nobody has used for so long ends, and its server with it.
IDLE_SECONDS = 1_800.0
LAST_SECONDS = 2
_LOG = logging.getLogger("interlock.mcp")
#: Carries the messages of one client, until it or its server has gone.
Carry = Callable[[Client], Awaitable[None]]


class _Server(uvicorn.Server):
    """A server that leaves signals to whoever runs it: it would raise them once more, before anything is cleaned up."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


class _Session:
    """A client's session: its transport, the requests whose answers it waits for, and what ends it."""

    def __init__(self, name: str, security: TransportSecuritySettings) -> None:
        self.transport = StreamableHTTPServerTransport(name, security_settings=security, idle_timeout=IDLE_SECONDS)
        self.open: set[str] = set()
        self.scope = anyio.CancelScope()

    def listens(self, request: int | str) -> bool:
        """Whether the client still waits for the answer to a request."""
        return str(request) in self.open


class Listening:
    """Answers clients at an address of this machine. Whoever does not know the token is not heard."""

    def __init__(self, carry: Carry, token: str) -> None:
        self._carry, self._token = carry, f"Bearer {token}".encode()
        self._sessions: dict[str, _Session] = {}
        self._security = TransportSecuritySettings()
        self._tasks: TaskGroup | None = None
        self._server: _Server | None = None
        self._answer = RequestBodyLimitMiddleware(self._answered, MAX_LINE)

    async def run(self, listener: socket.socket) -> None:
        """Answer until this process is told to end."""
        port = listener.getsockname()[1]
        hosts = ("127.0.0.1", "localhost", "[::1]")
        self._security.allowed_hosts = [f"{host}:{port}" for host in hosts] + (list(hosts) if port == 80 else [])
        settings = uvicorn.Config(
            self, lifespan="off", log_config=None, access_log=False, timeout_graceful_shutdown=LAST_SECONDS
        )
        self._server = _Server(settings)
        async with anyio.create_task_group() as self._tasks:
            await self._server.serve(sockets=[listener])
            self._tasks.cancel_scope.cancel()

    def end(self) -> None:
        """Take no more, and end what is open."""
        if self._server is not None:
            self._server.should_exit = True
        for session in self._sessions.values():
            session.scope.cancel()

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
            await self._handled(session, scope, receive, send)
            if session.transport.is_terminated:
                await self._end(named, session)
        elif named:
            await _say(send, 404, "this session has ended; begin another one")
        elif len(self._sessions) >= MAX_SESSIONS:
            await _say(send, 503, f"{MAX_SESSIONS} sessions are open, and no more than that")
        else:
            await self._begin(scope, receive, send)

    async def _handled(self, session: _Session, scope: Any, receive: Any, send: Any) -> None:
        """Have a request answered. One under an id that is in use would take the answer of the other away."""
        if scope["method"] != "POST":
            await session.transport.handle_request(scope, receive, send)
            return
        body = await _read(receive)
        name = _id_in(body)
        if name is not None and session.listens(name):
            await _say(send, 400, "this id is in use")
            return
        if name is not None:
            session.open.add(str(name))
        try:
            await session.transport.handle_request(scope, _replayed(body, receive), send)
        finally:
            session.open.discard(str(name))

    async def _begin(self, scope: Any, receive: Any, send: Any) -> None:
        """Begin a session with a client's first request; one that is not taken begins none."""
        name, status = secrets.token_hex(16), 500
        session = self._sessions[name] = _Session(name, self._security)

        async def sent(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            if self._tasks is not None:
                await self._tasks.start(self._serve, name, session)
                await self._handled(session, scope, receive, sent)
        finally:
            if status >= 400:
                await self._end(name, session)

    async def _serve(
        self, name: str, session: _Session, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED
    ) -> None:
        try:
            with session.scope:
                async with session.transport.connect() as (read, write):
                    with session.transport.idle_scope or anyio.CancelScope(), contextlib.suppress(*ENDED):
                        task_status.started()
                        async for first in read:  # a server is started for those alone who have said something
                            gone = lambda: self._sessions.pop(name, None)  # noqa: E731 - nothing more is taken
                            await self._carried(first, Client(read, write, session.listens, gone))
                            await _turned_away(read, write)
                            break
        except Exception:  # whatever it is, the other sessions go on
            _LOG.exception("a session has failed")
        finally:
            await self._end(name, session)

    async def _carried(self, first: Any, client: Client) -> None:
        """Carry a client's messages; where there is no server for them, the client is told."""
        try:
            await self._carry(client._replace(read=_again(first, client.read)))
        except Exception as errors:
            error = innermost(errors)
            if isinstance(error, ENDED):
                return
            _LOG.warning("a session has ended: %s", error)
            if isinstance(first, SessionMessage) and isinstance(first.message, JSONRPCRequest):
                gone = failure(first.message.id, GONE, "the server cannot be had")
                with contextlib.suppress(*ENDED):
                    await client.write.send(SessionMessage(gone))
        finally:
            client.gone()

    async def _end(self, name: str, session: _Session) -> None:
        self._sessions.pop(name, None)
        session.scope.cancel()
        if not session.transport.is_terminated:
            with anyio.CancelScope(shield=True):
                await session.transport.terminate()


async def _again(first: Any, rest: Any) -> AsyncIterator[Any]:
    """Yield what was read already, and then what comes."""
    yield first
    async for item in rest:
        yield item


async def _turned_away(read: Any, write: Any) -> None:
    """Answer what came too late to be carried; meanwhile, what was said last is written."""
    with anyio.move_on_after(FLUSH_SECONDS):
        async for item in read:
            if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCRequest):
                await write.send(SessionMessage(failure(item.message.id, GONE, "the server has gone")))
    await anyio.sleep(FLUSH_SECONDS)


async def _read(receive: Any) -> bytes:
    """Return the body of a request; how long it may be was seen to."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return bytes(body)


def _replayed(body: bytes, receive: Any) -> Callable[[], Awaitable[Any]]:
    """Return what gives a body that was read once more, and then what else comes."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Any:
        return left.pop() if left else await receive()

    return replay


def _id_in(body: bytes) -> int | str | None:
    """Return the id of a request, where a body is one."""
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

"""The relay: carries messages between a client and a server, unchanged, and holds up only what has to be decided."""

from __future__ import annotations

import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import anyio
from anyio.abc import TaskGroup
from mcp.shared.message import ClientMessageMetadata, ServerMessageMetadata, SessionMessage
from mcp_types.jsonrpc import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from interlock.agents.gateway.judge import Ask, Judge
from interlock.agents.gateway.messages import (
    CALL,
    CANCELLED,
    DISCOVER,
    ENDED,
    GONE,
    INITIALIZE,
    INVALID_REQUEST,
    LIST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    PASSED,
    REPORTS,
    Key,
    Message,
    failure,
    key_of,
    refusal,
)
from interlock.agents.gateway.streams import Client

#: How long a client may take to answer what its person is asked.
ASK_SECONDS = 600
#: How long somebody who goes is told what is left to say.
LAST_SECONDS = 2.0
MAX_WAITING = 10_000
_LOG = logging.getLogger("interlock.mcp")
Ending = Callable[[], Awaitable[None]]


class Relay:
    """One client and one server, whose streams are those of the SDK's transports: read, and write."""

    def __init__(self, client: Client, server: Any, judge: Judge) -> None:
        self._client, self._server, self._judge = client, server, judge
        self._open: set[Key] = set()  # what the client has not been answered
        self._pending: dict[Key, tuple[str, str]] = {}  # what the server has not answered: method, and tool or cursor
        self._ends: dict[Key, Ending] = {}  # what ends the answer to a request that nobody answers
        self._judged: dict[Key, anyio.CancelScope] = {}
        self._turn = anyio.Lock()  # calls that need nobody reach the server in the order in which they came
        self._asked: dict[str, Asked] = {}
        self._asks = False
        self._version: str | None = None
        self._tasks: TaskGroup | None = None

    async def run(self) -> None:
        """Carry messages until one of the two has gone."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            tasks.start_soon(self._from_server)
            await self._from_client()
            tasks.cancel_scope.cancel()

    async def fail(self) -> None:
        """Answer everything that nobody will answer any more; a client that does not listen is not waited for."""
        for scope in list(self._judged.values()):
            scope.cancel()
        with anyio.move_on_after(LAST_SECONDS, shield=True), contextlib.suppress(*ENDED):
            for key in list(self._open):
                await self._tell(failure(key[1], GONE, "the server has gone"))

    # from the client

    async def _from_client(self) -> None:
        async for item in self._client.read:
            if isinstance(item, Exception):
                await self._tell(failure(None, PARSE_ERROR, "this is no message of the protocol"))
            elif isinstance(item.message, JSONRPCRequest):
                await self._requested(item.message, getattr(item.metadata, "on_request_unanswered", None))
            elif isinstance(item.message, JSONRPCNotification):
                await self._notified(item.message)
            elif not self._answered(item.message):
                await self._send(item.message)

    async def _requested(self, request: JSONRPCRequest, ending: Ending | None) -> None:
        key = key_of(request.id)
        if key in self._open or len(self._open) >= MAX_WAITING:
            why = "this id is in use" if key in self._open else "too many requests wait"
            await self._client.write.send(SessionMessage(failure(request.id, INVALID_REQUEST, why)))
            return
        self._open.add(key)
        if ending is not None:
            self._ends[key] = ending
        if request.method == DISCOVER:  # of a revision without questions to the client; it takes the one before
            await self._tell(failure(request.id, METHOD_NOT_FOUND, "this revision of the protocol is not spoken here"))
        elif request.method in PASSED:
            self._learn(request)
            await self._pass(request)
        elif self._tasks is not None:
            scope = self._judged[key] = anyio.CancelScope()
            self._tasks.start_soon(self._judge_call, request, scope)

    def _learn(self, request: JSONRPCRequest) -> None:
        """Learn from a client's introduction who it is, and whether its person can be asked through it."""
        if request.method != INITIALIZE or request.params is None:
            return
        client, able = request.params.get("clientInfo"), request.params.get("capabilities")
        self._judge.meet(str(client.get("name", "")) if isinstance(client, dict) else "")
        elicits = able.get("elicitation") if isinstance(able, dict) else None
        self._asks = isinstance(elicits, dict) and (not elicits or "form" in elicits)

    async def _judge_call(self, request: JSONRPCRequest, scope: anyio.CancelScope) -> None:
        """Decide a call, and pass it on or refuse it; whoever takes it back meanwhile hears no more of it."""
        try:
            with scope:
                async with self._turn:
                    found = await self._judge.judged(request.method, request.params or {}, self._asking(request))
                    if found.why is None and found.later is None:
                        await self._pass(request)
                        return
                why = found.why if found.later is None else await found.later()
                if why is None:
                    await self._pass(request)
                elif request.method == CALL:
                    await self._tell(refusal(request.id, why))
                else:
                    await self._tell(failure(request.id, INVALID_REQUEST, why))
        except ENDED:
            pass  # whoever is gone is answered elsewhere
        except Exception as error:
            _LOG.exception("a call could not be decided")
            await self._tell(refusal(request.id, f"Interlock does not let this run: {type(error).__name__}"))
        finally:
            self._judged.pop(key_of(request.id), None)

    async def _notified(self, notification: JSONRPCNotification) -> None:
        """Pass a notification on. What only looks like one, and may be a call without an id, is not."""
        if not notification.method.startswith("notifications/"):
            _LOG.warning("not passed on: `%s` without an id that can be answered", notification.method[:100])
            return
        if notification.method == CANCELLED and notification.params:
            name = notification.params.get("requestId")
            if isinstance(name, int | str) and await self._forgotten(key_of(name)):
                return  # the server has never heard of it
        await self._send(notification)

    async def _forgotten(self, key: Key) -> bool:
        """Forget a request that the client has taken back; whether it was still being decided."""
        self._open.discard(key)
        self._pending.pop(key, None)
        ending = self._ends.pop(key, None)
        if ending is not None:
            await ending()
        scope = self._judged.pop(key, None)
        if scope is not None:
            scope.cancel()
        return scope is not None

    def _answered(self, answer: Message) -> bool:
        """Whether this answers a question of ours."""
        name = getattr(answer, "id", None)
        asked = self._asked.pop(name, None) if isinstance(name, str) else None
        if asked is None:
            return False
        asked.settle(answer)
        return True

    def _asking(self, request: JSONRPCRequest) -> Ask | None:
        return partial(self._ask, request.id) if self._asks else None

    async def _pass(self, request: JSONRPCRequest) -> None:
        self._judged.pop(key_of(request.id), None)
        tool = (request.params or {}).get("cursor" if request.method == LIST else "name")
        self._pending[key_of(request.id)] = request.method, tool if isinstance(tool, str) else ""
        await self._send(request)

    # from the server

    async def _from_server(self) -> None:
        async for item in self._server[0]:
            if isinstance(item, Exception):
                _LOG.warning("the server sent what is no message of the protocol")
                continue
            message = item.message
            if not isinstance(message, JSONRPCResponse | JSONRPCError):
                await self._tell(message, self._about(message))
            elif await self._settled(message):
                await self._tell(message)
        await self.fail()
        if self._tasks is not None:
            self._tasks.cancel_scope.cancel()

    def _about(self, message: JSONRPCRequest | JSONRPCNotification) -> int | str | None:
        """Return the request that a server says something for, so that it goes where that is answered.

        Over HTTP each request has a stream of its own. A server does not tell for which it asks or reports; the
        newest that it has not answered is as good as any other, and one that it says nothing for has none.
        """
        if isinstance(message, JSONRPCRequest) or message.method in REPORTS:
            return next((key[1] for key in reversed(self._pending) if self._client.listens(key[1])), None)
        return None

    async def _settled(self, answer: JSONRPCResponse | JSONRPCError) -> bool:
        """Learn from the answer to what a client asked; whether it answers anything that the server was asked."""
        pending = self._pending.pop(key_of(answer.id), None) if answer.id is not None else None
        if pending is None:
            _LOG.warning("not passed on: the server answered what it was not asked")
            return answer.id is None
        method, tool = pending
        result = answer.result if isinstance(answer, JSONRPCResponse) else {}
        if method == LIST:
            self._judge.tools.heard(result, first=not tool)
        elif method == INITIALIZE:
            version = result.get("protocolVersion")
            self._version = version if isinstance(version, str) else None
        elif method == CALL and self._tasks is not None:
            failed = isinstance(answer, JSONRPCError) or result.get("isError") is True
            self._tasks.start_soon(self._noted, tool, failed)
        return True

    async def _noted(self, tool: str, failed: bool) -> None:
        await anyio.to_thread.run_sync(lambda: self._judge.finished(tool, failed=failed))

    # asking, telling, sending

    async def _ask(self, about: int | str, question: str) -> bool:
        """Ask the client's person in its own dialog; whether they agreed. Whatever else comes back is no agreement."""
        name = f"interlock-{secrets.token_hex(8)}"
        field = {"type": "boolean", "title": "Let it run", "description": "Let exactly this run, once"}
        schema = {"type": "object", "properties": {"allow": field}, "required": ["allow"]}
        asked = self._asked[name] = Asked()
        try:
            with anyio.fail_after(ASK_SECONDS):
                params = {"message": question, "requestedSchema": schema}
                request = JSONRPCRequest(jsonrpc="2.0", id=name, method="elicitation/create", params=params)
                await self._tell(request, about)
                return await asked.agreed()
        except TimeoutError:
            return False
        finally:
            if self._asked.pop(name, None) is not None:
                with anyio.move_on_after(LAST_SECONDS, shield=True), contextlib.suppress(*ENDED):
                    back = JSONRPCNotification(jsonrpc="2.0", method=CANCELLED, params={"requestId": name})
                    await self._tell(back, about)

    async def _tell(self, message: Message, about: int | str | None = None) -> None:
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            self._open.discard(key_of(message.id))
            self._ends.pop(key_of(message.id), None)
        metadata = ServerMessageMetadata(related_request_id=about) if about is not None else None
        await self._client.write.send(SessionMessage(message, metadata))

    async def _send(self, message: Message) -> None:
        headers = {"mcp-protocol-version": self._version} if self._version is not None else None
        metadata = ClientMessageMetadata(headers=headers) if headers else None
        await self._server[1].send(SessionMessage(message, metadata))


class Asked:
    """A question to the client's person, until it is answered."""

    def __init__(self) -> None:
        self._event = anyio.Event()
        self._answer: Message | None = None

    def settle(self, answer: Message) -> None:
        """Take the answer in."""
        self._answer = answer
        self._event.set()

    async def agreed(self) -> bool:
        """Wait for the answer; whether it is a plain yes."""
        await self._event.wait()
        result = self._answer.result if isinstance(self._answer, JSONRPCResponse) else {}
        content = result.get("content")
        return result.get("action") == "accept" and isinstance(content, dict) and content.get("allow") is True

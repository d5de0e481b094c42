"""The relay: passes messages between a client and a server unchanged, and holds back calls until they are decided."""

from __future__ import annotations

import contextlib
import logging
from functools import partial
from typing import Any

import anyio
from anyio.abc import TaskGroup
from mcp.shared.message import ClientMessageMetadata, ServerMessageMetadata, SessionMessage
from mcp_types.jsonrpc import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from interlock.agents.gateway.decider import AskClient, CallDecider
from interlock.agents.gateway.elicitation import Elicitations
from interlock.agents.gateway.messages import (
    CALL,
    CANCELLED,
    DISCOVER,
    ENDED,
    INITIALIZE,
    INVALID_REQUEST,
    LIST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    REPORTS,
    SERVER_ENDED,
    UNDECIDED_METHODS,
    McpMessage,
    failure,
    refusal,
)
from interlock.agents.gateway.open_requests import EndStream, OpenRequests
from interlock.agents.gateway.streams import ClientStreams

#: How long the last answers to a client may take.
LAST_SECONDS = 2.0
_LOG = logging.getLogger("interlock.mcp")


class Relay:
    """One client and one server. `server` is a pair of the SDK's streams: to read from, and to write to."""

    def __init__(self, client: ClientStreams, server: Any, decider: CallDecider) -> None:
        self._client, self._server, self._decider = client, server, decider
        self._requests = OpenRequests()
        self._elicitations = Elicitations(self._send_to_client)
        self._turn = anyio.Lock()  # calls that need no answer of a person reach the server in their order
        self._can_ask = False
        self._version: str | None = None
        self._tasks: TaskGroup | None = None

    async def run(self) -> None:
        """Pass messages on until the client or the server ends."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            tasks.start_soon(self._read_server)
            await self._read_client()
            tasks.cancel_scope.cancel()

    async def fail_open_requests(self) -> None:
        """Answer every open request with an error, unless the client does not read any more."""
        names = self._requests.cancel_decisions()
        for unanswered in self._requests.take_watched():
            with unanswered:
                unanswered.measure_result(None, failed=True)
        with anyio.move_on_after(LAST_SECONDS, shield=True), contextlib.suppress(*ENDED):
            for name in names:
                await self._send_to_client(failure(name, SERVER_ENDED, "the server has exited"))

    # from the client

    async def _read_client(self) -> None:
        async for item in self._client.read:
            if isinstance(item, Exception):
                await self._send_to_client(failure(None, PARSE_ERROR, "this is not a valid MCP message"))
            elif isinstance(item.message, JSONRPCRequest):
                await self._handle_request(item.message, getattr(item.metadata, "on_request_unanswered", None))
            elif isinstance(item.message, JSONRPCNotification):
                await self._handle_notification(item.message)
            elif not self._elicitations.accept_answer(item.message):
                await self._send_to_server(item.message)

    async def _handle_request(self, request: JSONRPCRequest, end_stream: EndStream | None) -> None:
        rejected = self._requests.add(request, end_stream)
        if rejected is not None:
            await self._client.write.send(SessionMessage(failure(request.id, INVALID_REQUEST, rejected)))
        elif request.method == DISCOVER:  # of a revision in which clients cannot be asked; they fall back to another
            why = "this protocol version is not supported"
            await self._send_to_client(failure(request.id, METHOD_NOT_FOUND, why))
        elif request.method in UNDECIDED_METHODS:
            self._read_introduction(request)
            await self._pass_on(request)
        elif self._tasks is not None:
            self._tasks.start_soon(self._decide, request, self._requests.start_deciding(request))

    def _read_introduction(self, request: JSONRPCRequest) -> None:
        """Read the client's name from its first request, and whether it can ask its user (elicitation)."""
        if request.method != INITIALIZE or request.params is None:
            return
        client, able = request.params.get("clientInfo"), request.params.get("capabilities")
        self._decider.name_client(str(client.get("name", "")) if isinstance(client, dict) else "")
        elicits = able.get("elicitation") if isinstance(able, dict) else None
        self._can_ask = isinstance(elicits, dict) and (not elicits or "form" in elicits)

    async def _decide(self, request: JSONRPCRequest, scope: anyio.CancelScope) -> None:
        """Decide a call, and pass it on or refuse it. One that is cancelled meanwhile gets no answer."""
        try:
            with scope:
                async with self._turn:
                    ruling = await self._decider.decide(request.method, request.params or {}, self._ask_about(request))
                    if ruling.refusal is None and ruling.wait is None:
                        await self._pass_on(request, ruling.decision_id)
                        return
                why = ruling.refusal if ruling.wait is None else await ruling.wait()
                if why is None:
                    await self._pass_on(request, ruling.decision_id)
                elif request.method == CALL:
                    await self._send_to_client(refusal(request.id, why))
                else:
                    await self._send_to_client(failure(request.id, INVALID_REQUEST, why))
        except ENDED:
            pass  # `fail_open_requests` answers
        except Exception as error:
            _LOG.exception("a call could not be decided")
            why = f"Interlock refused this: {type(error).__name__}"
            await self._send_to_client(refusal(request.id, why))
        finally:
            self._requests.stop_deciding(request)

    def _ask_about(self, request: JSONRPCRequest) -> AskClient | None:
        return partial(self._elicitations.ask, request.id) if self._can_ask else None

    async def _handle_notification(self, notification: JSONRPCNotification) -> None:
        """Pass a notification on, unless it could be a call without an id."""
        if not notification.method.startswith("notifications/"):
            _LOG.warning("not passed on: `%s` without an id that can be answered", notification.method[:100])
            return
        if notification.method == CANCELLED and notification.params:
            name = notification.params.get("requestId")
            if isinstance(name, int | str) and await self._requests.cancel(name):
                return  # it was not decided yet, so the server does not know it
        await self._send_to_server(notification)

    async def _pass_on(self, request: JSONRPCRequest, decision_id: str = "") -> None:
        tool = (request.params or {}).get("name") if request.method == CALL else None
        watched = self._decider.watch(tool, decision_id) if isinstance(tool, str) else None
        self._requests.add_forwarded(request, watched)
        await self._send_to_server(request)

    # from the server

    async def _read_server(self) -> None:
        async for item in self._server[0]:
            if isinstance(item, Exception):
                _LOG.warning("the server sent an invalid MCP message")
                continue
            message = item.message
            if not isinstance(message, JSONRPCResponse | JSONRPCError):
                await self._send_to_client(message, self._find_related_request(message))
            elif self._accept_response(message):
                await self._send_to_client(message)
        await self.fail_open_requests()
        if self._tasks is not None:
            self._tasks.cancel_scope.cancel()

    def _find_related_request(self, message: JSONRPCRequest | JSONRPCNotification) -> int | str | None:
        """Return the request that a server's message belongs to, so that it is sent on that request's stream.

        Over HTTP each request has a stream of its own. A server does not say for which request it asks or reports, so
        that the newest open one is used; other notifications belong to none.
        """
        if isinstance(message, JSONRPCRequest) or message.method in REPORTS:
            return self._requests.find_newest_forwarded(self._client.is_waiting)
        return None

    def _accept_response(self, answer: JSONRPCResponse | JSONRPCError) -> bool:
        """Process a response of the server; return whether it answers a request that was passed on."""
        request = self._requests.take_forwarded(answer.id)
        if request is None:
            _LOG.warning("not passed on: the server answered a request that it was not sent")
            return answer.id is None
        result = answer.result if isinstance(answer, JSONRPCResponse) else {}
        if request.method == LIST:
            self._decider.tools.update(result, first=not request.subject)
        elif request.method == INITIALIZE:
            version = result.get("protocolVersion")
            self._version = version if isinstance(version, str) else None
        elif request.watched is not None:
            with request.watched as watched:
                failed = isinstance(answer, JSONRPCError) or result.get("isError") is True
                watched.measure_result(result, failed=failed)
        return True

    # sending

    async def _send_to_client(self, message: McpMessage, related: int | str | None = None) -> None:
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            self._requests.close(message.id)
        metadata = ServerMessageMetadata(related_request_id=related) if related is not None else None
        await self._client.write.send(SessionMessage(message, metadata))

    async def _send_to_server(self, message: McpMessage) -> None:
        headers = {"mcp-protocol-version": self._version} if self._version is not None else None
        metadata = ClientMessageMetadata(headers=headers) if headers else None
        await self._server[1].send(SessionMessage(message, metadata))

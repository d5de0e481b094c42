"""Requests to an Interlock server, with retries and readable errors."""

from __future__ import annotations

import random
import threading
import time
from typing import TypeVar
from urllib.parse import quote, urlencode

import msgspec

from interlock.errors import ServerError
from interlock.gate.remote.address import RemoteOptions, ServerAddress
from interlock.http_client import HttpConnections, HttpError, HttpFailure, HttpReply, HttpRequest
from interlock.sanitise import plain
from interlock.version import VERSION

MAX_REPLY = 32_000_000
MAX_DETAIL = 600
#: How many connections stay open between requests.
MAX_KEPT = 8
#: The first pause between two attempts, which doubles each time, and the longest.
PAUSES = (0.1, 2.0)
#: Statuses after which a retry may succeed.
RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
Body = TypeVar("Body")
QueryParameters = dict[str, str | float | None]
_WHY = {
    401: "the server does not accept the key",
    403: "not allowed with this key",
    404: "not found",
    409: "conflict",
    413: "the action is too large",
    421: "the server does not accept this host name",
}


class _ErrorBody(msgspec.Struct):
    detail: str = ""
    errors: list[dict[str, str]] = []


class ServerApi:
    """Calls the API of one server. Threads may share it."""

    def __init__(self, address: ServerAddress, options: RemoteOptions) -> None:
        self.address, self._options = address, options
        # A request on a kept connection may be sent twice, so a single attempt needs a new connection.
        self._connections = HttpConnections(address.target, most=MAX_KEPT if options.attempts > 1 else 0)

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    def get(self, path: str, answer: type[Body], **query: str | float | None) -> Body:
        """Return the answer to a GET request, or raise `ServerError`."""
        return self._call("GET", path, None, answer, query)

    def send(
        self,
        method: str,
        path: str,
        body: object,
        answer: type[Body],
        *,
        wait: float = 0,
        stop: threading.Event | None = None,
        total_timeout: float | None = None,
    ) -> Body:
        """Return the answer to a request with a body, or raise `ServerError`. The server may take `wait` seconds more.

        The body has an idempotency key, so that a retry has no further effect.
        """
        return self._call(method, path, _encode(body), answer, {"wait": wait or None}, wait, stop, total_timeout)

    def _call(
        self,
        method: str,
        path: str,
        body: bytes | None,
        answer: type[Body],
        query: QueryParameters,
        wait: float = 0,
        stop: threading.Event | None = None,
        total_timeout: float | None = None,
    ) -> Body:
        given = urlencode({name: value for name, value in query.items() if value is not None})
        where = f"{self.address.target.path}{path}" + (f"?{given}" if given else "")
        request = HttpRequest(method, where, self._headers(body), body, MAX_REPLY, errors=True)
        until = time.monotonic() + (self._options.total_timeout if total_timeout is None else total_timeout) + wait
        pause, longest = PAUSES
        for left in reversed(range(self._options.attempts)):
            try:
                return self._attempt(request, answer, min(until, time.monotonic() + self._options.timeout + wait), stop)
            except ServerError as error:
                if not error.again or not left or time.monotonic() + pause >= until:
                    raise
            if (stop or threading.Event()).wait(pause * random.uniform(0.5, 1.5)):  # noqa: S311 - spreads retries
                raise ServerError("the request was stopped")
            pause = min(pause * 2, longest)
        raise ServerError("`attempts` must be at least 1")

    def _attempt(self, request: HttpRequest, answer: type[Body], deadline: float, stop: threading.Event | None) -> Body:
        peer = f"the server at `{self.address.url}`"
        try:
            reply = self._connections.send(request, deadline=deadline, stop=stop)
        except HttpError as error:
            again = error.failure is not HttpFailure.STOPPED
            raise ServerError(error.failure.describe(peer), again=again) from None
        if not 200 <= reply.status < 300:
            raise self._problem(reply, peer)
        if reply.failure is not None:
            raise ServerError(reply.failure.describe(peer), reply.status, again=True)
        try:
            return msgspec.json.decode(reply.body, type=answer)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise ServerError(f"{peer} sent a reply that is not valid", reply.status, again=True) from None

    def _problem(self, reply: HttpReply, peer: str) -> ServerError:
        """Return the error for a status that is not a success."""
        if 300 <= reply.status < 400:
            return ServerError(f"{peer} redirects to another address; use that one", reply.status)
        try:
            problem = msgspec.json.decode(reply.body, type=_ErrorBody)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            problem = _ErrorBody()
        detail = plain(self.address.hide_key(problem.detail))[:MAX_DETAIL]
        what = _WHY.get(reply.status, f"status {reply.status}")
        told = f"{peer}: {what}" + (f": {detail}" if detail else "")
        errors = tuple((one.get("field", ""), one.get("message", "")) for one in problem.errors)
        return ServerError(told, reply.status, again=reply.status in RETRIED, errors=errors)

    def _headers(self, body: bytes | None) -> dict[str, str]:
        headers = {
            "Authorization": f"Bearer {self.address.key}",
            "Accept": "application/json",
            "User-Agent": f"interlock-python/{VERSION}",
        }
        return headers if body is None else {**headers, "Content-Type": "application/json"}


def path_of(*parts: str) -> str:
    """Return the path of a resource, whatever characters its id has.

    >>> path_of("runs", "a/b", "complete")
    '/v1/runs/a%2Fb/complete'
    """
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)


def _encode(body: object) -> bytes:
    return msgspec.json.encode(body)

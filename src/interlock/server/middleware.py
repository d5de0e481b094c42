"""The outermost middleware: checks the host, size and arrival time of each request, and adds security headers."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Iterable, MutableMapping
from typing import Any

import msgspec

from interlock.patterns import late
from interlock.server.hook_refusals import HOOKS, STATUS_HEADER, hook_refusal
from interlock.server.problems import MEDIA_TYPE, RequestError, make_problem

#: How long a request's body may take to arrive.
BODY_SECONDS = 20.0
_HOST = late(rb"^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$", re.IGNORECASE)

_CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
_HEADERS = [
    (b"content-security-policy", _CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]
_NO_STORE = (b"cache-control", b"no-store")
_CLOSE = {"connection": "close"}
#: Health checks reveal nothing, and probes reach them under any host name.
_HEALTH_CHECKS = frozenset({"/healthz", "/readyz"})
AsgiMessage = MutableMapping[str, Any]


class SecurityMiddleware:
    """Wraps an ASGI application. `hosts` are the host names that the server answers to."""

    def __init__(
        self,
        app: Any,
        *,
        hosts: Iterable[str],
        max_body: int,
        secure: bool,
        count_response: Callable[[int], None],
        behind_proxy: bool = False,
    ) -> None:
        self._app, self._max_body, self._count_response = app, max_body, count_response
        self._behind_proxy = behind_proxy
        self._hosts = frozenset(host.lower().encode() for host in hosts)
        strict = (b"strict-transport-security", b"max-age=31536000")
        self._headers = [*_HEADERS, strict] if secure else _HEADERS

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on, or reject it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._behind_proxy:
            _apply_proxy_headers(scope)
        send = self._with_headers(scope, send)
        problem = self._find_problem(scope)
        if problem is not None:
            if scope["path"].startswith(HOOKS):
                await _discard_body(receive)
            await _send_problem(send, scope["path"], *problem)
            return
        await self._app(scope, _LimitedBody(receive, self._max_body, scope["path"].startswith(HOOKS)), send)

    def _find_problem(self, scope: Any) -> tuple[int, str] | None:
        """Return the status and the reason for which a request is rejected, if any."""
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not _HOST.match(hosts[0]):
            return 400, "a request must have exactly one valid `Host` header"
        name = re.sub(rb":\d+$", b"", hosts[0].lower())
        if name not in self._hosts and scope["path"] not in _HEALTH_CHECKS:
            return (
                421,
                f"this server does not answer to `{hosts[0].decode('latin-1')}`; set `--public-url` if it should",
            )
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            return 400, "the URL contains a null byte"
        lengths = {value for name, value in scope["headers"] if name == b"content-length"}
        if len(lengths) > 1 or (lengths and any(name == b"transfer-encoding" for name, _ in scope["headers"])):
            return 400, "a request must state its length in one way: one `Content-Length`, or `Transfer-Encoding`"
        length = next(iter(lengths), b"0")
        if not length.isdigit() or int(length) > self._max_body:
            return 413, f"a request may be at most {self._max_body:,} bytes long"
        return None

    def _with_headers(self, scope: Any, send: Any) -> Any:
        """Return a `send` that adds the security headers, and a renewed session cookie."""
        cacheable = scope["path"].startswith("/static/")

        async def send_with_headers(message: AsgiMessage) -> None:
            if message["type"] == "http.response.start":
                self._count_response(message["status"])
                headers = [*message.get("headers", ()), *self._headers]
                renewed = scope.get("state", {}).get("cookie")  # sent even if the request failed
                if renewed and not any(name.lower() == b"set-cookie" for name, _ in headers):
                    headers.append((b"set-cookie", renewed.encode()))
                if not cacheable and not any(name.lower() == b"cache-control" for name, _ in headers):
                    headers.append(_NO_STORE)
                message = {**message, "headers": headers}
            await send(message)

        return send_with_headers


def _apply_proxy_headers(scope: Any) -> None:
    """Take the client's address and scheme from the proxy: the last address, since clients can forge the others."""
    headers = dict(scope["headers"])  # of several headers with one name, the last counts
    last = headers.get(b"x-forwarded-for", b"").rpartition(b",")[2].strip().decode("latin-1")
    if last:
        scope["client"] = (last, 0)
    if headers.get(b"x-forwarded-proto", b"").strip() in (b"http", b"https"):
        scope["scheme"] = headers[b"x-forwarded-proto"].strip().decode()


class _LimitedBody:
    """A `receive` that limits the size of a body and the time it takes to arrive."""

    def __init__(self, receive: Any, max_body: int, discards: bool = False) -> None:
        self._receive, self._left, self._max, self._discards = receive, max_body, max_body, discards
        self._deadline: float | None = None
        self._done = False

    async def __call__(self) -> AsgiMessage:
        if self._done:
            return await self._receive()  # type: ignore[no-any-return]
        loop = asyncio.get_running_loop()
        if self._deadline is None:
            self._deadline = loop.time() + BODY_SECONDS
        try:
            async with asyncio.timeout_at(self._deadline):
                message: AsgiMessage = await self._receive()
        except TimeoutError:
            raise RequestError(408, f"the body took longer than {BODY_SECONDS:g} seconds to arrive", _CLOSE) from None
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                if self._discards:
                    await _discard_body(self._receive)
                raise RequestError(413, f"a request may be at most {self._max:,} bytes long", _CLOSE)
            self._done = not message.get("more_body", False)
        return message


async def _discard_body(receive: Any) -> None:
    """Read a body to its end, so that a hook that is still sending gets its refusal and not a closed connection."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(BODY_SECONDS):
            while (message := await receive())["type"] == "http.request" and message.get("more_body", False):
                pass


async def _send_problem(send: Any, path: str, status: int, detail: str) -> None:
    refusal = hook_refusal(path, detail)
    body = refusal or msgspec.json.encode(make_problem(status, detail))
    media_type = MEDIA_TYPE if refusal is None else "application/json"
    headers = [(b"content-type", media_type.encode()), (b"content-length", str(len(body)).encode())]
    headers.append((b"connection", b"close"))
    if refusal is not None:
        headers.append((STATUS_HEADER.encode(), str(status).encode()))
    await send({"type": "http.response.start", "status": status if refusal is None else 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})

"""The porch: what every request passes before anything looks at it. Its host, its size, its time, its headers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, MutableMapping
from typing import Any

import msgspec

from interlock.patterns import late
from interlock.server.problems import MEDIA_TYPE, Refused, problem

#: How long a whole body may take to arrive.
BODY_SECONDS = 20.0
_HOST = late(rb"^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$", re.IGNORECASE)

_CONTENT = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
_HEADERS = [
    (b"content-security-policy", _CONTENT.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]
_FRESH = (b"cache-control", b"no-store")
_CLOSE = {"connection": "close"}
#: What tells nothing about anybody, and is asked for under whatever name a probe knows.
_PROBED = frozenset({"/healthz", "/readyz"})
Message = MutableMapping[str, Any]


class Porch:
    """Wraps an application. `hosts` are the names under which the server is reached."""

    def __init__(
        self,
        app: Any,
        *,
        hosts: Iterable[str],
        max_body: int,
        secure: bool,
        answered: Callable[[int], None],
        behind_proxy: bool = False,
    ) -> None:
        self._app, self._max_body, self._answered = app, max_body, answered
        self._behind_proxy = behind_proxy
        self._hosts = frozenset(host.lower().encode() for host in hosts)
        strict = (b"strict-transport-security", b"max-age=31536000")
        self._headers = [*_HEADERS, strict] if secure else _HEADERS

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._behind_proxy:
            _come_from(scope)
        await self._pass(scope, receive, self._sending(scope, send))

    async def _pass(self, scope: Any, receive: Any, send: Any) -> None:
        wrong = self._wrong(scope)
        if wrong is not None:
            await _answer(send, *wrong)
            return
        await self._app(scope, _Body(receive, self._max_body), send)

    def _wrong(self, scope: Any) -> tuple[int, str] | None:
        """Return why a request is not let in."""
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not _HOST.match(hosts[0]):
            return 400, "a request names one host"
        name = re.sub(rb":\d+$", b"", hosts[0].lower())
        if name not in self._hosts and scope["path"] not in _PROBED:
            return 421, f"this server is not `{hosts[0].decode('latin-1')}`; start it with `--public-url` if it is"
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            return 400, "an address has a null byte in it, which no name of ours has"
        lengths = {value for name, value in scope["headers"] if name == b"content-length"}
        if len(lengths) > 1 or (lengths and any(name == b"transfer-encoding" for name, _ in scope["headers"])):
            return 400, "a request says in one way how long it is"
        length = next(iter(lengths), b"0")
        if not length.isdigit() or int(length) > self._max_body:
            return 413, f"a request is at most {self._max_body:,} bytes long"
        return None

    def _sending(self, scope: Any, send: Any) -> Any:
        """Return a `send` that adds our headers."""
        kept = scope["path"].startswith("/static/")

        async def wrapped(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._answered(message["status"])
                headers = [*message.get("headers", ()), *self._headers]
                renewed = scope.get("state", {}).get("cookie")  # sent whatever became of the request
                if renewed and not any(name.lower() == b"set-cookie" for name, _ in headers):
                    headers.append((b"set-cookie", renewed.encode()))
                if not kept and not any(name.lower() == b"cache-control" for name, _ in headers):
                    headers.append(_FRESH)
                message = {**message, "headers": headers}
            await send(message)

        return wrapped


def _come_from(scope: Any) -> None:
    """Note where a request came from, as the proxy has seen it: the last address. The others anybody can write."""
    said = dict(scope["headers"])  # of several headers of one name, the last counts
    last = said.get(b"x-forwarded-for", b"").rpartition(b",")[2].strip().decode("latin-1")
    if last:
        scope["client"] = (last, 0)
    if said.get(b"x-forwarded-proto", b"").strip() in (b"http", b"https"):
        scope["scheme"] = said[b"x-forwarded-proto"].strip().decode()


class _Body:
    """A `receive` that counts what comes, and how long it takes. Whoever says too much is not listened to further."""

    def __init__(self, receive: Any, max_body: int) -> None:
        self._receive, self._left, self._max = receive, max_body, max_body
        self._deadline: float | None = None
        self._done = False

    async def __call__(self) -> Message:
        if self._done:
            return await self._receive()  # type: ignore[no-any-return]
        loop = asyncio.get_running_loop()
        if self._deadline is None:
            self._deadline = loop.time() + BODY_SECONDS
        try:
            async with asyncio.timeout_at(self._deadline):
                message: Message = await self._receive()
        except TimeoutError:
            raise Refused(408, f"the body took longer than {BODY_SECONDS:g} seconds to arrive", _CLOSE) from None
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                raise Refused(413, f"a request is at most {self._max:,} bytes long", _CLOSE)
            self._done = not message.get("more_body", False)
        return message


async def _answer(send: Any, status: int, detail: str) -> None:
    body = msgspec.json.encode(problem(status, detail))
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

"""One HTTP request with a deadline that holds: no redirects, no proxies, no more than so many bytes."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from queue import Empty, SimpleQueue
from threading import Thread
from urllib.parse import SplitResult, urlsplit

from interlock.approval.reviewer.reply_parser import UnansweredError

#: How long a reply may be, in bytes.
MAX_BODY = 65_536

_LATE = "the endpoint did not answer in time"

#: What went wrong, by the error that says so. The first that fits counts; an error's own text is never shown.
_FAILURES: tuple[tuple[type[Exception], str], ...] = (
    (TimeoutError, _LATE),
    (ssl.SSLCertVerificationError, "the endpoint's certificate cannot be verified"),
    (ssl.SSLError, "no secure connection to the endpoint could be made"),
    (socket.gaierror, "the endpoint's host is not known"),
    (ConnectionRefusedError, "the endpoint refuses connections"),
    (ConnectionError, "the endpoint broke the connection off"),
    (IncompleteRead, "the endpoint broke the connection off"),
    (HTTPException, "the endpoint does not speak HTTP as it should"),
    (OSError, "the endpoint cannot be reached"),
)


def post(url: str, headers: Mapping[str, str], body: bytes, until: float) -> bytes:
    """Return the body of the reply to a request, or raise with what happened.

    `until` is on the monotonic clock. The request runs in a thread of its own: no limit on a single read, nor on
    looking up a name, would hold against an endpoint that sends a byte now and then.
    """
    line = _Line(urlsplit(url), until)
    found: SimpleQueue[bytes | UnansweredError] = SimpleQueue()
    Thread(target=lambda: found.put(_attempt(line, headers, body)), name="interlock-reviewer", daemon=True).start()
    try:
        reply = found.get(timeout=max(until - time.monotonic(), 0))
    except Empty:
        raise UnansweredError(_LATE) from None
    finally:
        line.hang_up()
    if isinstance(reply, UnansweredError):
        raise reply
    return reply


class _Line(HTTPConnection):
    """A connection that can be hung up from another thread at any moment, so that its own thread ends soon."""

    def __init__(self, address: SplitResult, until: float) -> None:
        self.secure = address.scheme == "https"
        self.default_port = 443 if self.secure else 80
        self.target = address.path
        self.until = until
        self.wire: socket.socket | None = None
        left = max(until - time.monotonic(), 0.001)
        super().__init__(address.hostname or "", address.port or self.default_port, timeout=left)

    def connect(self) -> None:
        """Connect. The handshake comes after the socket is at hand, as it can be drawn out like anything else."""
        super().connect()
        if self.secure:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
        self.wire = self.sock
        if time.monotonic() >= self.until:
            raise TimeoutError
        if isinstance(self.wire, ssl.SSLSocket):
            self.wire.do_handshake()

    def hang_up(self) -> None:
        """End whatever is being read or written on the line."""
        if self.wire is not None:
            with suppress(OSError):  # it has ended already
                socket.socket.shutdown(self.wire, socket.SHUT_RDWR)


def _attempt(line: _Line, headers: Mapping[str, str], body: bytes) -> bytes | UnansweredError:
    try:
        line.request("POST", line.target, body, dict(headers))
        with line.getresponse() as response:
            return _body(response)
    except UnansweredError as problem:
        return problem
    except Exception as error:  # whatever an endpoint can provoke is an answer to nobody
        known = (why for kind, why in _FAILURES if isinstance(error, kind))
        return UnansweredError(next(known, f"the endpoint could not be asked ({type(error).__name__})"))
    finally:
        line.close()


def _body(response: HTTPResponse) -> bytes:
    if 300 <= response.status < 400:
        raise UnansweredError(
            f"the endpoint redirects (status {response.status}), which is not followed", response.status
        )
    if response.status in (401, 403):
        raise UnansweredError(f"the endpoint does not accept the key (status {response.status})", response.status)
    if response.status != 200:
        raise UnansweredError(f"the endpoint answered with status {response.status}", response.status)
    body = response.read(MAX_BODY + 1)
    if len(body) > MAX_BODY:
        raise UnansweredError(f"the reply is longer than {MAX_BODY} bytes")
    if response.length:  # a short read is not reported by itself
        raise IncompleteRead(body, response.length)
    return body

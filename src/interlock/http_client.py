"""Send one HTTP request with a hard deadline: no redirects, no proxies, and a cap on how much of the reply is read."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from enum import Enum
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NamedTuple

#: At most this many addresses of one host are tried.
MAX_ADDRESSES = 4


class HttpTarget(NamedTuple):
    """Where a request goes. With `addresses`, only those are connected to, and the host is not resolved again."""

    secure: bool
    host: str
    port: int
    path: str
    addresses: tuple[str, ...] = ()


class HttpRequest(NamedTuple):
    """What is sent. `wants_errors`: the body of a reply with another status than 2xx is read too."""

    method: str
    headers: Mapping[str, str]
    body: bytes | None = None
    wants_errors: bool = False


class HttpFailure(Enum):
    """Why there is no reply, or no complete one, as a sentence about the peer."""

    TIMEOUT = "{peer} did not answer in time"
    CERTIFICATE = "{peer}'s certificate could not be verified"
    TLS = "could not establish a TLS connection to {peer}"
    UNKNOWN_HOST = "could not resolve {peer}'s host name"
    REFUSED = "{peer} refused the connection"
    DISCONNECTED = "{peer} closed the connection"
    INVALID = "{peer} sent an invalid HTTP response"
    UNREACHABLE = "{peer} could not be reached"
    TOO_LONG = "{peer} sent too long a reply"
    OTHER = "the request to {peer} failed"

    def describe(self, peer: str) -> str:
        """Return the sentence for a peer, such as `the receiver`."""
        return self.value.format(peer=peer)


class HttpReply(NamedTuple):
    """The status of a reply, and the body of a 2xx one, or of any other if the request wants it.

    `failure` says why that body is missing or cut off.
    """

    status: int
    body: bytes = b""
    failure: HttpFailure | None = None


class HttpError(Exception):
    """No status was received. The text of the original error is left out: it may quote the request or the peer."""

    def __init__(self, failure: HttpFailure) -> None:
        self.failure = failure
        super().__init__(failure.name)


#: The first matching row counts.
_FAILURES: tuple[tuple[type[Exception], HttpFailure], ...] = (
    (TimeoutError, HttpFailure.TIMEOUT),
    (ssl.SSLCertVerificationError, HttpFailure.CERTIFICATE),
    (ssl.SSLError, HttpFailure.TLS),
    (socket.gaierror, HttpFailure.UNKNOWN_HOST),
    (ConnectionRefusedError, HttpFailure.REFUSED),
    (ConnectionError, HttpFailure.DISCONNECTED),
    (IncompleteRead, HttpFailure.DISCONNECTED),
    (HTTPException, HttpFailure.INVALID),
    (OSError, HttpFailure.UNREACHABLE),
)


def get(target: HttpTarget, headers: Mapping[str, str], *, deadline: float, max_reply: int) -> HttpReply:
    """Send a GET request and return the reply, or raise `HttpError`. `deadline` is on the monotonic clock."""
    return send(HttpRequest("GET", headers), target, deadline=deadline, max_reply=max_reply)


def post(target: HttpTarget, headers: Mapping[str, str], body: bytes, *, deadline: float, max_reply: int) -> HttpReply:
    """Send a POST request and return the reply, or raise `HttpError`. `deadline` is on the monotonic clock."""
    return send(HttpRequest("POST", headers, body), target, deadline=deadline, max_reply=max_reply)


def send(request: HttpRequest, target: HttpTarget, *, deadline: float, max_reply: int) -> HttpReply:
    """Send a request and return the reply, or raise `HttpError`. `deadline` is on the monotonic clock.

    The request runs in its own thread: neither socket timeouts nor name resolution respect a total deadline, so a
    peer that sends one byte at a time could hold the caller forever. At the deadline the socket is shut down, which
    ends that thread as well.
    """
    connection = _Connection(target, deadline)
    if connection.seconds_left() <= 0:
        raise HttpError(HttpFailure.TIMEOUT)
    replies: SimpleQueue[HttpReply | HttpError] = SimpleQueue()

    def exchange() -> None:
        replies.put(_exchange(connection, request, max_reply))

    Thread(target=exchange, name="interlock-http", daemon=True).start()
    try:
        reply = replies.get(timeout=max(connection.seconds_left(), 0))
    except Empty:
        status = connection.status
        reply = HttpError(HttpFailure.TIMEOUT) if status is None else HttpReply(status, failure=HttpFailure.TIMEOUT)
    finally:
        connection.shut_down()
    if isinstance(reply, HttpError):
        raise reply
    return reply


def _exchange(connection: _Connection, request: HttpRequest, max_reply: int) -> HttpReply | HttpError:
    try:
        headers = {**request.headers, "Connection": "close"}
        connection.request(request.method, connection.target.path, request.body, headers)
        with connection.getresponse() as response:
            connection.status = response.status
            if not 200 <= response.status < 300 and not request.wants_errors:
                return HttpReply(response.status)
            return _read(response, max_reply, connection)
    except Exception as error:  # anything that a peer can provoke is a failure, never a crash of the caller
        return HttpError(_classify(error, connection))
    finally:
        connection.close()


def _read(response: HTTPResponse, max_reply: int, connection: _Connection) -> HttpReply:
    try:
        body = response.read(max_reply + 1)
    except Exception as error:
        return HttpReply(response.status, failure=_classify(error, connection))
    if len(body) > max_reply:
        return HttpReply(response.status, failure=HttpFailure.TOO_LONG)
    if response.length:  # `read` does not raise when the peer closes before the announced length
        return HttpReply(response.status, failure=HttpFailure.DISCONNECTED)
    return HttpReply(response.status, body)


def _classify(error: Exception, connection: _Connection) -> HttpFailure:
    if connection.seconds_left() <= 0:
        return HttpFailure.TIMEOUT
    return next((failure for kind, failure in _FAILURES if isinstance(error, kind)), HttpFailure.OTHER)


class _Connection(HTTPConnection):
    """A connection that another thread can shut down at any moment.

    The host name goes into the `Host` header and is what the certificate is checked against.
    """

    def __init__(self, target: HttpTarget, deadline: float) -> None:
        self.default_port = 443 if target.secure else 80
        self.target = target
        self.status: int | None = None
        self._deadline = deadline
        self._socket: socket.socket | None = None
        super().__init__(target.host, target.port)

    def seconds_left(self) -> float:
        """Return how many seconds are left until the deadline."""
        return self._deadline - time.monotonic()

    def connect(self) -> None:
        """Connect. The TLS handshake starts only once the socket can be shut down, since a peer can stretch it."""
        self.sock = self._open_socket()
        if self.target.secure:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
        self._socket = self.sock
        if self.seconds_left() <= 0:
            raise TimeoutError
        self.sock.settimeout(self.seconds_left())
        if isinstance(self.sock, ssl.SSLSocket):
            self.sock.do_handshake()

    def _open_socket(self) -> socket.socket:
        """Connect to the first address that accepts; each one gets its share of the time that is left."""
        hosts = self.target.addresses[:MAX_ADDRESSES] or (self.target.host,)
        for index, host in enumerate(hosts):
            share = self.seconds_left() / (len(hosts) - index)
            if share <= 0:
                break
            try:
                return socket.create_connection((host, self.target.port), timeout=share)
            except OSError:
                if index == len(hosts) - 1:
                    raise
        raise TimeoutError

    def shut_down(self) -> None:
        """End whatever is being read or written."""
        if self._socket is not None:
            with suppress(OSError):  # it has ended already
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

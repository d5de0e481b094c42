"""Send HTTP requests with a hard deadline: no redirects, no proxies, and a cap on how much of the reply is read."""

from __future__ import annotations

import os
import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from enum import Enum
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import NamedTuple

#: At most this many addresses of one host are tried.
MAX_ADDRESSES = 4
#: How often a request checks whether it is to be stopped.
STOP_SECONDS = 0.1


class HttpTarget(NamedTuple):
    """Where a request goes. With `addresses`, only those are connected to, and the host is not resolved again."""

    secure: bool
    host: str
    port: int
    path: str
    addresses: tuple[str, ...] = ()


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
    STOPPED = "the request to {peer} was stopped"
    OTHER = "the request to {peer} failed"

    def describe(self, peer: str) -> str:
        """Return the sentence for a peer, such as `the receiver`."""
        return self.value.format(peer=peer)


class HttpRequest(NamedTuple):
    """A request to a target. `errors` says whether the bodies of error replies are read as well."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None
    max_reply: int
    errors: bool = False


class HttpReply(NamedTuple):
    """The status of a reply, and the body of a 2xx one, or of any if the request wants errors too.

    `failure` says why that body is missing or cut off. `retry_after` is the header of that name.
    """

    status: int
    body: bytes = b""
    failure: HttpFailure | None = None
    retry_after: str = ""


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
    """Send a GET request and return the reply, or raise `HttpError`."""
    return send(target, HttpRequest("GET", target.path, headers, None, max_reply), deadline=deadline)


def post(target: HttpTarget, headers: Mapping[str, str], body: bytes, *, deadline: float, max_reply: int) -> HttpReply:
    """Send a POST request and return the reply, or raise `HttpError`."""
    return send(target, HttpRequest("POST", target.path, headers, body, max_reply), deadline=deadline)


def send(target: HttpTarget, request: HttpRequest, *, deadline: float) -> HttpReply:
    """Send a request and return the reply, or raise `HttpError`. `deadline` is on the monotonic clock.

    The request runs in its own thread: neither socket timeouts nor name resolution respect a total deadline, so a
    peer that sends one byte at a time could hold the caller forever. At the deadline the socket is shut down, which
    ends that thread as well.
    """
    connection = HttpConnection(target)
    reply = _send(connection, request._replace(headers={**request.headers, "Connection": "close"}), deadline)
    if reply.failure is None:
        connection.close()
    return reply


class HttpConnections:
    """Connections to one target that stay open between requests. Threads may share it; a forked process has its own.

    A request is sent again if a connection that was kept turns out to be closed: send only what may arrive twice.
    """

    def __init__(self, target: HttpTarget, most: int = 8) -> None:
        self._target, self._most = target, most
        self._reset()

    def _reset(self) -> None:
        self._process, self._lock = os.getpid(), Lock()
        self._idle: list[HttpConnection] = []

    def send(self, request: HttpRequest, *, deadline: float, stop: Event | None = None) -> HttpReply:
        """Send a request and return the reply, or raise `HttpError`. Setting `stop` ends it."""
        kept = self._take()
        if kept is not None:
            try:
                return self._send_on(kept, request, deadline, stop)
            except HttpError as error:
                if error.failure is not HttpFailure.DISCONNECTED:
                    raise
        return self._send_on(HttpConnection(self._target), request, deadline, stop)

    def _send_on(
        self, connection: HttpConnection, request: HttpRequest, deadline: float, stop: Event | None
    ) -> HttpReply:
        reply = _send(connection, request, deadline, stop)
        if reply.failure is None:
            self._keep(connection)
        return reply

    def _take(self) -> HttpConnection | None:
        if self._process != os.getpid():
            self._reset()  # the sockets and the lock are the parent's
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _keep(self, connection: HttpConnection) -> None:
        with self._lock:
            if connection.sock is not None and len(self._idle) < self._most:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Close the connections that are not in use."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


def _send(connection: HttpConnection, request: HttpRequest, deadline: float, stop: Event | None = None) -> HttpReply:
    """Send a request in its own thread; shut its connection down at the deadline, or once `stop` is set."""
    connection.deadline, connection.status = deadline, None
    if connection.seconds_left() <= 0:
        raise HttpError(HttpFailure.TIMEOUT)
    replies: SimpleQueue[HttpReply | HttpError] = SimpleQueue()
    Thread(target=lambda: replies.put(_exchange(connection, request)), name="interlock-http", daemon=True).start()
    reply: HttpReply | HttpError | None = None
    try:
        reply = _receive(replies, connection, stop)
    finally:
        if not isinstance(reply, HttpReply) or reply.failure is not None:
            connection.shut_down()
    if isinstance(reply, HttpError):
        raise reply
    return reply


def _receive(
    replies: SimpleQueue[HttpReply | HttpError], connection: HttpConnection, stop: Event | None
) -> HttpReply | HttpError:
    """Return the reply of the thread that sends a request, or what there is of it at the deadline."""
    while stop is None or not stop.is_set():
        left = max(connection.seconds_left(), 0)
        try:
            return replies.get(timeout=left if stop is None else min(left, STOP_SECONDS))
        except Empty:
            if connection.seconds_left() <= 0:
                status = connection.status
                timeout = HttpFailure.TIMEOUT
                return HttpError(timeout) if status is None else HttpReply(status, failure=timeout)
    return HttpError(HttpFailure.STOPPED)


def _exchange(connection: HttpConnection, request: HttpRequest) -> HttpReply | HttpError:
    reply: HttpReply | HttpError | None = None
    try:
        if connection.sock is not None:
            connection.sock.settimeout(max(connection.seconds_left(), 0.001))
        connection.request(request.method, request.path, request.body, dict(request.headers))
        with connection.getresponse() as response:
            connection.status = response.status
            reply = _read(response, request, connection)._replace(retry_after=response.getheader("Retry-After") or "")
            closes = response.will_close or not response.isclosed()
    except Exception as error:  # anything that a peer can provoke is a failure, never a crash of the caller
        reply = HttpError(_classify(error, connection))
    finally:
        if not isinstance(reply, HttpReply) or reply.failure is not None or closes:
            connection.close()
    return reply


def _read(response: HTTPResponse, request: HttpRequest, connection: HttpConnection) -> HttpReply:
    if not 200 <= response.status < 300 and not request.errors:
        return HttpReply(response.status)
    try:
        body = response.read(request.max_reply + 1)
    except Exception as error:
        return HttpReply(response.status, failure=_classify(error, connection))
    if len(body) > request.max_reply:
        return HttpReply(response.status, failure=HttpFailure.TOO_LONG)
    if response.length:  # `read` does not raise when the peer closes before the announced length
        return HttpReply(response.status, failure=HttpFailure.DISCONNECTED)
    return HttpReply(response.status, body)


def _classify(error: Exception, connection: HttpConnection) -> HttpFailure:
    if connection.seconds_left() <= 0:
        return HttpFailure.TIMEOUT
    return next((failure for kind, failure in _FAILURES if isinstance(error, kind)), HttpFailure.OTHER)


class HttpConnection(HTTPConnection):
    """A connection that another thread can shut down at any moment.

    The host name goes into the `Host` header and is what the certificate is checked against.
    """

    def __init__(self, target: HttpTarget) -> None:
        self.default_port = 443 if target.secure else 80
        self.target = target
        self.status: int | None = None  # of the reply that is being read
        self.deadline = 0.0  # of the request that is being sent
        self._socket: socket.socket | None = None
        super().__init__(target.host, target.port)

    def seconds_left(self) -> float:
        """Return how many seconds are left until the deadline."""
        return self.deadline - time.monotonic()

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
        """Shut the socket down, which ends any read or write."""
        if self._socket is not None:
            with suppress(OSError):  # it has ended already
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

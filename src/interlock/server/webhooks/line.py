"""The line to a receiver: one request, to exactly the address that was checked, with a deadline that holds."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from threading import Timer
from typing import NamedTuple

from interlock.server.webhooks.address_policy import Target

GONE = 410
#: So much of a reply is read, so that the receiver can say it to its end; none of it is kept.
MAX_REPLY = 1_024
#: So many addresses of one host are tried.
MAX_ADDRESSES = 4
_LATE = "the receiver did not answer in time"

#: What went wrong, by the error that says so. The first that fits counts; an error's own text is never kept.
_FAILURES: tuple[tuple[type[Exception], str], ...] = (
    (TimeoutError, _LATE),
    (ssl.SSLCertVerificationError, "the receiver's certificate cannot be verified"),
    (ssl.SSLError, "no secure connection to the receiver could be made"),
    (ConnectionRefusedError, "the receiver refuses connections"),
    (ConnectionError, "the receiver broke the connection off"),
    (HTTPException, "the receiver does not speak HTTP as it should"),
    (OSError, "the receiver cannot be reached"),
)


class Reply(NamedTuple):
    """What a receiver answered: a status, or why there is none. Without an error, the message has arrived.

    `final` says that trying again is of no use.
    """

    status: int | None
    error: str
    final: bool = False


def post(target: Target, headers: Mapping[str, str], body: bytes, until: float) -> Reply:
    """Return what a receiver answers to a message until a moment. No redirect is followed, and no proxy asked.

    `until` is on the monotonic clock.
    """
    line = _Line(target, until)
    timer = Timer(max(line.left(), 0), line.hang_up)  # no limit on a single read holds against a byte now and then
    timer.daemon = True
    timer.start()
    try:
        line.request("POST", target.path, body, {**headers, "connection": "close"})
        with line.getresponse() as response:
            with suppress(OSError, HTTPException):  # its status was said
                response.read(MAX_REPLY)
            return _told(response.status)
    except Exception as error:  # whatever a receiver can provoke is no answer
        return Reply(None, _LATE if line.left() <= 0 else _failure(error))
    finally:
        timer.cancel()
        line.close()


def _told(status: int) -> Reply:
    if 200 <= status < 300:
        return Reply(status, "")
    more = "; a redirect is not followed" if 300 <= status < 400 else ""
    return Reply(status, f"the receiver answered with status {status}{more}", status == GONE)


def _failure(error: Exception) -> str:
    known = (why for kind, why in _FAILURES if isinstance(error, kind))
    return next(known, f"the message could not be sent ({type(error).__name__})")


class _Line(HTTPConnection):
    """A connection to a checked address, that can be hung up from another thread at any moment.

    The host's name goes into the request and into what its certificate is held against; it is not looked up again.
    """

    def __init__(self, target: Target, until: float) -> None:
        self.default_port = 443 if target.secure else 80
        self._target, self._until = target, until
        self._wire: socket.socket | None = None
        super().__init__(target.host, target.port)

    def left(self) -> float:
        """Return how many seconds are left."""
        return self._until - time.monotonic()

    def connect(self) -> None:
        """Connect. The handshake comes after the wire is at hand, as it can be drawn out like anything else."""
        self.sock = self._reached()
        if self._target.secure:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
        self._wire = self.sock
        if self.left() <= 0:
            raise TimeoutError
        self.sock.settimeout(self.left())
        if isinstance(self.sock, ssl.SSLSocket):
            self.sock.do_handshake()

    def _reached(self) -> socket.socket:
        """Return a connection to the first address that takes one; each gets its part of the time."""
        addresses = self._target.addresses[:MAX_ADDRESSES]
        for index, address in enumerate(addresses, 1):
            if self.left() <= 0:
                break
            try:
                part = self.left() / (len(addresses) - index + 1)
                return socket.create_connection((address, self._target.port), timeout=part)
            except OSError:
                if index == len(addresses):
                    raise
        raise TimeoutError

    def hang_up(self) -> None:
        """End whatever is being read or written on the line."""
        if self._wire is not None:
            with suppress(OSError):  # it has ended already
                socket.socket.shutdown(self._wire, socket.SHUT_RDWR)

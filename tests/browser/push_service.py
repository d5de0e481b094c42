"""The push service of a browser's vendor, on this machine: it registers a Chromium, and delivers messages to it.

Chromium checks in and registers over HTTPS, and then keeps a connection on which messages arrive (MCS). Its switches
name other addresses for all three. What it speaks is Protocol Buffers, of which few fields are needed.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qsl

MCS_VERSION = 41
HEARTBEAT, ACKNOWLEDGED, LOGIN, LOGGED_IN, MESSAGE = 0, 1, 2, 3, 8
_DEVICE, _TOKEN = 0x1234567890ABCDEF, "a-token-of-this-browser"


@dataclass
class PushService:
    """A running service: its ports, and the registration of a page and the newest connection of the browser."""

    web_port: int = 0
    mcs_port: int = 0
    registered: dict[str, str] = field(default_factory=dict)
    connection: Any = None
    messages: dict[str, bytes] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    @property
    def switches(self) -> list[str]:
        """The switches by which Chromium uses this service."""
        web, mcs = f"https://127.0.0.1:{self.web_port}", f"https://127.0.0.1:{self.mcs_port}"
        addresses = {"checkin-url": f"{web}/checkin", "registration-url": f"{web}/register", "mcs-endpoint": mcs}
        return ["--ignore-certificate-errors", *(f"--gcm-{name}={url}" for name, url in addresses.items())]

    def answer(self, path: str, body: bytes) -> bytes:
        """Answer a request of the browser: to check in, or to register."""
        if path.startswith("/checkin"):
            return _number(1, 1) + _number(3, _now()) + _fixed(7, _DEVICE) + _fixed(8, _DEVICE)
        given = dict(parse_qsl(body.decode()))
        if "X-subtype" in given:  # a page, and not the browser itself
            self.registered = given
        return f"token={_TOKEN}".encode()

    def deliver(self, body: bytes) -> None:
        """Send an encrypted message to the browser, and again at its next login if it does not have it by then."""
        of, name = self.registered, str(time.time_ns())
        about = {"content-encoding": "aes128gcm", "subtype": of["X-subtype"]}
        message = _text(2, "1") + _text(3, of["sender"]) + _text(5, of["app"])
        message += b"".join(_bytes(7, _text(1, name) + _text(2, value)) for name, value in about.items())
        message += _text(9, name) + _number(17, 60) + _number(18, _now()) + _bytes(21, body)
        with self.lock, suppress(OSError):  # it may just be connecting again
            self.messages[name] = _frame(MESSAGE, message)
            self.connection.write(self.messages[name])

    def log_in(self, connection: Any, request: bytes) -> None:
        """Let the browser in, which names the messages that it has."""
        with self.lock:
            connection.write(bytes([MCS_VERSION]) + _frame(LOGGED_IN, _text(1, "1") + _number(8, _now())))
            connection.write(b"".join(one for name, one in self.messages.items() if name.encode() not in request))
            self.connection = connection


class _Web(BaseHTTPRequestHandler):
    service: PushService

    def do_POST(self) -> None:
        body = self.service.answer(self.path, self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the library's
        """Log nothing."""


class _Mcs(StreamRequestHandler):
    service: PushService

    def handle(self) -> None:
        self.rfile.read(1)  # the version
        while tag := self.rfile.read(1):
            body = self.rfile.read(_read_number(self.rfile))
            if tag[0] == LOGIN:
                self.service.log_in(self.wfile, body)
            elif tag[0] == HEARTBEAT:
                with self.service.lock:
                    self.wfile.write(_frame(ACKNOWLEDGED, b""))


class _McsServer(ThreadingTCPServer):
    daemon_threads, allow_reuse_address = True, True


@contextmanager
def running_push_service(certificate: Path) -> Iterator[PushService]:
    """Run a service with a certificate, which Chromium is told not to check."""
    service = PushService()
    given = {"service": service}
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), type("Web", (_Web,), given)) as web,
        _McsServer(("127.0.0.1", 0), type("Mcs", (_Mcs,), given)) as mcs,
    ):
        service.web_port, service.mcs_port = web.server_port, mcs.server_address[1]
        for server in (web, mcs):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
            Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield service
        finally:
            web.shutdown()
            mcs.shutdown()


def _now() -> int:
    return int(time.time() * 1_000)


# Protocol Buffers


def _varint(number: int) -> bytes:
    found = b""
    while number > 0x7F:
        found, number = found + bytes([number & 0x7F | 0x80]), number >> 7
    return found + bytes([number])


def _read_number(stream: BufferedIOBase) -> int:
    number = shift = 0
    while (byte := stream.read(1)[0]) & 0x80:
        number, shift = number | (byte & 0x7F) << shift, shift + 7
    return number | byte << shift


def _number(name: int, value: int) -> bytes:
    return _varint(name << 3) + _varint(value)


def _fixed(name: int, value: int) -> bytes:
    return _varint(name << 3 | 1) + value.to_bytes(8, "little")


def _bytes(name: int, value: bytes) -> bytes:
    return _varint(name << 3 | 2) + _varint(len(value)) + value


def _text(name: int, value: str) -> bytes:
    return _bytes(name, value.encode())


def _frame(tag: int, body: bytes) -> bytes:
    return bytes([tag]) + _varint(len(body)) + body

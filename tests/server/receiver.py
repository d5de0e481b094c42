"""A webhook receiver: an HTTP server that keeps what it is sent, and responds as a test scripts it."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any


@dataclass
class Received:
    """One request, as the receiver sees it."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def told(self) -> dict[str, Any]:
        """The body as JSON."""
        found: dict[str, Any] = json.loads(self.body)
        return found


class Wire(BaseHTTPRequestHandler):
    """One connection to the receiver."""

    receiver: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.receiver.seen.append(Received(self.path, {n.lower(): v for n, v in self.headers.items()}, body))
        try:
            self.receiver.script(self)
        except OSError:
            self.close_connection = True

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        """Send a response, with a body and more headers."""
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def drip(self) -> None:
        """Send a response that never ends, one byte at a time, so that no single read times out."""
        while not self.receiver.over.wait(0.02):
            self.wfile.write(b"H")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the library's
        """Log nothing."""


Script = Callable[[Wire], None]


def answers(*statuses: int) -> Script:
    """Return a script that responds with one status after the other, and repeats the last."""
    left = list(statuses)
    return lambda wire: wire.answer(left.pop(0) if len(left) > 1 else left[0])


@dataclass
class Receiver:
    """A running receiver: its address, the requests it got, and its script."""

    script: Script
    port: int = 0
    seen: list[Received] = field(default_factory=list)
    over: Event = field(default_factory=Event)

    @property
    def url(self) -> str:
        """The URL at which it listens."""
        return f"http://127.0.0.1:{self.port}/hook"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log nothing: in some tests, clients disconnect on purpose."""


@contextmanager
def receiving(script: Script | None = None, certificate: Path | None = None) -> Iterator[Receiver]:
    """Run a receiver, with TLS if a certificate is given."""
    receiver = Receiver(script=script or answers(204))
    wire = type("Wire", (Wire,), {"receiver": receiver})
    with _Server(("127.0.0.1", 0), wire) as server:
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        receiver.port = server.server_port
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            receiver.over.set()
            server.shutdown()
            thread.join()

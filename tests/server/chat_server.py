"""A chat service on this machine: an HTTP server whose methods are functions that take and return JSON."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Protocol


class Answer(NamedTuple):
    """A reply of the service."""

    status: int
    body: dict[str, Any]
    headers: tuple[tuple[str, str], ...] = ()


class Handles(Protocol):
    """A chat service."""

    url: str
    over: threading.Event

    def handle(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
        """Answer a request."""


class _Wire(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: Handles

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.service.handle(self.path, headers, json.loads(raw))
        body = json.dumps(answer.body).encode()
        try:
            self.send_response(answer.status)
            for name, value in (("content-type", "application/json"), *answer.headers):
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the library's
        """Log nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log nothing: servers that stop hang up."""


@contextmanager
def running(service: Handles) -> Iterator[None]:
    """Run a service until the block ends."""
    with _Server(("127.0.0.1", 0), type("Wire", (_Wire,), {"service": service})) as server:
        service.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            service.over.set()
            server.shutdown()
            thread.join()

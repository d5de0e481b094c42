"""A server in front of another that loses, delays, forges and refuses, one fault for each request."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: What a fault is: a whole response, `LOST` (the request arrives, the response does not), or `HELD` (no response).
LOST, HELD = b"lost", b"held"
UNAVAILABLE = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
REDIRECT = b"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"


def json_response(body: bytes) -> bytes:
    """Return a response with a body."""
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


class Unreliable:
    """Applies `faults` to the next requests under `/v1/check`, and passes on everything else."""

    def __init__(self, port: int) -> None:
        self.upstream, self.port = port, 0
        self.faults: list[bytes] = []
        self.seen: list[str] = []
        self.over = threading.Event()

    def next_fault(self, path: str) -> bytes | None:
        """Return what happens to a request."""
        self.seen.append(path)
        return self.faults.pop(0) if self.faults and path.startswith("/v1/check") else None

    def add_forwarded(self, method: str, path: str, headers: dict[str, str], body: bytes) -> bytes:
        """Send a request to the real server, and return its response."""
        connection = HTTPConnection("127.0.0.1", self.upstream, timeout=60)
        connection.request(method, path, body or None, {**headers, "Host": f"127.0.0.1:{self.upstream}"})
        reply = connection.getresponse()
        found = reply.read()
        connection.close()
        head = f"HTTP/1.1 {reply.status} Passed on\r\nContent-Type: application/json\r\nContent-Length: {len(found)}"
        return f"{head}\r\n\r\n".encode() + found


@contextmanager
def unreliable(port: int) -> Iterator[Unreliable]:
    """Run such a server until the block ends."""
    proxy = Unreliable(port)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            fault = proxy.next_fault(self.path)
            if fault == HELD:
                proxy.over.wait(60)
                self.close_connection = True
                return
            if fault is None or fault == LOST:
                sent = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                reply = proxy.add_forwarded(self.command, self.path, sent, body)
            else:
                reply = fault
            if fault == LOST:
                self.close_connection = True
                return
            self.wfile.write(reply)
            self.close_connection = b"Connection: close" in reply

        do_GET = do_POST  # noqa: N815 - the name that the base class looks for

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        proxy.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            proxy.over.set()
            server.shutdown()
            thread.join()

"""A model's endpoint on this machine. It speaks both protocols, and does what a test scripts."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any


@dataclass
class Asked:
    """One request, as the endpoint sees it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def anthropic(self) -> bool:
        """Whether it came by Anthropic's protocol."""
        return self.path.endswith("/messages")

    @property
    def system(self) -> str:
        """The rules that the model is given."""
        return str(self.body["system"] if self.anthropic else self.body["messages"][0]["content"])

    @property
    def user(self) -> str:
        """The question that the model is given."""
        return str(self.body["messages"][-1]["content"])

    @property
    def nonce(self) -> str:
        """The nonce, as a model reads it from its rules."""
        found = re.search(r"<<<DATA ([0-9a-f]{32})", self.system)
        assert found
        return found.group(1)

    @property
    def data(self) -> str:
        """What stands inside the fence."""
        lines = self.user.splitlines()
        return "\n".join(lines[lines.index(f"<<<DATA {self.nonce}") + 1 : lines.index(f"DATA {self.nonce}>>>")])

    @property
    def outside(self) -> str:
        """What stands outside the fence."""
        return self.user.replace(self.data, "")

    def answer(self, verdict: str = "approve", reason: str = "it is small", **changes: Any) -> str:
        """Return the answer of a model that does as it is told."""
        return json.dumps({"nonce": self.nonce, "verdict": verdict, "reason": reason, **changes})

    def message(self, text: str | None, **changes: Any) -> bytes:
        """Return a text in the form that the protocol has for it."""
        if self.anthropic:
            block = {"type": "text", "text": text}
            turn = {"type": "message", "role": "assistant", "content": [block], "stop_reason": "end_turn"}
            return json.dumps({"id": "msg_1", "model": "m", **turn, **changes}).encode()
        spoken = {"role": "assistant", "content": text, "refusal": None, **changes.pop("message", {})}
        choice = {"index": 0, "message": spoken, "finish_reason": "stop", **changes.pop("choice", {})}
        return json.dumps({"id": "c-1", "object": "chat.completion", "choices": [choice], **changes}).encode()


class Wire(BaseHTTPRequestHandler):
    """One connection to the endpoint."""

    endpoint: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        self.endpoint.seen.append(asked)
        try:
            self.endpoint.script(self, asked)
        except OSError:
            self.close_connection = True

    def finish(self) -> None:
        """End, and say so."""
        self.endpoint.left.set()
        super().finish()

    def send(self, body: bytes, status: int = 200, **headers: str) -> None:
        """Send a whole reply."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def drip(self, start: bytes) -> None:
        """Send a start, and then a byte now and then until the other side has had enough."""
        self.wfile.write(start)
        while not self.endpoint.over.wait(0.05):
            self.wfile.write(b" ")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 — the name is the library's
        """Keep quiet."""


Script = Callable[[Wire, Asked], None]


def says(text: Callable[[Asked], str]) -> Script:
    """Return the script of a model that answers with a text."""
    return lambda wire, asked: wire.send(asked.message(text(asked)))


def approves(wire: Wire, asked: Asked) -> None:
    """Approve, in the right form."""
    wire.send(asked.message(asked.answer()))


@dataclass
class Endpoint:
    """A running endpoint: its address, what it was asked, and what it does."""

    url: str = ""
    script: Script = approves
    seen: list[Asked] = field(default_factory=list)
    left: Event = field(default_factory=Event)
    over: Event = field(default_factory=Event)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet: a client that goes away is what some tests are about."""


@contextmanager
def running(certificate: Path | None = None) -> Iterator[Endpoint]:
    """Run an endpoint, over TLS where there is a certificate."""
    endpoint = Endpoint()
    wire = type("Wire", (Wire,), {"endpoint": endpoint})
    with _Server(("127.0.0.1", 0), wire) as server:
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        endpoint.url = f"{'https' if certificate else 'http'}://127.0.0.1:{server.server_port}/v1"
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield endpoint
        finally:
            endpoint.over.set()
            server.shutdown()
            thread.join()


# A certificate for 127.0.0.1 that nobody but these tests knows, with its key.
CERTIFICATE = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgVhZp/H3328M39IQR
QGKnRdRHWsuG2JWvzJQGvmrJ7vKhRANCAAQ+OyCo2uf56TuSLEbtTfGCz2RZupaN
/oqp+cMLddLdIpbzeePDl2OmY4v6ahExK3//2nmmw9CAS5lyJyV110Rw
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUeNdg2VAISSHOBcvUjO0wFxVmmVcwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNTEyMTQwN1oYDzIxMjYxMDIy
MTIxNDA3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQ+OyCo2uf56TuSLEbtTfGCz2RZupaN/oqp+cMLddLdIpbzeePDl2Om
Y4v6ahExK3//2nmmw9CAS5lyJyV110Rwo28wbTAdBgNVHQ4EFgQUY8tjCeAlSpjd
hq2IEYYyD2DYK2YwHwYDVR0jBBgwFoAUY8tjCeAlSpjdhq2IEYYyD2DYK2YwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgV2A2U/7DvX/uSxeGBNZpiG9a3mwxVcwLqVMzhiEO5/cCIEF/
g7MPX15zJQv1t+xjw4H1WHhW6c4cijTrd84aH4N3
-----END CERTIFICATE-----
"""

"""A small HTTP client: one connection per request, JSON in and out."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlencode

#: How long anything here may take before it counts as stuck. No test waits for it to pass.
PATIENCE = 60.0


class Reply(NamedTuple):
    """A response."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def detail(self) -> str:
        """The `detail` of a problem response."""
        assert self.headers["content-type"] == "application/problem+json", self
        return str(self.data["detail"])

    def ok(self, status: int = 200) -> Any:
        """Return the body as JSON, after checking that the request succeeded."""
        assert self.status == status, f"{self.status}: {self.body[:600]!r}"
        return self.data if self.body else None


class Client:
    """A caller of the server: without credentials, with a key, or a browser with a session."""

    def __init__(self, port: int, headers: Mapping[str, str] | None = None) -> None:
        self.port, self.headers = port, dict(headers or {})

    def having(self, **headers: str) -> Client:
        """Return the same caller with other headers; `_` stands for a hyphen, and empty headers are left out."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return Client(self.port, {name: value for name, value in {**self.headers, **given}.items() if value})

    def send(self, method: str, path: str, body: Any = None, *, timeout: float = PATIENCE) -> Reply:
        """Send a request, and return the complete response."""
        with self.begun(method, path, body, timeout=timeout) as response:
            return Reply(response.status, _headers(response), response.read())

    @contextmanager
    def begun(
        self, method: str, path: str, body: Any = None, *, timeout: float = PATIENCE
    ) -> Iterator[http.client.HTTPResponse]:
        """Send a request, and return the response before its body is read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        headers = dict(self.headers)
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            headers.setdefault("content-type", "application/json")
        try:
            connection.request(method, path, data, headers)
            response = connection.getresponse()
            yield response
            response.close()
        finally:
            connection.close()

    def get(self, path: str, **query: Any) -> Reply:
        """Send a GET request. A trailing `_` in the name of a parameter is left out."""
        given = urlencode({name.rstrip("_"): value for name, value in query.items() if value is not None})
        return self.send("GET", f"{path}?{given}" if given else path)

    def post(self, path: str, body: Any = None) -> Reply:
        """Send a POST request."""
        return self.send("POST", path, body)

    def pages(self, path: str, **query: Any) -> Iterator[list[Any]]:
        """Yield the items of every page, following `next`."""
        cursor = None
        while True:
            page = self.get(path, **query, cursor=cursor).ok()
            yield page["items"]
            cursor = page["next"]
            if cursor is None:
                return


def _headers(response: http.client.HTTPResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in response.getheaders()}


class Event(NamedTuple):
    """One server-sent event."""

    id: int
    kind: str
    data: Any


def events(response: http.client.HTTPResponse) -> Iterator[Event]:
    """Yield the events of a stream as they arrive."""
    fields: dict[str, str] = {}
    for raw in response:
        name, _, value = raw.decode().rstrip("\n").partition(": ")
        if name:
            fields[name] = value
        elif "data" in fields:
            yield Event(int(fields["id"]), fields["event"], json.loads(fields["data"]))
            fields = {}


def raw(port: int, *parts: bytes, timeout: float = PATIENCE) -> bytes:
    """Send raw bytes, and return everything until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout) as connection:
        found = b""
        try:
            for part in parts:
                connection.sendall(part)
            while piece := connection.recv(65_536):
                found += piece
        except (BrokenPipeError, ConnectionResetError):
            pass  # the server closed the connection before everything was sent
        return found

"""A caller of a site: sends a request to one of its servers, and tells refusals from missing responses."""

from __future__ import annotations

import http.client
import random
import time
from enum import Enum
from typing import Any, NamedTuple

from tests.server.client import Client

from torture.soak.server import ServerProcess
from torture.soak.site import Site

#: A transaction is retried for 30 seconds while the store fails; the response comes after that.
PATIENCE = 75.0


class Result(Enum):
    """What became of a call."""

    ACKNOWLEDGED = "acknowledged"
    REFUSED = "refused"  # the response said so, or nobody listened
    REJECTED = "rejected"  # the request was not in order, for instance because another caller was faster
    SILENT = "silent"  # no response: it may have been carried out


class Response(NamedTuple):
    """What became of a call, and the body of the response."""

    result: Result
    data: Any
    server: ServerProcess

    @property
    def is_ok(self) -> bool:
        """Whether the server has done it."""
        return self.result is Result.ACKNOWLEDGED


class Caller:
    """Sends requests to the servers of a site, each to another one."""

    def __init__(self, site: Site, key: str) -> None:
        self.site, self._headers = site, {"authorization": f"Bearer {key}"}

    def client(self) -> tuple[Client, ServerProcess]:
        """Return a client of one of the servers."""
        server = random.choice(self.site.servers)
        return Client(server.port, self._headers), server

    def post(self, path: str, body: Any = None) -> Response:
        """Send a POST request."""
        return self._send("POST", path, body)

    def get(self, path: str) -> Response:
        """Send a GET request."""
        return self._send("GET", path, None)

    def _send(self, method: str, path: str, body: Any) -> Response:
        (client, server), began = self.client(), time.monotonic()
        response = self._try(client, server, method, path, body)
        failed = response.result in (Result.REFUSED, Result.SILENT)
        if failed and not self.site.was_disturbed(began):
            self.site.ledger.note_unexpected(
                f"{method} {_route(path)} of {self.site.name}: {response.result.value}, without a fault"
            )
        return response

    def _try(self, client: Client, server: ServerProcess, method: str, path: str, body: Any) -> Response:
        try:
            reply = client.send(method, path, body, timeout=PATIENCE)
            data = reply.data if "json" in reply.headers.get("content-type", "") else reply.body
        except ConnectionRefusedError:
            return Response(Result.REFUSED, None, server)
        except (OSError, http.client.HTTPException, ValueError):
            return Response(Result.SILENT, None, server)
        return Response(self._judge(method, path, reply.status, data), data, server)

    def _judge(self, method: str, path: str, status: int, data: Any) -> Result:
        if status in (200, 201):
            return Result.ACKNOWLEDGED
        if status == 503:
            return Result.REFUSED
        if status not in (404, 409, 422) or path.startswith("/v1/evaluate"):
            self.site.ledger.note_unexpected(f"{method} {_route(path)} of {self.site.name}: {status} {str(data)[:200]}")
        return Result.REJECTED


def _route(path: str) -> str:
    """Return a path without ids and parameters.

    >>> _route("/v1/approvals/7030bd6c7d7e45818d51ef7519070cac/approve?wait=2")
    '/v1/approvals/ID/approve'
    """
    words = path.partition("?")[0].split("/")
    return "/".join("ID" if len(word) > 20 or "-" in word else word for word in words)

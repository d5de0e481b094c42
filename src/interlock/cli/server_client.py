"""Requests to a server's API, with the key of the environment."""

from __future__ import annotations

import ipaddress
import os
import time
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from interlock.errors import InterlockError
from interlock.http_client import HttpError, HttpRequest, HttpTarget, send
from interlock.sanitise import plain

#: The variable that holds the API key. There is no option for it: others can read the arguments of a process.
KEY_VARIABLE = "INTERLOCK_KEY"
_SECONDS = 300.0
_MAX_REPLY = 50_000_000
Reply = TypeVar("Reply")


class ServerError(InterlockError):
    """A server has rejected a request. `errors` has the id of each policy that is to blame, and why."""

    def __init__(self, message: str, status: int, errors: tuple[tuple[str, str], ...] = ()) -> None:
        self.status, self.errors = status, errors
        super().__init__(message)


class _Problem(msgspec.Struct):
    detail: str = ""
    errors: list[dict[str, str]] = []


class ServerClient:
    """A server, and the key that its requests are sent with."""

    def __init__(self, url: str, *, insecure_http: bool = False) -> None:
        self._url = urlsplit(url.rstrip("/") if "://" in url else f"https://{url.rstrip('/')}")
        self._host = _check_url(url, self._url, insecure_http=insecure_http)
        self._key = os.environ.get(KEY_VARIABLE, "").strip()
        if not self._key or not self._key.isascii() or not self._key.isprintable():
            raise InterlockError(
                f"set `{KEY_VARIABLE}` to an API key of the server; an admin creates one with `interlock keys create`"
            )

    def get(self, path: str, kind: type[Reply]) -> Reply:
        """Return what a server answers to a GET request."""
        return self._send("GET", path, None, kind)

    def post(self, path: str, body: Any, kind: type[Reply]) -> Reply:
        """Return what a server answers to a POST request."""
        return self._send("POST", path, msgspec.json.encode(body), kind)

    def _headers(self) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self._key}",
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Host": self._url.netloc.rpartition("@")[2],
        }

    def _send(self, method: str, path: str, body: bytes | None, kind: type[Reply]) -> Reply:
        secure = self._url.scheme == "https"
        port = self._url.port or (443 if secure else 80)
        target = HttpTarget(secure, self._host, port, f"{self._url.path}/v1{path}")
        request = HttpRequest(method, target.path, self._headers(), body, _MAX_REPLY, errors=True)
        try:
            reply = send(target, request, deadline=time.monotonic() + _SECONDS)
        except HttpError as error:
            raise InterlockError(error.failure.describe(f"the server `{self._host}`")) from None
        if reply.failure is not None:
            raise InterlockError(reply.failure.describe(f"the server `{self._host}`"))
        if not 200 <= reply.status < 300:
            raise _rejection(reply.status, reply.body)
        try:
            return msgspec.json.decode(reply.body, type=kind)
        except msgspec.DecodeError as error:
            raise InterlockError(f"the server's answer cannot be read; is it another version? {error}") from None


def _check_url(given: str, url: Any, *, insecure_http: bool) -> str:
    """Return the host of a server's URL, or raise if it is none, or if the key could be read on the way."""
    try:
        host, _ = url.hostname, url.port
    except ValueError:
        host = None
    if url.scheme not in ("http", "https") or not host or url.query or url.fragment or url.username:
        raise InterlockError(
            f"`{plain(given)[:100]}` is not the URL of a server; write `https://interlock.example.com`"
        )
    if url.scheme == "http" and not _is_loopback(host) and not insecure_http:
        raise InterlockError(
            f"the key would be sent to `{host}` unencrypted; use https, or `--insecure-http` in a trusted network"
        )
    return str(host)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _rejection(status: int, body: bytes) -> InterlockError:
    try:
        problem = msgspec.json.decode(body, type=_Problem)
    except msgspec.DecodeError:
        problem = _Problem()
    detail = problem.detail or f"the server answered with status {status}"
    if status == 401:
        return ServerError(f"the server does not accept the key in `{KEY_VARIABLE}`: {plain(detail)}", status)
    errors = tuple((one.get("field", ""), one.get("message", "")) for one in problem.errors)
    return ServerError(plain(detail), status, errors)

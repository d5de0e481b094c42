"""HTTP requests: the deadline holds, redirects are not followed, replies are capped, and only given addresses count."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from interlock.http_client import HttpError, HttpFailure, HttpReply, HttpTarget, post


@contextmanager
def peer(*parts: bytes, hold: bool = False) -> Iterator[HttpTarget]:
    """Run a server that sends these bytes to one client, and with `hold` keeps the connection open afterwards."""
    over = Event()

    def serve(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(65_536)
            for part in parts:
                connection.sendall(part)
            if hold:
                over.wait()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        try:
            yield HttpTarget(False, "localhost", listening.getsockname()[1], "/", ("127.0.0.1",))
        finally:
            over.set()
            thread.join()


def send(target: HttpTarget, seconds: float = 10, max_reply: int = 100) -> HttpReply:
    return post(target, {}, b"{}", deadline=time.monotonic() + seconds, max_reply=max_reply)


def test_status_and_body_are_returned() -> None:
    with peer(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") as target:
        assert send(target) == HttpReply(200, b"ok")


def test_a_redirect_is_returned_and_not_followed() -> None:
    with peer(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n") as target:
        assert send(target) == HttpReply(302)


def test_a_status_is_returned_even_if_the_body_does_not_arrive_before_the_deadline() -> None:
    with peer(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no", hold=True) as target:
        assert send(target, seconds=0.3) == HttpReply(200, failure=HttpFailure.TIMEOUT)


def test_without_a_status_the_deadline_is_an_error() -> None:
    with peer(hold=True) as target, pytest.raises(HttpError) as raised:
        send(target, seconds=0.3)
    assert raised.value.failure is HttpFailure.TIMEOUT


def test_nothing_is_sent_after_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        target = HttpTarget(False, "localhost", listening.getsockname()[1], "/", ("127.0.0.1",))
        with pytest.raises(HttpError) as raised:
            send(target, seconds=-1)
        listening.settimeout(0.1)
        with pytest.raises(TimeoutError):
            listening.accept()
    assert raised.value.failure is HttpFailure.TIMEOUT


def test_a_reply_over_the_limit_is_left_out() -> None:
    with peer(b"HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n" + b"x" * 200) as target:
        assert send(target) == HttpReply(200, failure=HttpFailure.TOO_LONG)


def test_a_reply_that_is_cut_off_is_not_taken_for_a_whole_one() -> None:
    with peer(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}") as target:
        assert send(target) == HttpReply(200, failure=HttpFailure.DISCONNECTED)


def test_the_host_is_not_resolved_when_addresses_are_given() -> None:
    with peer(b"HTTP/1.1 204 No Content\r\n\r\n") as target:
        assert send(target._replace(host="host.invalid")).status == 204
    with pytest.raises(HttpError):
        send(HttpTarget(False, "host.invalid", 80, "/"))


def test_a_failure_names_the_peer() -> None:
    assert HttpFailure.REFUSED.describe("the receiver") == "the receiver refused the connection"

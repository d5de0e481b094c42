"""A server that runs: in a thread of its own, on a free port, with a gate and a store of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from interlock.access.keys import AccessKeys
from interlock.access.roles import Role
from interlock.approval.challenge.challenge import challenge_for
from interlock.config.settings import ServerSettings
from interlock.gate import Gate
from interlock.server import listener
from interlock.server.csrf import CSRF_HEADER, csrf_token
from interlock.server.listen_options import ListenOptions, bind_socket
from interlock.server.service import Service
from interlock.store.clock import MICROSECONDS, Moment, now_in
from tests.server.client import PATIENCE, Client, Reply

_DAY = 86_400 * MICROSECONDS
#: An action that somebody has to approve, with nothing but a look at it.
ASKS = {"toolName": "Bash", "inputPayload": {"command": "git push --force origin main"}}
SAFE = {"toolName": "Bash", "inputPayload": {"command": "ls"}}


class Running:
    """A server that answers, with what tests need of its inside."""

    def __init__(self, service: Service, port: int) -> None:
        self.service, self.port = service, port
        self.nobody = Client(port)

    # who asks

    def key(self, role: Role, owner: str, name: str = "", **options: Any) -> Client:
        """Return somebody with a new key."""
        keys = self.service.authenticator.keys
        taken = len(keys.list())
        _, secret = keys.create(name or f"{role.value}-{taken}", role, owner=owner, actor="test", **options)
        return bearer(self.port, secret)

    def agent(self, owner: str = "ann", name: str = "") -> Client:
        """Return a program that acts for somebody."""
        return self.key(Role.AGENT, owner, name)

    def reviewer(self, owner: str = "bob") -> Client:
        """Return somebody who may answer."""
        return self.key(Role.REVIEWER, owner)

    def admin(self, owner: str = "eve") -> Client:
        """Return somebody who may do everything."""
        return self.key(Role.ADMIN, owner)

    def revoked(self) -> Client:
        """Return somebody whose key was taken back."""
        keys = self.service.authenticator.keys
        key, secret = keys.create("was-admin", Role.ADMIN, owner="eve", actor="test")
        keys.revoke(key.key_id, "test")
        return bearer(self.port, secret)

    def expired(self) -> Client:
        """Return somebody whose key has run out: it was made for a day, two days ago."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("interlock.access.keys.now_in", _two_days_ago)
            _, secret = AccessKeys(self.service.journal).create(
                "ran-out", Role.ADMIN, owner="eve", actor="test", days=1
            )
        return bearer(self.port, secret)

    def signed_in(self, name: str, role: Role) -> Client:
        """Return a browser in which somebody has signed in by a link."""
        authenticator = self.service.authenticator
        if name not in {person.name for person in authenticator.people.list()}:
            authenticator.people.add(name, role, "test")
        return self.browser(authenticator.sessions.start_with_link(authenticator.sessions.create_link(name))[1])

    def browser(self, secret: str) -> Client:
        """Return a browser that has a session's cookie, and a page of ours before it."""
        authenticator = self.service.authenticator
        session = authenticator.sessions.authenticate(secret)
        assert session is not None
        cookie = f"{authenticator.cookie_name}={secret}"
        return Client(self.port, {"cookie": cookie, CSRF_HEADER: csrf_token(authenticator, session.caller)})

    # what is asked

    def asked(self, agent: Client, action: dict[str, Any] | None = None) -> dict[str, Any]:
        """Have an action decided that somebody has to approve, and return where that stands."""
        found: dict[str, Any] = agent.post("/v1/evaluate", action or ASKS).ok()
        assert found["approval"]["state"] == "pending", found
        return found

    def answers(self, approval_id: str) -> list[str]:
        """Return the right answers to the challenge of a request, as nobody outside knows them."""
        approval = self.service.gate.approvals.get(approval_id)
        challenge = challenge_for(approval)
        return [asked.right for asked in challenge.questions]

    def approve(self, reviewer: Client, approval_id: str, **fields: Any) -> Reply:
        """Look at a request, take its challenge, and approve it."""
        shown = reviewer.get(f"/v1/approvals/{approval_id}").ok()
        given = {"ticket": shown["challenge"]["ticket"], "answers": self.answers(approval_id), **fields}
        return reviewer.post(f"/v1/approvals/{approval_id}/approve", given)


def _two_days_ago(connection: Any) -> Moment:
    at = now_in(connection)
    return at._replace(wall=at.wall - 2 * _DAY)


def bearer(port: int, secret: str) -> Client:
    """Return somebody with a key."""
    return Client(port, {"authorization": f"Bearer {secret}"})


def start(gate: Gate, **settings: Any) -> tuple[Running, Callable[[], threading.Thread]]:
    """Run a server on a gate, which it closes at its end; return it, and what tells it to stop."""
    socket = bind_socket(ListenOptions(settings=ServerSettings(port=0)))
    port = socket.getsockname()[1]
    options = ListenOptions(settings=ServerSettings(**{"rate": 0, **settings, "port": port}))
    service = Service(gate, options.settings, url=options.url)
    servers: list[listener.UvicornServer] = []
    ready = threading.Event()

    class Kept(listener.UvicornServer):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            servers.append(self)

    def run() -> None:
        with gate:
            listener.serve(service, options, ready.set, [socket])

    thread = threading.Thread(target=run, daemon=True)

    def stop() -> threading.Thread:
        servers[0].should_exit = True
        return thread

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(listener, "UvicornServer", Kept)  # the only handle by which a server in a thread can be stopped
        thread.start()
        assert ready.wait(PATIENCE)
    return Running(service, port), stop


@contextmanager
def served(gate: Gate, **settings: Any) -> Iterator[Running]:
    """Run a server until the block ends, and wait until it has stopped."""
    running, stop = start(gate, **settings)
    try:
        yield running
    finally:
        ended(stop())


def ended(*threads: threading.Thread) -> None:
    """Wait until servers have stopped."""
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "a server does not stop"


def until(holds: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Return what a function gives once that is something, and fail where it never is."""
    deadline = time.monotonic() + seconds
    while True:
        found = holds()
        if found:
            return found
        assert time.monotonic() < deadline, f"still {found!r} after {seconds:g} s"
        time.sleep(0.02)

"""Run a server in its own thread, on a free port, with its own gate and store."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from litestar import Litestar

from interlock.access.keys import AccessKeys
from interlock.access.roles import Role
from interlock.approval.challenge.challenge import challenge_for
from interlock.config.settings import ServerSettings
from interlock.gate import Gate
from interlock.server import listener
from interlock.server.app import create_app
from interlock.server.csrf import CSRF_HEADER, csrf_token
from interlock.server.listen_options import ListenOptions, bind_socket
from interlock.server.service import Service
from interlock.store.clock import MICROSECONDS, Moment, now_in
from tests.server.client import PATIENCE, Client, Reply

_DAY = 86_400 * MICROSECONDS
#: An action that needs approval, with no challenge but a confirmation.
ASKS = {"toolName": "Bash", "inputPayload": {"command": "git push --force origin main"}}
SAFE = {"toolName": "Bash", "inputPayload": {"command": "ls"}}


class Running:
    """A running server, and access to its service."""

    def __init__(self, service: Service, port: int) -> None:
        self.service, self.port = service, port
        self.nobody = Client(port)

    # callers

    def key(self, role: Role, owner: str, name: str = "", **options: Any) -> Client:
        """Return a caller with a new key."""
        keys = self.service.authenticator.keys
        taken = len(keys.list())
        _, secret = keys.create(name or f"{role.value}-{taken}", role, owner=owner, actor="test", **options)
        return bearer(self.port, secret)

    def agent(self, owner: str = "ann", name: str = "") -> Client:
        """Return a caller with an agent's key."""
        return self.key(Role.AGENT, owner, name)

    def reviewer(self, owner: str = "bob") -> Client:
        """Return a caller with a reviewer's key."""
        return self.key(Role.REVIEWER, owner)

    def admin(self, owner: str = "eve") -> Client:
        """Return a caller with an admin's key."""
        return self.key(Role.ADMIN, owner)

    def revoked(self) -> Client:
        """Return a caller whose key is revoked."""
        keys = self.service.authenticator.keys
        key, secret = keys.create("was-admin", Role.ADMIN, owner="eve", actor="test")
        keys.revoke(key.key_id, "test")
        return bearer(self.port, secret)

    def expired(self) -> Client:
        """Return a caller whose key has expired: it was created two days ago, for one day."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("interlock.access.keys.now_in", _two_days_ago)
            _, secret = AccessKeys(self.service.journal).create(
                "ran-out", Role.ADMIN, owner="eve", actor="test", days=1
            )
        return bearer(self.port, secret)

    def signed_in(self, name: str, role: Role) -> Client:
        """Return a browser in which a person has signed in with a link."""
        authenticator = self.service.authenticator
        if name not in {person.name for person in authenticator.people.list()}:
            authenticator.people.add(name, role, "test")
        return self.browser(authenticator.sessions.start_with_link(authenticator.sessions.create_link(name))[1])

    def browser(self, secret: str) -> Client:
        """Return a browser that has a session's cookie and CSRF token."""
        authenticator = self.service.authenticator
        session = authenticator.sessions.authenticate(secret)
        assert session is not None
        cookie = f"{authenticator.cookie_name}={secret}"
        return Client(self.port, {"cookie": cookie, CSRF_HEADER: csrf_token(authenticator, session.caller)})

    def is_followed(self) -> bool:
        """Return whether a stream has read where the chain ends, and waits for the next record."""
        return bool(self.service.feed._moved._waiters)

    # requests

    def asked(self, agent: Client, action: dict[str, Any] | None = None) -> dict[str, Any]:
        """Evaluate an action that needs approval, and return the response."""
        found: dict[str, Any] = agent.post("/v1/evaluate", action or ASKS).ok()
        assert found["approval"]["state"] == "pending", found
        return found

    def answers(self, approval_id: str) -> list[str]:
        """Return the right answers to the challenge of a request, which the API does not reveal."""
        approval = self.service.gate.approvals.get(approval_id)
        challenge = challenge_for(approval)
        return [asked.right for asked in challenge.questions]

    def approve(self, reviewer: Client, approval_id: str, **fields: Any) -> Reply:
        """Read a request, answer its challenge, and approve it."""
        shown = reviewer.get(f"/v1/approvals/{approval_id}").ok()
        given = {"ticket": shown["challenge"]["ticket"], "answers": self.answers(approval_id), **fields}
        return reviewer.post(f"/v1/approvals/{approval_id}/approve", given)


def _two_days_ago(connection: Any) -> Moment:
    at = now_in(connection)
    return at._replace(wall=at.wall - 2 * _DAY)


def bearer(port: int, secret: str) -> Client:
    """Return a caller with a key."""
    return Client(port, {"authorization": f"Bearer {secret}"})


#: Applications of servers that have stopped. To create one takes longer than most tests: each route is inspected.
_SPARE: list[Litestar] = []


@contextmanager
def application(service: Service) -> Iterator[Litestar]:
    """Give an application of a service: a spare one, or a new one."""
    app = _SPARE.pop() if _SPARE else create_app(service)
    app.state.parts.bind(service)
    yield app
    _SPARE.append(app)


def start(gate: Gate, **settings: Any) -> tuple[Running, Callable[[], threading.Thread]]:
    """Run a server on a gate, which it closes at the end; return it, and a function that stops it."""
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
        with gate, application(service) as app:
            listener.serve(service, options, ready.set, [socket], app)

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
    """Poll a function until its result is truthy, and return that; fail after a while."""
    deadline = time.monotonic() + seconds
    while True:
        found = holds()
        if found:
            return found
        assert time.monotonic() < deadline, f"still {found!r} after {seconds:g} s"
        time.sleep(0.02)

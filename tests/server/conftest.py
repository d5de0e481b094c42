"""What these tests stand on: an own folder for each, and a real server on a store of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from interlock.gate import Gate
from tests.server.live_server import Running, ended, served, start
from tests.world.postgres import Server

#: What a server's person has configured: nobody approves what they caused, however few people there are.
OTHERS_ANSWER = "[approvals]\none_person = false\n"


#: Servers that were told to stop. Nobody waits for each of them: that would take longer than the tests.
_STOPPING: list[threading.Thread] = []


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("pg"))
    yield server
    ended(*_STOPPING)
    server.stop()


@pytest.fixture(scope="session", autouse=True)
def _all_stop() -> Iterator[None]:
    """See that every server stops when it is told to."""
    yield
    ended(*_STOPPING)


@pytest.fixture(scope="module")
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for a server that all tests of a file share."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("home")
        _live_in(folder, patch)
        yield folder


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's own folder: empty, and nobody else's."""
    return _live_in(tmp_path, monkeypatch)


def _live_in(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    own = folder / "own"
    own.mkdir()
    (own / "interlock.toml").write_text(OTHERS_ANSWER)
    patch.setenv("INTERLOCK_HOME", str(own))
    patch.setenv("INTERLOCK_PROMPT", "never")
    patch.delenv("INTERLOCK_STORE", raising=False)
    patch.setattr("interlock.approval.challenge.challenge.READING_SECONDS", 0.0)  # nobody reads here
    patch.chdir(folder)
    return own


@pytest.fixture(scope="module")
def shared(_home: Path) -> Iterator[Running]:
    """One server for a whole file, for tests that do not mind each other."""
    with served(Gate(store=f"sqlite:///{_home / 'store.db'}")) as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store, on each of the two databases."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.db'}"
    server: Server = request.getfixturevalue("postgres")
    return server.new()


Serve = Callable[..., Running]


@pytest.fixture
def serve(own: Path, tmp_path: Path) -> Iterator[Serve]:
    """Run a server of this test's own: `serve(store, rate=5)`. Without a store it gets a SQLite file."""
    stops: list[Callable[[], threading.Thread]] = []

    def make(store: str = "", *, configured: str | None = None, **settings: Any) -> Running:
        if configured is not None:
            (own / "interlock.toml").write_text(configured)
        running, stop = start(Gate(store=store or f"sqlite:///{tmp_path / 'store.db'}"), **settings)
        stops.append(stop)
        return running

    yield make
    _STOPPING.extend(stop() for stop in stops)


@pytest.fixture
def server(serve: Serve, store: str) -> Running:
    """A server of this test's own, on each of the two databases."""
    return serve(store)


@pytest.fixture
def alone(serve: Serve) -> Running:
    """A server of this test's own, where the database makes no difference."""
    return serve()

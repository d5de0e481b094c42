"""Fixtures: a home folder for each test, and a real server on its own store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher

from interlock.gate import Gate
from interlock.server.background import BackgroundTasks
from tests.server.live_server import Running, ended, served, start
from tests.world.postgres import Server

#: The configuration of every server: nobody may approve what they asked for, even if they are the only person.
OTHERS_ANSWER = "[approvals]\none_person = false\n"
#: Hashes passwords in a moment: `tests/test_passwords.py` checks how well they are hashed.
CHEAP_HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
#: Servers that were told to stop. They are joined together at the end, since waiting for each takes too long.
_STOPPING: list[threading.Thread] = []


@pytest.fixture(scope="session")
def postgres(postgres: Server) -> Iterator[Server]:
    """The PostgreSQL server of all tests, which is stopped after the servers that use it."""
    yield postgres
    ended(*_STOPPING)


@pytest.fixture(scope="session", autouse=True)
def _all_stop() -> Iterator[None]:
    """Check at the end that every server has stopped."""
    yield
    ended(*_STOPPING)


@pytest.fixture(scope="module")
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home folder of a server that all tests of a file share."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("home")
        _live_in(folder, patch)
        yield folder


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of this test, empty at first."""
    return _live_in(tmp_path, monkeypatch)


def _live_in(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    own = folder / "own"
    own.mkdir()
    (own / "interlock.toml").write_text(OTHERS_ANSWER)
    patch.setenv("INTERLOCK_HOME", str(own))
    patch.setenv("INTERLOCK_PROMPT", "never")
    patch.delenv("INTERLOCK_STORE", raising=False)
    patch.setattr("interlock.approval.challenge.challenge.READING_SECONDS", 0.0)  # so that tests need not wait
    patch.setattr("interlock.access.people._HASHER", CHEAP_HASHER)
    patch.setattr("interlock.access.people._DUMMY_HASH", CHEAP_HASHER.hash("dummy password"))
    patch.chdir(folder)
    return own


@pytest.fixture(scope="module")
def shared(_home: Path) -> Iterator[Running]:
    """One server for a whole file, for tests that do not affect each other."""
    with served(Gate(store=f"sqlite:///{_home / 'store.db'}")) as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty store, on each of the two databases."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'store.db'}"
        return
    server: Server = request.getfixturevalue("postgres")
    url = server.prepared()
    yield url
    server.take_back(url)


Serve = Callable[..., Running]


@pytest.fixture
def serve(own: Path, tmp_path: Path) -> Iterator[Serve]:
    """Start a server for this test: `serve(store, rate=5)`. The default store is a SQLite file."""
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
    """A server for this test, on each of the two databases."""
    return serve(store)


@pytest.fixture
def alone(serve: Serve) -> Running:
    """A server for this test, on SQLite alone."""
    return serve()


@pytest.fixture
def quiet(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Running:
    """A server that does nothing by itself, so that every statement belongs to a request."""
    monkeypatch.setattr(BackgroundTasks, "start", lambda _tasks, work: work.close())
    return serve()

"""Fixtures: a home folder for each test, and a store on each of the two databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from interlock.audit.journal import Journal
from interlock.audit.keys import SigningKey
from interlock.gate import Gate
from interlock.store.database import Database
from interlock.store.migrate import prepare
from tests.world.postgres import Server


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own folder, empty and private to this test."""
    folder = tmp_path / "own"
    monkeypatch.setenv("INTERLOCK_HOME", str(folder))
    monkeypatch.setenv("INTERLOCK_PROMPT", "never")
    monkeypatch.delenv("INTERLOCK_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty store, on each of the two databases; with the mark `no_schema`, one without its tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'store.db'}"
        return
    server: Server = request.getfixturevalue("postgres")
    if request.node.get_closest_marker("no_schema"):
        yield server.new()
        return
    url = server.prepared()
    yield url
    server.take_back(url)


@pytest.fixture
def database(store: str) -> Iterator[Database]:
    found = Database(store)
    prepare(found)
    yield found
    found.close()


@pytest.fixture
def journal(database: Database, own: Path) -> Journal:
    return Journal(database, SigningKey.at(own), own)


@pytest.fixture
def gate(store: str) -> Iterator[Gate]:
    with Gate(store=store) as found:
        yield found


@pytest.fixture
def configured(store: str, own: Path) -> Iterator[Callable[[str], Gate]]:
    """Make a gate whose own configuration is a text."""
    made: list[Gate] = []

    def make(text: str) -> Gate:
        own.mkdir(exist_ok=True)
        (own / "interlock.toml").write_text(text)
        made.append(Gate(store=store))
        return made[-1]

    yield make
    for one in made:
        one.close()

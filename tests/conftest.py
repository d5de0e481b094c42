"""The order of the tests, how they are given to processes, how property tests run, and a PostgreSQL.

Property tests have more examples than usual, the same ones every time, and no clock.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer

from tests.file_scheduling import FileScheduling
from tests.world.postgres import Server

#: The folders of tests that wait: for servers, other processes and browsers.
WAITING = frozenset({"agents", "browser", "server", "world"})

settings.register_profile(
    "laws", max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("laws")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileScheduling | None:
    """Give files to processes with a scheduler that is fast for many tests."""
    return FileScheduling(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Do not search what was imported and collected for garbage: it lasts until the end, and is large."""
    gc.disable()
    try:
        yield
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    """Show all objects to the garbage collector again: what it cannot free at the end, DuckDB reports as leaked."""
    gc.unfreeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the files that wait first, so that the short ones that only compute fill up the processes at the end."""
    items.sort(key=lambda item: item.path.parent.name not in WAITING)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """The PostgreSQL server of all tests that run in this process.

    Its folder is not one of pytest's: each run of pytest closes those to other users, and root runs PostgreSQL as one.
    """
    with TemporaryDirectory(prefix="interlock-pg-") as folder:
        server = Server(Path(folder))
        yield server
        server.stop()

"""The order of the tests, how property tests run, and a PostgreSQL.

Property tests have more examples than usual, the same ones every time, and no clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

from tests.world.postgres import Server

#: The folders of tests that wait: for servers, other processes and browsers.
WAITING = frozenset({"agents", "browser", "server", "world"})

settings.register_profile(
    "laws", max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("laws")


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

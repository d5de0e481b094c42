"""How property tests run (more examples than usual, the same ones every time, and no clock), and a PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.world.postgres import Server

settings.register_profile(
    "laws", max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("laws")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The PostgreSQL server of all tests that run in this process."""
    server = Server(tmp_path_factory.mktemp("pg"))
    yield server
    server.stop()

"""The guides work: every file on them is written, every command is run, and prints what the page says."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from tests.journeys.page import CommandStep, FileStep, matches, read_steps
from tests.journeys.shell import Shell
from tests.server.live_server import until
from tests.world.postgres import Server

GUIDES = Path(__file__).parent.parent.parent / "docs" / "guides"


class Reader:
    """Somebody who follows a page in a folder. `real` has what stands for an address on the page."""

    def __init__(self, page: Path, folder: Path, real: Mapping[str, str] = MappingProxyType({})) -> None:
        self._page, self._folder, self._real = page, folder, real
        self._shell = Shell(folder, reader_environment(folder))

    def follow(self) -> None:
        """Carry the page out from top to bottom."""
        try:
            for step in read_steps(self._page):
                if isinstance(step, FileStep):
                    file = self._folder / step.name
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(self._replace(step.text))
                elif " interlock serve " in step.command:
                    self._serve(self._replace(step.command))
                else:
                    self._run(step)
        finally:
            self._shell.close()

    def _run(self, step: CommandStep) -> None:
        _, printed = self._shell.run(self._replace(step.command), step.typed)
        shown = self._replace(step.printed)
        assert matches(shown, printed), f"$ {step.command}\n{printed}\n--- the page shows:\n{shown}"

    def _serve(self, command: str) -> None:
        """Start a server in a terminal of its own, and wait until it answers."""
        port = command.rpartition(" ")[2]
        self._shell.run(f"{command} > serve-{port}.log 2>&1 &")
        until(lambda: self._shell.run(f"curl -sf http://127.0.0.1:{port}/healthz")[0] == 0)

    def _replace(self, text: str) -> str:
        for shown, real in self._real.items():
            text = text.replace(shown, real)
        return text


#: Plugins of pytest that came with what the tests need: who follows a page has that of Interlock alone.
OTHER_PLUGINS = (
    "anyio",
    "faker",
    "hypothesispytest",
    "langsmith_plugin",
    "platformdirs",
    "schemathesis",
    "timeout",
    "xdist",
)


def reader_environment(folder: Path) -> dict[str, str]:
    """Return the environment of somebody who follows a page: this Python, and a home folder of their own."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL") if name in os.environ}
    kept["PYTEST_ADDOPTS"] = " ".join(f"-p no:{name}" for name in OTHER_PLUGINS)
    return {**kept, "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(folder), "USER": "sam"}


def test_guard_an_agent(tmp_path: Path) -> None:
    Reader(GUIDES / "guard-an-agent.md", tmp_path).follow()


def test_run_for_a_team(tmp_path: Path, postgres: Server) -> None:
    ports = [str(find_port()) for _ in range(2)]
    real = {"postgresql://interlock@db.internal/interlock": postgres.new(), "8700": ports[0], "8701": ports[1]}
    Reader(GUIDES / "run-for-a-team.md", tmp_path, real).follow()


def find_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("ok 3\n", "ok 3", True),
        ("ok 3\n", "ok 4", False),
        ("a\n…\nz\n", "a\nb c\nz", True),
        ("a\n…\nz\n", "a\nb c", False),
        ("run 3fa8b1c2\n", "run 99aabbcc", True),
        ("ok\n", "ok\nTraceback", False),
    ],
)
def test_what_a_page_shows_is_compared(shown: str, printed: str, same: bool) -> None:
    assert matches(shown, printed) is same


def test_a_block_that_is_not_carried_out_is_an_error(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Nothing names this:\n\n```python\nprint(1)\n```\n")
    with pytest.raises(AssertionError, match="belongs to no file"):
        list(read_steps(page))

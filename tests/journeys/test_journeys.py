"""The guides work: every file on them is written, every command is run, and prints what the page says."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.journeys.page import CommandStep, FileStep, matches, read_steps
from tests.journeys.shell import Shell

GUIDES = Path(__file__).parent.parent.parent / "docs" / "guides"


def take(page: Path, folder: Path, environment: dict[str, str]) -> None:
    """Carry a page out in a folder."""
    shell = Shell(folder, environment)
    try:
        for step in read_steps(page):
            if isinstance(step, FileStep):
                (folder / step.name).parent.mkdir(parents=True, exist_ok=True)
                (folder / step.name).write_text(step.text)
            else:
                _run(shell, step)
    finally:
        shell.close()


def _run(shell: Shell, step: CommandStep) -> None:
    _, printed = shell.run(step.command, step.typed)
    assert matches(step.printed, printed), f"$ {step.command}\n{printed}\n--- the page shows:\n{step.printed}"


def reader_environment(folder: Path) -> dict[str, str]:
    """Return the environment of somebody who follows a page: this Python, and a home folder of their own."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL") if name in os.environ}
    return {**kept, "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(folder), "USER": "sam"}


def test_guard_an_agent(tmp_path: Path) -> None:
    take(GUIDES / "guard-an-agent.md", tmp_path, reader_environment(tmp_path))


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

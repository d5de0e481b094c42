"""Commands that hand out rights need a person at a terminal, or the switch in the account's own configuration."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.cli.person import permits_automation
from tests.at_terminal import run_at_terminal

COMMANDS = [
    ["trust", "interlock.toml"],
    ["keys", "create", "ci"],
    ["people", "add", "zoe"],
    ["people", "link", "zoe"],
    ["people", "password", "zoe"],
    ["people", "role", "zoe", "admin"],
    ["people", "suspend", "zoe"],
    ["approvals", "approve", "7becbdbe"],
    ["audit", "accept", "--yes"],
    ["policy", "restore", "payments", "1"],
]


@pytest.fixture
def account(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "interlock.toml").write_text("automation = true\n")
    return {**os.environ, "INTERLOCK_HOME": str(tmp_path), "HOME": str(tmp_path)}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_without_a_terminal_nothing_is_handed_out(command: list[str], account: dict[str, str], tmp_path: Path) -> None:
    """Neither a variable nor a configuration that a variable points to replaces the person."""
    done = subprocess.run(
        [sys.executable, "-m", "interlock", *command],
        env=account,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "a person has to run it at a terminal" in done.stderr
    assert done.stdout == ""


def test_a_person_at_a_terminal_gets_a_key(account: dict[str, str], tmp_path: Path) -> None:
    done = run_at_terminal([sys.executable, "-m", "interlock", "keys", "create", "ci"], account, tmp_path)
    assert done.stdout.startswith("ilk_"), done.stderr


@pytest.mark.parametrize(
    ("text", "mode", "permits"),
    [
        ("automation = true", 0o600, True),
        ("automation = false", 0o600, False),
        ('automation = "true"', 0o600, False),
        ("mode = 'full'", 0o600, False),
        ("automation = ", 0o600, False),
        ("automation = true", 0o620, False),
        ("automation = true", 0o602, False),
    ],
)
def test_the_switch_counts_in_a_file_that_only_its_owner_can_write(
    text: str, mode: int, permits: bool, tmp_path: Path
) -> None:
    file = tmp_path / "interlock.toml"
    file.write_text(text)
    file.chmod(mode)
    assert permits_automation(file) is permits
    assert not permits_automation(tmp_path / "missing.toml")

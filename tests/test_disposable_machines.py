"""Which machines count as disposable, and who may say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.config.load import load
from interlock.config.machine import DISPOSABLE, PERSONAL, detect_machine
from interlock.errors import ConfigError


def test_a_variable_and_a_file_of_root_together_make_a_machine_disposable() -> None:
    assert detect_machine({"CODESPACES": "true"}, lambda path: path == "/.dockerenv") == DISPOSABLE
    assert detect_machine({"CODESPACES": "true"}, lambda _: False) == PERSONAL
    assert detect_machine({}, lambda _: True) == PERSONAL
    assert detect_machine({"GITHUB_ACTIONS": "false"}, lambda _: True) == PERSONAL


def test_a_file_in_the_workspace_may_not_make_the_machine_disposable(tmp_path: Path) -> None:
    (tmp_path / "interlock.toml").write_text('machine = "disposable"\n')
    with pytest.raises(ConfigError, match="machine `disposable` loosens"):
        load(start=tmp_path)


def test_a_file_in_the_workspace_may_make_the_machine_personal(tmp_path: Path) -> None:
    (tmp_path / "interlock.toml").write_text('machine = "personal"\n')
    assert load(start=tmp_path).machine == PERSONAL


def test_an_unknown_machine_is_refused(tmp_path: Path) -> None:
    (tmp_path / "interlock.toml").write_text('machine = "rented"\n')
    with pytest.raises(ConfigError, match="disposable"):
        load(start=tmp_path)

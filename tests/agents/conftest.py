"""What the tests of agents share: a folder of one's own, and no daemon that outlives its test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from interlock.cli import daemon


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Path]:
    folder = tmp_path / "own"
    monkeypatch.setenv("INTERLOCK_HOME", str(folder))
    monkeypatch.setenv("HOME", "/home/u")
    monkeypatch.setenv("INTERLOCK_PROMPT", "never")
    monkeypatch.delenv("INTERLOCK_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    yield folder
    monkeypatch.setenv("INTERLOCK_HOME", str(folder))
    daemon.stop()

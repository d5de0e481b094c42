"""Fixtures: a store with calls of programs and tools that nobody has described, and one whose past a test makes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import interlock
from interlock.gate import Gate
from tests.learning.past import ASK, Clock, Past

WHERE: dict[str, Any] = {"cwd": "/home/u/shop", "workspace": "/home/u/shop", "home": "/home/u"}
TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
COMMANDS = (
    "frobctl volume list --region eu",
    "frobctl volume list --region us --json",
    "frobctl deploy web --yes",
    f"frobctl -v deploy api --config ./deploy.yaml --token {TOKEN}",
    "make build && frobctl status",
    "frobctl status",
    "git push --force origin main",
    "eval $(cat x)",
)
CALLS = ({"target": "x", "n": 3}, {"target": "y", "n": 4, "path": "/srv/a.txt"})


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of this test."""
    monkeypatch.setenv("INTERLOCK_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("INTERLOCK_PROMPT", "never")
    monkeypatch.delenv("INTERLOCK_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "interlock.toml").write_text('[approvals]\nunattended = "queue"\n')
    return tmp_path / "own"


@pytest.fixture
def gate(own: Path) -> Iterator[Gate]:
    """A gate with some actions on record."""
    gate = Gate()
    for command in COMMANDS:
        check(gate, interlock.Action.shell(command, agent_id="coder", **WHERE))
    for given in CALLS:
        check(gate, interlock.Action(tool_name="mcp__acme__frobnicate", input_payload=given, agent_id="clerk", **WHERE))
    yield gate
    gate.journal.close()


def check(gate: Gate, action: interlock.Action) -> None:
    """Have an action decided and recorded."""
    with contextlib.suppress(interlock.ActionRefused):
        gate.check(action)


@pytest.fixture
def past(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Past]:
    """An empty store of a team, a month ago."""
    monkeypatch.setenv("INTERLOCK_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("INTERLOCK_PROMPT", "never")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own").mkdir(mode=0o700)
    (tmp_path / "own" / "interlock.toml").write_text("[approvals]\none_person = false\n")
    clock = Clock(monkeypatch)
    with Gate(store=f"sqlite:///{tmp_path / 'store.db'}", policies=[ASK]) as gate:
        yield Past(gate, clock)

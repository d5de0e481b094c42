"""The pytest plugin: fixtures for a temporary gate, and for an approver with scripted answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from interlock.config.load import read
from interlock.config.trust import trust
from interlock.gate.gate import Gate
from interlock.policy.policies import Policy
from interlock.testing.scripted_approver import ScriptedApprover

MakeGate = Callable[..., Gate]


@pytest.fixture
def interlock_approver() -> ScriptedApprover:
    """An approver that rejects every request, until a test replaces or fills it."""
    return ScriptedApprover()


@pytest.fixture
def make_interlock_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interlock_approver: ScriptedApprover
) -> Iterator[MakeGate]:
    """Create temporary gates that ignore the user's configuration: `make_interlock_gate("interlock.toml")`.

    The file counts as trusted, so that a test sees its effect once a person trusts it.
    """
    monkeypatch.setenv("INTERLOCK_HOME", str(tmp_path / "interlock-home"))
    gates: list[Gate] = []

    def make(config: str | Path | None = None, *, policies: Iterable[Policy] = ()) -> Gate:
        if config is not None:
            trust(Path(config), read(Path(config)))  # in the home folder of this test
        gates.append(Gate.temporary(config, policies=policies, approver=interlock_approver))
        return gates[-1]

    yield make
    for gate in gates:
        gate.close()


@pytest.fixture
def interlock_gate(make_interlock_gate: MakeGate) -> Gate:
    """A temporary gate with the rules and policies that Interlock ships."""
    return make_interlock_gate()

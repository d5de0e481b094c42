"""Gates with policies or an engine of the program's own, and gates that keep nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock import Action, ActionRefused, ConfigError, Engine, Gate, Policy, Verdict
from interlock.policy.policies import as_condition

NO_LOOKING = Policy("no-looking", conditions=[as_condition("toolName=look_up")], action=Verdict.BLOCK)
FILE = '[[policies]]\npolicy_id = "x"\nconditions = ["toolName=get_x"]\naction = "block"\n'
LOOK_UP = Action(tool_name="look_up", input_payload={"id": 1})


def test_policies_of_a_program_count_beside_those_of_the_files(own: Path, store: str) -> None:
    own.mkdir(exist_ok=True)
    (own / "interlock.toml").write_text(FILE)
    with Gate(store=store, policies=[NO_LOOKING]) as gate:
        for action in (LOOK_UP, Action(tool_name="get_x")):
            with pytest.raises(ActionRefused):
                gate.check(action)
        (own / "interlock.toml").write_text('mode = "full"\n')
        gate.configuration.expire()
        assert gate.decide(Action(tool_name="get_x")).verdict is Verdict.ALLOW
        assert gate.decide(LOOK_UP).verdict is Verdict.BLOCK, "the files do not remove it"


def test_an_engine_of_a_program_decides(store: str) -> None:
    with Gate(store=store, engine=Engine([NO_LOOKING])) as gate:
        assert gate.decide(LOOK_UP).verdict is Verdict.BLOCK
    with Gate(store=store, engine=Engine()) as gate:
        assert gate.check(LOOK_UP).kept


def test_an_engine_takes_no_policies_beside_its_own() -> None:
    with pytest.raises(ConfigError, match="`policies` do not go with `engine`"):
        Gate.temporary(policies=[NO_LOOKING], engine=Engine())
    with pytest.raises(ConfigError, match="`Policy` objects; found `str`"):
        Gate.temporary(policies="no-looking")  # type: ignore[arg-type]


def test_an_engine_does_not_replace_what_a_server_decides(own: Path) -> None:
    own.mkdir(exist_ok=True)
    (own / "interlock.toml").write_text('[central]\nurl = "https://interlock.example"\nkey_variable = "KEY"\n')
    with pytest.raises(ConfigError, match="a server or an administrator decides here"):
        Gate.temporary(engine=Engine(mode="auto_approve"))


def test_a_temporary_gate_works_and_keeps_nothing(own: Path) -> None:
    with Gate.temporary(policies=[NO_LOOKING]) as gate:
        folder = Path(gate.journal.database.url.path).parent
        outcome = gate.check(Action(tool_name="get_x"))
        assert not outcome.kept
        with pytest.raises(ActionRefused):
            gate.check(LOOK_UP)
        assert [count for _, count in gate.runs.list()] == [2]
        assert folder.exists()
    assert not folder.exists()
    assert not own.exists(), "nothing was written to the user's folder"

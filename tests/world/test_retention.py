"""Retention: idle runs end, old records go in small steps, and a floor keeps what has to be kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from interlock import Action, Gate
from interlock.audit.keys import KeyRing, SigningKey
from interlock.audit.retention import DAY, end_idle_runs, remove_old_records
from interlock.audit.verify import verify
from interlock.cli import main
from interlock.config.settings import RetentionSettings
from interlock.errors import ConfigError
from interlock.store.clock import Moment, now_in
from interlock.store.connection import Connection
from tests.reading import WHERE


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let days pass."""

    def pass_days(days: int) -> None:
        def moved(connection: Connection) -> Moment:
            found = now_in(connection)
            return found._replace(wall=found.wall + days * DAY)

        monkeypatch.setattr("interlock.audit.retention.now_in", moved)

    return pass_days


def act(gate: Gate, run: str, number: int = 1) -> None:
    session = gate.session_of("me", run, "bot", WHERE["workspace"])
    for one in range(number):
        session.submit(Action.shell(f"ls {one}", **WHERE))


def test_idle_runs_end_and_continue_with_the_next_action(gate: Gate, store: str, later: Callable[[int], None]) -> None:
    act(gate, "r1")
    assert end_idle_runs(gate.journal, RetentionSettings()) == 0
    later(2)
    assert end_idle_runs(gate.journal, RetentionSettings(idle_hours=0)) == 0
    assert end_idle_runs(gate.journal, RetentionSettings()) == 1
    assert gate.runs.get("r1").state == "ended"
    with Gate(store=store) as other:
        act(other, "r1")
        assert other.runs.get("r1").state == "open"


def test_a_paused_run_stays_paused(gate: Gate, later: Callable[[int], None]) -> None:
    from interlock.audit.runs import pause_run

    act(gate, "r1")
    gate.journal.commit(lambda transaction: pause_run(transaction, "r1", "too many refusals"))
    later(9)
    assert end_idle_runs(gate.journal, RetentionSettings()) == 0
    assert gate.runs.get("r1").state == "paused"


def test_old_records_go_in_steps_and_the_rest_verifies(gate: Gate, own: Path, later: Callable[[int], None]) -> None:
    act(gate, "r1", 60)
    settings = RetentionSettings(keep_days=30)
    assert remove_old_records(gate.journal, settings, most=20) == 0
    later(40)
    removed = [remove_old_records(gate.journal, settings, most=20) for _ in range(3)]
    assert removed == [20, 20, 20]
    assert verify(gate.journal.database, KeyRing([SigningKey.at(own).public]), folder=own).good
    assert remove_old_records(gate.journal, RetentionSettings(keep_days=0)) == 0


def test_the_floor_holds(gate: Gate, later: Callable[[int], None]) -> None:
    act(gate, "r1", 5)
    later(100)
    assert remove_old_records(gate.journal, RetentionSettings(keep_days=30, at_least_days=180)) == 0
    later(200)
    assert remove_old_records(gate.journal, RetentionSettings(keep_days=30, at_least_days=180)) > 0


def test_settings_below_the_floor_are_an_error(configured: Callable[[str], Gate]) -> None:
    with pytest.raises(ConfigError, match="`keep_days` is below `at_least_days`"):
        configured("[retention]\nkeep_days = 30\nat_least_days = 180\n")
    with pytest.raises(ConfigError, match="must not be negative"):
        configured("[retention]\nidle_hours = -1\n")


def test_pruning_by_hand_respects_the_floor(
    configured: Callable[[str], Gate], capsys: pytest.CaptureFixture[str], store: str
) -> None:
    configured("[retention]\nat_least_days = 180\n")
    assert main(["store", "prune", "--older-than", "30d", "--yes", "--store", store]) == 1
    assert "`retention.at_least_days` keeps the records of 180 days" in capsys.readouterr().err


def test_a_file_shrinks(tmp_path: Path, own: Path, later: Callable[[int], None]) -> None:
    file = tmp_path / "big.db"
    with Gate(store=f"sqlite:///{file}") as gate:
        gate.journal.database.shrink(None)
        empty = os.path.getsize(file)
        act(gate, "r1", 400)
        gate.journal.database.shrink(None)
        before = os.path.getsize(file)
        later(40)
        for _ in range(6):
            remove_old_records(gate.journal, RetentionSettings(keep_days=30), most=150)
        gate.journal.database.shrink(None)
    assert os.path.getsize(file) - empty < (before - empty) * 0.6


# in programs


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a round be due with the first action."""
    monkeypatch.setattr("interlock.gate.gate.FIRST_ROUND_SECONDS", 0.0)
    monkeypatch.setattr("interlock.gate.retention.PAUSE_SECONDS", 0.0)


def act_when_due(gate: Gate) -> None:
    """Take one action more, with which a round begins, and wait for the end of the round."""
    gate.retention._due = 0.0
    act(gate, "new")
    assert gate.retention._thread is not None
    gate.retention._thread.join()


@pytest.mark.parametrize("settings", ["", "[retention]\nkeep_days = 30\n"])
def test_a_program_that_stays_open_carries_the_retention_out(
    configured: Callable[[str], Gate], own: Path, later: Callable[[int], None], soon: object, settings: str
) -> None:
    gate = configured(settings)
    act(gate, "old", 30)
    later(2)
    act_when_due(gate)
    assert gate.runs.get("old").state == "ended"
    later(40)
    act_when_due(gate)
    with gate.journal.database.read() as connection:
        removed = connection.value("SELECT base_seq FROM interlock_head")
    assert (removed > 30) is bool(settings)
    assert verify(gate.journal.database, KeyRing([SigningKey.at(own).public]), folder=own).good


def test_a_hook_ends_before_a_round_is_due(gate: Gate) -> None:
    act(gate, "r1", 3)
    assert "retention" not in gate.__dict__


@pytest.mark.usefixtures("soon")
def test_a_round_that_fails_breaks_nothing(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> int:
        raise OSError("the disk is gone")

    monkeypatch.setattr("interlock.audit.retention.end_idle_runs", fail)
    gate.retention._due = 0.0
    act(gate, "r1")
    gate.retention._thread.join()  # type: ignore[union-attr]
    act(gate, "r1")
    assert "could not apply retention: the disk is gone" in caplog.text


@pytest.mark.usefixtures("soon")
def test_the_child_of_a_fork_has_a_retention_of_its_own(gate: Gate) -> None:
    act(gate, "r1")
    assert "retention" in gate.__dict__
    if not (child := os.fork()):
        os._exit(int("retention" in gate.__dict__))
    assert os.waitpid(child, 0)[1] == 0

"""Drift: what an agent has not used before is noted once a day, and only against a baseline that says something."""

from __future__ import annotations

from datetime import UTC

import pytest

import interlock
from interlock.audit.read import RecordFilter, read_all
from interlock.gate import Gate
from interlock.learning import baseline, drift
from interlock.learning.drift import note_drift
from interlock.learning.drift_notes import notes_of_agent
from interlock.learning.usage import DAY, count_new_usage, recount_usage
from interlock.learning.week import week_of
from interlock.learning.week_report import week_report
from interlock.store.clock import now
from tests.learning.conftest import WHERE, check


def _notes(gate: Gate) -> list[tuple[str | None, str | None, str]]:
    found = read_all(gate.journal.database, RecordFilter(kind="agent.drifted"))
    return [(line.record.agent_id, line.record.name, line.record.data["text"]) for line in found]


def _run(gate: Gate, *commands: str, agent: str = "coder") -> None:
    for command in commands:
        check(gate, interlock.Action.shell(command, agent_id=agent, **WHERE))
    count_new_usage(gate.journal)
    note_drift(gate.journal)


def _move_to_past(gate: Gate, days: int) -> None:
    """Make what was counted so far a part of the past, spread over some days."""
    with gate.journal.database.write() as connection:
        rows = connection.tuples("SELECT what, at, name, agent_id, count, first_seq, last_seq FROM interlock_usage")
        connection.run("DELETE FROM interlock_usage")
        for what, at, name, agent, count, first, last in rows:
            for number in range(1, days + 1):
                connection.run(
                    "INSERT INTO interlock_usage (what, at, name, agent_id, count, first_seq, last_seq) "
                    "VALUES (:what, :at, :name, :agent, :count, :first, :last)",
                    what=what, at=at - number * DAY, name=name, agent=agent, count=count, first=first, last=last,
                )  # fmt: skip


@pytest.fixture
def settled(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> Gate:
    """A gate whose agents have used the same things for some days."""
    monkeypatch.setattr(baseline, "MIN_ACTIONS", 8)
    _run(gate)
    _move_to_past(gate, 5)
    return gate


def test_something_new_is_noted_once_a_day(settled: Gate) -> None:
    _run(settled, "git status", "frobctl status")
    assert _notes(settled) == [], "all of this was used before"
    _run(settled, "curl https://new.example/x")
    assert ("coder", "host", "contacted a host for the first time in 28 days: new.example") in _notes(settled)
    assert {what for _, what, _ in _notes(settled)} == {"host", "program"}
    before = _notes(settled)
    _run(settled, "curl https://other.example/x", "wget https://third.example")
    assert _notes(settled) == before, "one note for an agent, a kind and a day"
    with settled.journal.database.read() as connection:
        texts = [note.text for note in notes_of_agent(connection, "coder")]
    assert "Behaviour of coder changed: contacted a host for the first time in 28 days: new.example" in texts
    report = week_report(settled.journal, week_of(now().wall, UTC), UTC)
    assert set(report.notes) == set(texts)
    recount_usage(settled.journal)
    note_drift(settled.journal)
    assert _notes(settled) == before, "counting again makes no new notes"


def test_agents_without_a_baseline_are_not_noted(settled: Gate) -> None:
    _run(settled, "curl https://new.example/x", agent="newcomer")
    _run(settled, "curl https://new.example/x", agent="")
    assert _notes(settled) == []


def test_an_hour_with_far_more_actions_is_noted(settled: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drift, "MIN_RATE", 10)
    _run(settled, *["git status"] * 10)
    assert _notes(settled) == []
    _run(settled, *["git status"] * 20)
    assert [(agent, what) for agent, what, _ in _notes(settled)] == [("coder", "rate")]

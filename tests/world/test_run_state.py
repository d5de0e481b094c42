"""A run's state read from the store is the state that its actions add up to, wherever and whenever it is read."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Action, Gate, RunState
from interlock.audit.run_state import SNAPSHOT_EVERY
from tests.reading import WHERE

PROJECT = WHERE["workspace"]


def some_action(number: int) -> Action:
    """Return one of the actions that change every part of a run's memory."""
    match number % 6:
        case 0:
            return Action.shell(f"export A{number % 7}={number}; cd src && ls", **WHERE)
        case 1:
            content = {"file_path": f"{PROJECT}/a{number % 9}.sh", "content": f"echo {number}\n"}
            return Action(tool_name="Write", input_payload=content, **WHERE)
        case 2:
            return Action(tool_name=f"mcp__crm{number % 5}__get_customer", input_payload={"id": number}, **WHERE)
        case 3:
            return Action.shell(f"curl -o d{number % 4}.txt https://example.com/{number}", **WHERE)
        case 4:
            place = {"channel_id": f"C{number}", "channel_type": "external"}
            return Action(tool_name="mcp__chat__get_channel", input_payload=place, **WHERE)
        case _:
            return Action.shell("rm -rf ~", **WHERE)


def without_identity(state: RunState) -> dict[str, Any]:
    found = {name: getattr(state, name) for name in RunState.__struct_fields__}
    return {**found, "written": {path: (one.text, one.state, one.marks) for path, one in state.written.items()}}


@pytest.mark.parametrize("calls", [SNAPSHOT_EVERY - 1, 2 * SNAPSHOT_EVERY + 10])
def test_the_stored_state_is_the_sum_of_the_actions(store: str, calls: int) -> None:
    added_up = RunState(workspace=PROJECT)
    for start in range(0, calls, 40):  # each gate stands for a process
        with Gate(store=store) as gate:
            session = gate.session_of("me", "r1", "bot", PROJECT)
            for number in range(start, min(start + 40, calls)):
                done = session.submit(some_action(number))
                action, decision = done.record.action, done.decision
                added_up = added_up.after(action, decision) if decision.allowed else added_up.after_refusal(action)
    with Gate(store=store) as gate:
        loaded = gate.runs.state("r1")
    assert loaded.exposures
    assert loaded.shell.variables
    assert loaded.outside
    assert without_identity(loaded) == without_identity(added_up)


def test_the_workspace_is_the_one_that_the_run_began_in(store: str) -> None:
    elsewhere = {**WHERE, "cwd": "/home/u/Documents", "workspace": "/home/u/Documents"}
    verdicts = []
    for action in (Action.shell("ls", **WHERE), Action.shell("rm -rf thesis", **elsewhere)):
        with Gate(store=store) as gate:
            verdicts.append(gate.session_of("me", "r1", "bot", action.workspace).submit(action).decision.allowed)
    assert verdicts == [True, False]

"""Calls of a run in a project, for tests of what several of them amount to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from interlock import Action, Engine, RunState

PROJECT = "/home/user/project"
WHERE: dict[str, Any] = {"cwd": PROJECT, "workspace": PROJECT, "home": "/home/user"}
_ENGINE = Engine(second_opinion=False)


def tool(name: str, /, **given: Any) -> Action:
    return Action(tool_name=name, input_payload=given, **WHERE)


def write(path: str, content: str) -> Action:
    return tool("Write", file_path=f"{PROJECT}/{path}", content=content)


def edit(path: str, old: str, new: str) -> Action:
    return tool("Edit", file_path=f"{PROJECT}/{path}", old_string=old, new_string=new)


def stops_last(calls: Sequence[Action | str]) -> bool:
    """Whether the last call of a run is stopped; those before it run, whatever was decided."""
    state, allowed = RunState(), True
    for call in calls:
        action = Action.shell(call, **WHERE) if isinstance(call, str) else call
        decision = _ENGINE.decide(action, state)
        state, allowed = state.after(action, decision), decision.allowed
    return not allowed

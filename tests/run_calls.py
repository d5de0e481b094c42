"""Calls of a run in a project, for tests of what several of them amount to."""

from __future__ import annotations

from typing import Any

from interlock import Action

PROJECT = "/home/user/project"
WHERE: dict[str, Any] = {"cwd": PROJECT, "workspace": PROJECT, "home": "/home/user"}


def tool(name: str, /, **given: Any) -> Action:
    return Action(tool_name=name, input_payload=given, **WHERE)


def write(path: str, content: str) -> Action:
    return tool("Write", file_path=f"{PROJECT}/{path}", content=content)


def edit(path: str, old: str, new: str) -> Action:
    return tool("Edit", file_path=f"{PROJECT}/{path}", old_string=old, new_string=new)

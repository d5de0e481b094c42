"""Options that describe an action, and the context in which it is decided."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Group, Parameter

WHERE = Group("Where it runs (if unknown, the worst is assumed)", sort_key=2)
HOW = Group("How it is decided", sort_key=3)


@Parameter(name="*")
@dataclass(frozen=True)
class ContextOptions:
    """Where an action runs, and the configuration that decides it."""

    environment: Annotated[str | None, Parameter(name=["--environment", "-e"], group=WHERE)] = None
    "development, staging, production or critical"
    cwd: Annotated[str | None, Parameter(group=WHERE)] = None
    "the folder that relative paths are relative to"
    workspace: Annotated[str | None, Parameter(group=WHERE)] = None
    "the project folder, in which changes are expected"
    home: Annotated[str | None, Parameter(group=WHERE)] = None
    "the home folder, for `~`"
    here: Annotated[bool, Parameter(negative="", group=WHERE)] = False
    "assume that it runs in this folder: sets cwd, workspace and home"
    agent: Annotated[str | None, Parameter(group=WHERE)] = None
    "the id of the agent that acts"
    user: Annotated[str | None, Parameter(group=WHERE)] = None
    "the person that the agent acts for"
    tenant: Annotated[str | None, Parameter(group=WHERE)] = None
    "the customer or organisation that it acts for"
    at: Annotated[str | None, Parameter(group=WHERE)] = None
    "the time of the action, for policies that depend on it, such as 2026-03-29T09:30+02:00; by default now"
    mode: Annotated[str | None, Parameter(group=HOW)] = None
    "off, assist, full, tiers, challenges, auto_approve, …; see docs/policies.md"
    config: Annotated[Path | None, Parameter(group=HOW)] = None
    "an interlock.toml; by default the nearest one in this folder or above"
    policy: Annotated[tuple[str, ...], Parameter(group=HOW, negative="")] = ()
    "an additional policy in short form, `--policy 'toolName=deploy -> block'`; can be repeated"


@Parameter(name="*")
@dataclass(frozen=True)
class Input:
    """The language of the text, or a tool call."""

    python: Annotated[bool, Parameter(negative="")] = False
    "the text is Python"
    sql: Annotated[bool, Parameter(negative="")] = False
    "the text is SQL"
    tool: str | None = None
    "the name of a tool that is called, instead of a text"
    input: str | None = None
    "the tool's input, as JSON"


CommandText = Annotated[str | None, Parameter(allow_leading_hyphen=True)]

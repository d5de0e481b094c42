"""How tests read actions: in a project at `/home/u/project`."""

from __future__ import annotations

from typing import Any

from interlock import Action, Engine, Level
from interlock.analyse.action import analyse
from interlock.analyse.reading import Reading
from interlock.model import Analysis

WHERE: dict[str, Any] = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}

#: An effect takes a step; a few more are reported when no steps are left.
MAX_EFFECTS = Reading.MAX_STEPS + 100


def shell(command: str) -> Analysis:
    """Read a shell command."""
    return analyse(Action.shell(command, **WHERE))


def python(code: str) -> Analysis:
    """Read Python."""
    return analyse(Action.python(code, **WHERE))


def sql(query: str) -> Analysis:
    """Read SQL."""
    return analyse(Action.sql(query, **WHERE))


def effects(analysis: Analysis) -> list[str]:
    """Return effects as a person writes them: `fs.delete file:/etc force recursive`."""
    return [str(effect) for effect in analysis.effects]


def level(action: Action) -> Level:
    """Return the level that an action is decided at."""
    return ENGINE.decide(action).assessment.level


ENGINE = Engine()

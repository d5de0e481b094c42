"""Examples of rules: how they are written, and whether they hold.

`$ …` is a shell command, `>>> …` is Python, `sql> …` is SQL, and `tool NAME {input} {annotations}` any other
call. They run in a project at `/home/u/project`.
"""

from __future__ import annotations

import json
from typing import Any

from interlock.analyse.action import NOWHERE, Surroundings, analyse
from interlock.errors import ConfigError
from interlock.model import Action
from interlock.rules.rule import Rule

WHERE: dict[str, Any] = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}
FORM = "write `$ command`, `>>> python`, `sql> statement` or `tool NAME {json}`"


def action_of(example: str) -> Action:
    """Return the action of an example, or raise if it is written in none of the four forms."""
    if example.startswith("$ "):
        return Action.shell(example[2:], **WHERE)
    if example.startswith(">>> "):
        return Action.python(example[4:], **WHERE)
    if example.startswith("sql> "):
        return Action.sql(example[5:], **WHERE)
    if example.startswith("tool "):
        return _tool(example)
    raise ConfigError(f"`{example}` is not an example; {FORM}")


def _tool(example: str) -> Action:
    name, _, rest = example[5:].partition(" ")
    decoder = json.JSONDecoder()
    values = []
    while rest.strip():
        try:
            value, end = decoder.raw_decode(rest.strip())
        except ValueError as error:
            raise ConfigError(f"`{example}` is not an example: {error}; {FORM}") from None
        values.append(value)
        rest = rest.strip()[end:]
    payload, annotations = (*values, {}, {})[:2]
    if not isinstance(payload, dict) or not isinstance(annotations, dict):
        raise ConfigError(f"`{example}` is not an example: a tool's input is a JSON object; {FORM}")
    return Action(tool_name=name, input_payload=payload, annotations=annotations, **WHERE)


def fires(rule: Rule, example: str, around: Surroundings = NOWHERE) -> bool:
    """Whether a rule on its own matches an example."""
    return any(rule.matches(effect) for effect in analyse(action_of(example), around).effects)


def example_problem(rule: Rule, around: Surroundings = NOWHERE) -> str:
    """Return the first error in a rule's examples, or an empty text."""
    for example in rule.match:
        if not fires(rule, example, around):
            return f"`{example}` should match, but does not"
    for example in rule.no_match:
        if fires(rule, example, around):
            return f"`{example}` should not match, but does"
    return ""

"""Describe a shape for the person who grants it: everything that it covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from interlock.approval.shape.holes import Hole
from interlock.approval.shape.shape import Candidate


def describe_shape(candidate: Candidate, parts: Sequence[str | Hole], arguments: Mapping[str, Any]) -> str:
    """Return the text of a shape: the command or the call, then where it runs and which agent asks.

    Code is quoted with backticks. `arguments` are those of a call: a hole, or the value that stays the same.
    """
    what = _describe_command(parts) if parts else _describe_call(candidate.action.tool_name, arguments)
    if parts and arguments:
        what += f" with {', '.join(_describe_argument(name, value) for name, value in arguments.items())}"
    return f"{what} ({', '.join(_circumstances(candidate))})"


def describe_edit(candidate: Candidate, folder: str, *, changes: bool) -> str:
    """Return the text of a shape of edits; with `changes`, they are of files that exist."""
    files = "any existing text or script file" if changes else "any new or existing text or script file"
    what = f"`{candidate.action.tool_name}` {files} in {folder} and the folders below it"
    never = "except hidden files and files that configure agents, shells, build tools or CI"
    return f"{what}, {never}; code in it may only print and read files ({', '.join(_circumstances(candidate))})"


def _describe_command(parts: Sequence[str | Hole]) -> str:
    """Return the words of a command, with what fits in the place of its holes."""
    shown: list[str] = []
    literal: list[str] = []
    for part in parts:
        if isinstance(part, Hole):
            shown += [f"`{' '.join(literal)}`"] * bool(literal) + [part.text]
            literal = []
        else:
            literal.append(part)
    return " ".join([*shown, f"`{' '.join(literal)}`"] if literal else shown)


def _describe_call(tool: str, arguments: Mapping[str, Any]) -> str:
    given = [_describe_argument(name, value) for name, value in arguments.items()]
    return f"`{tool}` with {', '.join(given)}"


def _describe_argument(name: str, value: Any) -> str:
    if not isinstance(value, Hole):
        return f"`{name}` = `{value}`"
    return f"any `{name}`" if value.kind in ("identifier", "whole") else f"`{name}` {value.text}"


def _circumstances(candidate: Candidate) -> list[str]:
    """Return where and for whom the actions run: all of it stays the same."""
    action = candidate.action
    named = (
        ("in environment ", action.environment),
        ("run in ", action.cwd),
        ("for tenant ", action.tenant),
        ("for user ", action.user),
    )
    agent = f"by agent {candidate.agent_id}" if candidate.agent_id else "by an unnamed agent"
    level = candidate.decision.assessment.level.value
    risk = f"risk up to {candidate.decision.assessment.score}, {level}"
    return [*(f"{word}{name}" for word, name in named if name), agent, risk]

"""Descriptions of tools: the effect of a call, the roles of its arguments, and the service that they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from interlock.knowledge.command import ExampleEffect

#: In the values of an argument: any value that does not stand for everything, and none at all.
ANY_VALUE, NOT_GIVEN = "*", ""


class ToolExample(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The arguments of a call, and all the effects that it must have."""

    call: dict[str, Any]
    effects: tuple[ExampleEffect, ...]


class ToolCondition(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """An effect that a call has besides if all conditions hold. Of the words of one condition, one is enough."""

    does: str
    flags: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()  # this argument is given, at any depth: `status`, `link.scope`
    values: tuple[str, ...] = ()  # … and has such a value
    without: tuple[str, ...] = ()  # no such argument is given


class ToolOperation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a call does with a certain value of an argument, instead of what its tool does."""

    does: str
    flags: tuple[str, ...] = ()


def read_operation(told: str | ToolOperation) -> ToolOperation:
    """Return an operation, of which a description may name the kind alone."""
    return ToolOperation(told) if isinstance(told, str) else told


class Tool(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The description of a tool. `asks` and `passes` are arguments of calls that must be stopped, or must not be."""

    does: str
    also: tuple[str, ...] = ()  # other names of the tool
    flags: tuple[str, ...] = ()
    arguments: Mapping[str, str] = {}  # argument → its role; others are read by their shape
    operations: Mapping[str, Mapping[str, str | ToolOperation]] = {}  # argument → its values → what a call does
    when: tuple[ToolCondition, ...] = ()
    examples: tuple[ToolExample, ...] = ()
    asks: tuple[dict[str, Any], ...] = ()
    passes: tuple[dict[str, Any], ...] = ()


class ToolFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A file that describes the tools of one service.

    `names` are the words by which the service is known in names of tools: `github` in `mcp__github__create_issue`.
    `reads` and `drafts` are tools that only read or draft, which need no description. `chosen_by` is the argument by
    which a call of a group of tools says which of them it runs: `sql {"command": "sql_db_delete", "parameters": …}`.
    """

    tools: Mapping[str, Tool] = {}
    service: str = ""
    docs: str = ""
    names: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()
    chosen_by: str = ""
    draft: bool = False  # not in force until a person has filled it in and removed this key

    @property
    def all_tools(self) -> Mapping[str, Tool]:
        """Every tool with its description: those that only read or draft too."""
        listed = (("tool.read", self.reads), ("tool.draft", self.drafts))
        return {**{name: Tool(does=kind) for kind, names in listed for name in names}, **self.tools}

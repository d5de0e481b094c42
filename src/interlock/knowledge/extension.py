"""Descriptions that users add to the knowledge that Interlock ships with.

A description by the user replaces the shipped one. A description that an agent could have written, because its file
lies in the workspace, is read in addition: it can add effects, and never takes one away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec

from interlock.knowledge.command import Program

if TYPE_CHECKING:
    from interlock.knowledge.tool import Tool, ToolFile


class KnowledgeFile(msgspec.Struct, frozen=True):
    """A file of descriptions that a user added. `own` is false if an agent could have written it."""

    file: str
    content: Program | ToolFile
    own: bool


class Extension:
    """The descriptions of all files that users added, by name."""

    __slots__ = ("added_programs", "added_tools", "programs", "tools")

    def __init__(self, files: Iterable[KnowledgeFile] = ()) -> None:
        self.programs: dict[str, Program] = {}
        self.tools: dict[str, Tool] = {}
        self.added_programs: dict[str, list[Program]] = {}
        self.added_tools: dict[str, list[Tool]] = {}
        for one in files:
            if isinstance(one.content, Program):
                self._add_program(one.content, one.own)
            else:
                self._add_tools(one.content.tools, one.own)

    def _add_program(self, program: Program, own: bool) -> None:
        for name in program.names:
            if own:
                self.programs[name] = program
            else:
                self.added_programs.setdefault(name, []).append(program)

    def _add_tools(self, tools: Mapping[str, Tool], own: bool) -> None:
        for key, tool in tools.items():
            for name in (key, *tool.also):
                if own:
                    self.tools[plain_tool_name(name)] = tool
                else:
                    self.added_tools.setdefault(plain_tool_name(name), []).append(tool)


def plain_tool_name(name: str) -> str:
    """Return a tool's name in the form that is compared: in lower case, with `_` between its words.

    >>> plain_tool_name("Create-Refund")
    'create_refund'
    """
    return name.replace("-", "_").replace(" ", "_").lower()


NO_EXTENSION = Extension()

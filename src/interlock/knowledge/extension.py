"""Descriptions that users add to the knowledge that Interlock ships with.

A description by the user replaces the shipped one, but lifts no floor: only the configuration does that. A description
that an agent could have written, because its file lies in the workspace, is read in addition. An added effect can make
others look harmless, say by claiming that the run has written a file itself. So every action is also decided without
such descriptions, and the stricter decision counts (`Engine.decide`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from interlock.knowledge.command import Program

if TYPE_CHECKING:  # most users add none of these
    from interlock.knowledge.cmdlet import Cmdlet, CmdletFile
    from interlock.knowledge.function import Function, FunctionFile
    from interlock.knowledge.tool import Tool, ToolFile

#: What a file describes: one program, or several tools, functions or cmdlets.
Description: TypeAlias = "Program | ToolFile | FunctionFile | CmdletFile"


class KnowledgeFile(msgspec.Struct, frozen=True):
    """A file of descriptions that a user added. `own` is false if an agent could have written it."""

    file: str
    content: Description
    own: bool

    @property
    def is_draft(self) -> bool:
        """Whether the file is a draft, which changes nothing."""
        return getattr(self.content, "draft", False)


class Extension:
    """The descriptions of all files that users added, by name."""

    __slots__ = (
        "added_cmdlets",
        "added_functions",
        "added_programs",
        "added_tools",
        "cmdlets",
        "functions",
        "programs",
        "tools",
    )

    def __init__(self, files: Iterable[KnowledgeFile] = ()) -> None:
        self.programs: dict[str, Program] = {}
        self.tools: dict[str, Tool] = {}
        self.functions: dict[tuple[str, str], Function] = {}  # by language and name
        self.added_programs: dict[str, list[Program]] = {}
        self.added_tools: dict[str, list[Tool]] = {}
        self.added_functions: dict[tuple[str, str], list[Function]] = {}
        self.cmdlets: dict[str, Cmdlet] = {}  # by name in lower case
        self.added_cmdlets: dict[str, list[Cmdlet]] = {}
        for one in files:
            if one.is_draft:
                continue
            if isinstance(one.content, Program):
                self._add_program(one.content, one.own)
            else:
                self._add_file(one.content, one.own)

    @property
    def replaces_shipped(self) -> bool:
        """Whether a description may replace one that ships with Interlock."""
        return bool(self.programs or self.functions or self.cmdlets or self.tools)

    def without_added(self) -> Extension:
        """Return the user's own descriptions alone, or this extension if there are no others."""
        if not (self.added_programs or self.added_tools or self.added_functions or self.added_cmdlets):
            return self
        own = Extension()
        own.programs, own.tools, own.functions, own.cmdlets = self.programs, self.tools, self.functions, self.cmdlets
        return own

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

    def _add_file(self, described: ToolFile | FunctionFile | CmdletFile, own: bool) -> None:
        from interlock.knowledge.function import FunctionFile
        from interlock.knowledge.tool import ToolFile

        if isinstance(described, ToolFile):
            self._add_tools(described.all_tools, own)
        elif isinstance(described, FunctionFile):
            self._add_functions(described, own)
        else:
            self._add_cmdlets(described, own)

    def _add_functions(self, described: FunctionFile, own: bool) -> None:
        from interlock.knowledge.function import index_functions

        for name, function in index_functions(described.functions, described.language).items():
            key = described.language, name
            if own:
                self.functions[key] = function
            else:
                self.added_functions.setdefault(key, []).append(_read_code_apart(function, described.language))

    def _add_cmdlets(self, described: CmdletFile, own: bool) -> None:
        for cmdlet in described.cmdlets:
            for name in cmdlet.names:
                if own:
                    self.cmdlets[name.lower()] = cmdlet
                else:
                    self.added_cmdlets.setdefault(name.lower(), []).append(_read_cmdlet_code_apart(cmdlet))


def _read_code_apart(function: Function, language: str) -> Function:
    """Return a function whose code is read by itself, so that it cannot change the meaning of names around it."""
    roles = {name: f"code:{language}" if role == "code" else role for name, role in function.arguments.items()}
    return msgspec.structs.replace(function, arguments=roles)


def _read_cmdlet_code_apart(cmdlet: Cmdlet) -> Cmdlet:
    roles = {name: "code:powershell" if role == "code" else role for name, role in cmdlet.parameters.items()}
    return msgspec.structs.replace(cmdlet, parameters=roles)


def described_names(content: Description) -> Iterator[tuple[str, str]]:
    """Yield the names that a file describes, each with what it is: a program, a tool, a cmdlet, or a language."""
    if isinstance(content, Program):
        yield from (("program", name) for name in content.names)
        return
    from interlock.knowledge.function import FunctionFile
    from interlock.knowledge.tool import ToolFile

    if isinstance(content, ToolFile):
        yield from (("tool", name) for key, tool in content.all_tools.items() for name in (key, *tool.also))
    elif isinstance(content, FunctionFile):
        yield from ((content.language, name) for function in content.functions for name in function.names)
    else:
        yield from (("cmdlet", name) for cmdlet in content.cmdlets for name in cmdlet.names)


def plain_name(kind: str, name: str) -> str:
    """Return a name in the form that names of its kind are compared in."""
    if kind == "tool":
        return plain_tool_name(name)
    return name.lower() if kind == "cmdlet" else name


def plain_tool_name(name: str) -> str:
    """Return a tool's name in the form that is compared: in lower case, with `_` between its words.

    >>> plain_tool_name("Create-Refund")
    'create_refund'
    """
    return name.replace("-", "_").replace(" ", "_").lower()


NO_EXTENSION = Extension()

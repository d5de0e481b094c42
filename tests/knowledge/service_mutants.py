"""Mutants of the tools of services: what a tool does, its flags, the role of each argument, its operations and
its conditions are emptied in turn.

A tool that asks is emptied to a draft, which asks about nothing of its own; one that only passes, or that asks by what
it is given, to a payment.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from interlock.analyse.action import NOWHERE
from interlock.analyse.examples import find_broken_examples
from interlock.analyse.tools.tool_calls import runs_code
from interlock.cli.tool_examples import find_misjudged_calls
from interlock.knowledge.services import swap_service
from interlock.knowledge.tool import Tool, ToolFile

#: What tools do that ask only because of their arguments.
_QUIET = frozenset({"record.change", "local.change", "device.operate"})


class ToolEntry(NamedTuple):
    """Something that the description of a tool says: which tool, of which kind, and under which key."""

    tool: str
    kind: str
    key: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.tool} {self.key}".strip()


def tool_entries(described: ToolFile) -> Iterator[ToolEntry]:
    """Return everything that the descriptions of a service say."""
    for name, tool in described.tools.items():
        if not (tool.does == "tool.change" and runs_code(tool)):  # it does what its code says
            yield ToolEntry(name, "does")
        if tool.flags:
            yield ToolEntry(name, "flags")
        yield from (ToolEntry(name, "argument", key) for key in tool.arguments)
        for argument, kinds in tool.operations.items():
            yield from (ToolEntry(name, "operation", f"{argument} {values}") for values in kinds)
        yield from (ToolEntry(name, "condition", str(at)) for at in range(len(tool.when)))


def mutate_tool(tool: Tool, entry: ToolEntry) -> Tool:
    """Return a description with one entry emptied."""
    if entry.kind == "does":
        by_arguments = tool.does in ("tool.change", "tool.read", "tool.draft") or (tool.when and tool.does in _QUIET)
        told = by_arguments and tool.passes  # what asks is told by the arguments
        passing = (told and tool.does != "payment.send") or not (tool.asks or tool.examples)
        return replace(tool, does="payment.send" if passing else "tool.draft", flags=())
    if entry.kind == "flags":
        return replace(tool, flags=())
    if entry.kind == "operation":
        argument, _, values = entry.key.partition(" ")
        fewer = {key: kind for key, kind in tool.operations[argument].items() if key != values}
        return replace(tool, operations={**tool.operations, argument: fewer})
    if entry.kind == "condition":
        return replace(tool, when=tuple(one for at, one in enumerate(tool.when) if str(at) != entry.key))
    return replace(tool, arguments={key: role for key, role in tool.arguments.items() if key != entry.key})


def tool_survivors(described: ToolFile) -> Iterator[ToolEntry]:
    """Return the entries that no call and no example misses."""
    for entry in tool_entries(described):
        tool = described.tools[entry.tool]
        alone = replace(described, tools={entry.tool: tool})
        with swap_service(replace(alone, tools={entry.tool: mutate_tool(tool, entry)})):
            if not any(find_misjudged_calls(alone, NOWHERE)) and not any(True for _ in find_broken_examples(alone)):
                yield entry

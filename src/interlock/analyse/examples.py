"""The examples of descriptions: command lines, calls or code, and exactly the effects that each must have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from interlock.analyse.action import NOWHERE, Surroundings, analyse
from interlock.knowledge.cmdlet import CmdletFile
from interlock.knowledge.command import Command, Example, ExampleEffect
from interlock.knowledge.extension import Description
from interlock.knowledge.function import FunctionExample, FunctionFile
from interlock.knowledge.tool import ToolFile
from interlock.model import Action, Effect

#: The working folder, workspace and home of every example.
WHERE: dict[str, Any] = {"cwd": "/home/u/project", "workspace": "/home/u/project", "home": "/home/u"}

KeyPath = tuple[str | int, ...]


class BrokenExample(NamedTuple):
    """An example that does not hold: its path in the file, its command, the expected and the found effects."""

    path: KeyPath
    run: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"`{self.run}` should have the effects {self.expected}, found {self.found}"


def list_examples(command: Command, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Example]]:
    """Yield every example of a description, with its path in the file."""
    for at, example in enumerate(command.examples):
        yield (*path, "examples", at), example
    for name, sub in command.commands.items():
        yield from list_examples(sub, (*path, "commands", name))
    for label in ("alone", "otherwise"):
        part = getattr(command, label)
        if part is not None:
            yield from list_examples(part, (*path, label))


def find_broken_examples(described: Description, around: Surroundings = NOWHERE) -> Iterator[BrokenExample]:
    """Yield the examples of a description that do not hold."""
    if isinstance(described, ToolFile):
        yield from _find_broken_tool_examples(described, around)
        return
    if isinstance(described, FunctionFile):
        for at, function in enumerate(described.functions):
            yield from find_broken_code_examples(function.examples, described.language, ("functions", at), around)
        return
    if isinstance(described, CmdletFile):
        for at, cmdlet in enumerate(described.cmdlets):
            yield from find_broken_code_examples(cmdlet.examples, "powershell", ("cmdlets", at), around)
        return
    for path, example in list_examples(described):
        found = effects_of(example.run, around)
        if not _match(example.effects, found):
            yield BrokenExample(
                path, example.run, show_effects(example.effects), show_effects(map(describe_effect, found))
            )


def _find_broken_tool_examples(described: ToolFile, around: Surroundings) -> Iterator[BrokenExample]:
    """Yield the examples of tools that do not hold."""
    for name, tool in described.tools.items():
        called = f"mcp__{described.names[0]}__{name}" if described.names else name
        for at, example in enumerate(tool.examples):
            action = Action(tool_name=called, input_payload=example.call, **WHERE)
            found = analyse(action, around).effects
            if not _match(example.effects, found):
                path = ("tools", name, "examples", at)
                shown = f"{name} {json.dumps(example.call)}"
                yield BrokenExample(
                    path, shown, show_effects(example.effects), show_effects(map(describe_effect, found))
                )


def find_broken_code_examples(
    examples: Iterable[FunctionExample], language: str, path: KeyPath = (), around: Surroundings = NOWHERE
) -> Iterator[BrokenExample]:
    """Yield the examples of a function or a cmdlet that do not hold."""
    for at, example in enumerate(examples):
        found = effects_of_code(example.code, language, around)
        if not _match(example.effects, found):
            where = (*path, "examples", at)
            yield BrokenExample(
                where, example.code, show_effects(example.effects), show_effects(map(describe_effect, found))
            )


def count_examples(described: Description) -> int:
    """Return the number of examples in a description."""
    if isinstance(described, FunctionFile):
        return sum(len(function.examples) for function in described.functions)
    if isinstance(described, CmdletFile):
        return sum(len(cmdlet.examples) for cmdlet in described.cmdlets)
    if isinstance(described, ToolFile):
        return sum(len((*tool.examples, *tool.asks, *tool.passes)) for tool in described.tools.values())
    return sum(1 for _ in list_examples(described))


def effects_of(run: str, around: Surroundings = NOWHERE) -> tuple[Effect, ...]:
    """Return the effects of a command line, except those on its output."""
    found = analyse(Action.shell(run, **WHERE), around).effects
    return tuple(effect for effect in found if "printed" not in effect.flags)


def effects_of_code(code: str, language: str, around: Surroundings = NOWHERE) -> tuple[Effect, ...]:
    """Return the effects of code in a language."""
    if language == "python":
        return analyse(Action.python(code, **WHERE), around).effects
    payload = {"language": language, "code": code}
    return analyse(Action(tool_name="execute_code", input_payload=payload, **WHERE), around).effects


#: A flag that all effects of tool calls have, which examples need not repeat.
_OF_EVERY_CALL = frozenset({"by_tool", "by_argument"})


def describe_effect(effect: Effect) -> ExampleEffect:
    """Return an effect in the notation of examples."""
    name = effect.resource.name if effect.resource else ""
    flags = effect.flags - _OF_EVERY_CALL
    return ExampleEffect(effect.kind, tuple(sorted(flags)), name.removeprefix(WHERE["cwd"] + "/"))


def _match(expected: tuple[ExampleEffect, ...], found: tuple[Effect, ...]) -> bool:
    """Whether the effects are exactly the expected ones, in any order."""
    left = [describe_effect(effect) for effect in found]
    for wanted in sorted(expected, key=lambda effect: not effect.on):  # those with a resource first
        fits = [
            effect
            for effect in left
            if effect.does == wanted.does
            and set(effect.flags) == set(wanted.flags)
            and (not wanted.on or wanted.on == effect.on)
        ]
        if not fits:
            return False
        left.remove(fits[0])
    return not left


def show_effects(effects: Any) -> str:
    """Return effects in the notation of a description.

    >>> show_effects([ExampleEffect("vcs.push", ("force",))])
    '[{ does = "vcs.push", flags = ["force"] }]'
    """
    return "[" + ", ".join(_show(effect) for effect in effects) + "]"


def _show(effect: ExampleEffect) -> str:
    parts = [f'does = "{effect.does}"']
    if effect.flags:
        parts.append("flags = [" + ", ".join(f'"{flag}"' for flag in effect.flags) + "]")
    if effect.on:
        parts.append(f'on = "{effect.on}"')
    return "{ " + ", ".join(parts) + " }"

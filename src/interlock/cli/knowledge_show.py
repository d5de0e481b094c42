"""`interlock knowledge show`: what is known about a program, one of its commands, a tool or a function."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from interlock.analyse.examples import describe_effect, effects_of
from interlock.analyse.shell.readers import READERS
from interlock.cli.functions import find_functions, function_names, show_function
from interlock.config.load import load
from interlock.effects import KINDS
from interlock.errors import InterlockError, near_miss, nearest
from interlock.flags import FLAGS
from interlock.knowledge.artefact import FOLDER as SHIPPED
from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.cmdlet import CmdletFile
from interlock.knowledge.command import Command, ExampleEffect, Option, Phrase, Program, When
from interlock.knowledge.extension import KnowledgeFile, plain_tool_name
from interlock.knowledge.function import FunctionFile
from interlock.knowledge.services import find_services, find_tool, index_tools
from interlock.knowledge.sources import read_program, read_service, read_text
from interlock.knowledge.tool import Tool, ToolCondition, ToolFile, read_operation
from interlock.show import console, pairs

FOLDER = Path(SHIPPED)
Rows = list[tuple[str, str | Text]]


def show(name: str, commands: Sequence[str], *, source: bool) -> int:
    """Show what is known about a program, one of its commands, a described tool, or a function."""
    own = load().knowledge
    found = _find(name, own)
    if found is None and (plain := _plain_name(name)) != name:
        name, found = plain, _find(plain, own)
    added = [one for one in own if not one.own and one is not found and name in names_in(one)]
    functions = [] if commands else find_functions(name, own)
    if found is None and not functions:
        raise InterlockError(_explain_missing(name))
    if source:
        described = [*([found] if found else []), *added]
        files = dict.fromkeys([*(one.file for one in described), *(function.file for function in functions)])
        console().print(Text("\n".join(read_text(Path(file)) for file in files)), end="", soft_wrap=True)
        return 0
    if found is not None:
        _show_file(found, name, commands)
    for one in added:
        _show_added(one, name, commands)
    for function in functions:
        show_function(name, function)
    return 0


def _plain_name(name: str) -> str:
    """Return a program's name without a folder, an ending of Windows and upper case, if there is such a program."""
    plain = name.replace("\\", "/").rpartition("/")[2]
    spellings = (plain, plain.lower(), plain.lower().removesuffix(".exe").removesuffix(".cmd"))
    return next((one for one in spellings if one in PROGRAMS or one in READERS), name)


def _explain_missing(name: str) -> str:
    """Return why a name cannot be shown, and what can be done."""
    if name in READERS:
        return f"`{name}` is read by code alone; `interlock explain` shows what a call does"
    services = [service for service in find_services() if plain_tool_name(name) in index_tools(service)]
    if services:
        listed = ", ".join(service.service for service in services[:6]) + (" and others" if services[6:] else "")
        return f"`{name}` is a tool of {listed}; name its server too: `mcp__{services[0].names[0]}__{name}`"
    words = (function_names(), PROGRAMS) if "." in name else (PROGRAMS, function_names())
    near = near_miss(name, words[0]) or near_miss(name, words[1])
    return f"`{name}` is not described{near or '; `interlock knowledge list` lists what is'}"


def _show_added(added: KnowledgeFile, name: str, commands: Sequence[str]) -> None:
    """Show what a file in the workspace adds to a program: to one command, or to every call."""
    command: Command | None = added.content if isinstance(added.content, Program) else None
    depth = 0
    while command is not None and depth < len(commands) and commands[depth] in command.subcommands:
        command, depth = command.subcommands[commands[depth]], depth + 1
    console().print(Text("added by a file in the workspace", "bold"))
    _show_file(added, name, commands[:depth])


def _show_file(found: KnowledgeFile, name: str, commands: Sequence[str]) -> None:
    """Show a program, one of its commands, or a tool."""
    if isinstance(found.content, ToolFile):
        _show_tool(found.file, name, _tool_in(found.content, name))
    elif isinstance(found.content, Program):
        command: Command = found.content
        for at, word in enumerate(commands):
            title = " ".join([name, *commands[:at]])
            if word not in command.subcommands and found.content.client:
                _show_client_call(found.file, found.content, [name, *commands])
                return
            if word not in command.subcommands and command.otherwise is not None:
                note = f"`{title}` has no described command `{word}`{near_miss(word, command.subcommands)}"
                console().print(Text(f"{note}\nAny command that is not described is read like this:", "yellow"))
                _show_command(found, found.content, command.otherwise, f"{title} {word}")
                return
            command = _subcommand(command, word, title)
        _show_command(found, found.content, command, " ".join([name, *commands]))


def _find(name: str, files: Sequence[KnowledgeFile]) -> KnowledgeFile | None:
    """Return the file that describes a program or a tool: one of the user's own, a shipped one, or any other."""
    named = [one for one in files if isinstance(one.content, Program | ToolFile) and name in names_in(one)]
    for one in reversed(named):
        if one.own:
            return one
    if name not in PROGRAMS:
        return named[-1] if named else _find_service(name)
    file = FOLDER / PROGRAMS.index.files[PROGRAMS.numbers[name]]
    return KnowledgeFile(str(file), read_program(read_text(file), str(file)), own=True)


def _find_service(name: str) -> KnowledgeFile | None:
    """Return the shipped file that describes a tool of a service."""
    known = find_tool(name)
    if known is None:
        return None
    file = FOLDER / PROGRAMS.index.files[known.number]
    return KnowledgeFile(str(file), read_service(read_text(file), str(file)), own=True)


def names_in(known: KnowledgeFile) -> tuple[str, ...]:
    """Return the names that a file describes."""
    if isinstance(known.content, Program):
        return known.content.names
    if isinstance(known.content, FunctionFile):
        return tuple(name for function in known.content.functions for name in function.names)
    if isinstance(known.content, CmdletFile):
        return tuple(name for cmdlet in known.content.cmdlets for name in cmdlet.names)
    return tuple(name for key, tool in known.content.all_tools.items() for name in (key, *tool.also))


def _subcommand(command: Command, word: str, title: str) -> Command:
    found = command.subcommands.get(word) or command.otherwise
    if found is None:
        known = command.subcommands
        raise InterlockError(f"`{title}` has no command `{word}`{nearest(word, known) if known else ''}")
    return found


def _show_command(known: KnowledgeFile, program: Program, command: Command, title: str) -> None:
    rows: Rows = [("program", Text(title, "bold"))]
    if program.draft:
        rows.append(("draft", "changes nothing until `draft = true` is removed"))
    if len(program.names) > 1:
        rows.append(("names", ", ".join(program.names)))
    rows += [(label, value) for label, value in (("docs", program.docs), ("file", known.file)) if value]
    rows += list(_meaning_rows(command))
    rows += _label("options", [_option_text(*item) for item in command.options.items()])
    rows += _label("commands", list(_command_lines(command)))
    if command is program:
        rows += _client_rows(program)
        rows += _label("also", [*map(_condition_text, program.when), *map(_phrase_text, program.phrases)])
    rows += _example_rows(command)
    _print(rows)


def _print(rows: Rows) -> None:
    out = console()
    out.print()
    out.print(pairs(rows))
    out.print()


def _label(label: str, values: Iterable[str | Text]) -> Rows:
    """Return a row for each value, of which the first has the label."""
    return [(label if not at else "", value) for at, value in enumerate(values)]


def _meaning_rows(command: Command) -> Iterator[tuple[str, str]]:
    if command.does:
        yield "does", f"{command.does}: {KINDS[command.does].says}"
    for flag in command.flags:
        yield "flag", f"{flag}: {FLAGS[flag]}"
    if command.operands:
        yield "operands", " ".join([*command.operands.first, *_rest(command), *command.operands.last])
    if command.stdin:
        yield "stdin", f"{command.stdin} code"


def _rest(command: Command) -> list[str]:
    return [f"{command.operands.rest} …"] if command.operands.rest else []


def _client_rows(program: Program) -> Rows:
    """Return how the commands of a client are read: by a verb, except for those that are listed."""
    client = program.client
    if client is None:
        return []
    kinds = f"{client.reads}, {client.changes} or {client.destroys}"
    rows: Rows = [("commands", f"a verb among the first words of a command says what it does: {kinds}")]
    rows += [
        ("", _assemble(", ".join(call.keys) or "without a command", call.makes, call.flags, call.value))
        for call in program.calls
    ]
    values = (_assemble(f"{', '.join(one.options)} {one.matches}", "", one.flags, "") for one in program.values)
    return [*rows, *_label("values", values)]


def _show_client_call(file: str, program: Program, words: list[str]) -> None:
    """Show what a command of a client does, whose meaning follows from its words."""
    rows: Rows = [("program", Text(" ".join(words), "bold")), ("file", file)]
    effects = [describe_effect(effect) for effect in effects_of(shlex.join(words))]
    rows += _label("does", [f"{effect.does}: {KINDS[effect.does].says}" for effect in effects])
    rows += [("flag", f"{flag}: {FLAGS[flag]}") for flag in sorted({flag for one in effects for flag in one.flags})]
    start = [*words[1:]]
    examples = [one for one in program.examples if " ".join(start) in one.run]
    rows += _label("examples", [_example_text(one.run, one.effects) for one in examples])
    _print(rows)


def _option_text(names: str, option: Option) -> Text:
    return _assemble(names.replace(" ", ", "), option.makes, option.flags, option.value)


def _assemble(title: str, makes: str, flags: Iterable[str], value: str) -> Text:
    """Return what an option or a command of a client means."""
    parts = [f"takes {value}"] if value else []
    parts += [f"makes it {makes}"] if makes else []
    parts += [f"flag {flag}" for flag in flags]
    return Text.assemble((title, "cyan"), "  ", ", ".join(parts) or "a switch")


def _condition_text(when: When) -> Text:
    """Return an effect with the conditions under which a call has it."""
    given = [f"{key} {' or '.join(words)}" for key in _CONDITIONS if (words := getattr(when, key))]
    return _effect_text(when, f"  with {'; '.join(given)}")


def _phrase_text(phrase: Phrase) -> Text:
    """Return an effect with the pattern of the arguments of calls that have it."""
    return _effect_text(phrase, f"  if the arguments match {phrase.matches}")


def _effect_text(found: When | Phrase, given: str) -> Text:
    return Text.assemble((found.does, "cyan"), *(f", {flag}" for flag in found.flags), given)


_CONDITIONS = (
    *("programs", "commands", "without_commands", "options", "without", "words", "without_words"),
    *("values", "value_in", "not_values", "not_in", "operand_in"),
)


def _example_rows(command: Command) -> Rows:
    return _label("examples", [_example_text(one.run, one.effects) for one in command.examples])


def _example_text(run: str, effects: Sequence[ExampleEffect]) -> Text:
    """Return a call with what it does."""
    shown = "; ".join(" ".join(filter(None, (one.does, one.on, *one.flags))) for one in effects)
    return Text.assemble((run, "green"), (f"  → {shown or 'nothing'}", "dim"))


def _command_lines(command: Command) -> Iterator[Text]:
    for name, sub in command.commands.items():
        more = f" (and {len(sub.also)} more)" if len(sub.also) > 3 else "".join(f", {other}" for other in sub.also)
        yield Text.assemble((name + more, "cyan"), "  ", summarise(sub))
    for label, part in (("without a command", command.alone), ("any other", command.otherwise)):
        if part is not None:
            yield Text.assemble((label, "dim"), "  ", summarise(part))


def summarise(command: Command) -> str:
    """Return in a few words what a command does."""
    if command.commands:
        return f"{len(command.subcommands)} commands"
    if isinstance(command, Program) and command.client:
        return "a client of a service"
    if command.does or command.operands:
        return command.does or " ".join(command.operands.roles)
    return "read by code" if isinstance(command, Program) and not READERS.keys().isdisjoint(command.names) else "reads"


def _tool_in(described: ToolFile, name: str) -> Tool:
    """Return the tool of a name, with or without that of its service."""
    for key, tool in described.all_tools.items():
        if name in (key, *tool.also):
            return tool
    known, tools = find_tool(name), index_tools(described)
    if known is None:
        raise InterlockError(f"`{name}` is not described")
    return tools[known.key]


def _show_tool(file: str, name: str, tool: Tool) -> None:
    rows: Rows = [("tool", Text(name, "bold")), ("file", file)]
    rows.append(("does", f"{tool.does}: {KINDS[tool.does].says}"))
    rows += [("flag", f"{flag}: {FLAGS[flag]}") for flag in tool.flags]
    rows += _label("arguments", [f"{key}  {role}" for key, role in tool.arguments.items()])
    rows += _label(
        "operations",
        [
            " ".join((f"{argument} {values} ", done.does, *done.flags))
            for argument, operations in tool.operations.items()
            for values, done in ((values, read_operation(told)) for values, told in operations.items())
        ],
    )
    rows += _label("when", list(map(_describe_tool_condition, tool.when)))
    rows += _label("examples", [_call_text(one.call, one.effects) for one in tool.examples])
    rows += _label("asks", [_call_text(call) for call in tool.asks])
    rows += _label("passes", [_call_text(call) for call in tool.passes])
    _print(rows)


def _describe_tool_condition(condition: ToolCondition) -> str:
    """Return the conditions of an effect, and the effect."""
    given = " ".join([*condition.arguments, *(["=", *condition.values] if condition.values else [])])
    holds = " ".join(filter(None, [given, *(f"without {name}" for name in condition.without)]))
    return f"{holds}  {' '.join((condition.does, *condition.flags))}"


def _call_text(call: dict[str, Any], effects: Sequence[ExampleEffect] | None = None) -> Text:
    shown = json.dumps(call, ensure_ascii=False)
    return Text(shown, "green") if effects is None else _example_text(shown, effects)

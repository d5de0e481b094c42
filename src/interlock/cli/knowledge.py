"""`interlock knowledge`: show and list descriptions, and the words of their notation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from interlock.cli.functions import find_functions, function_names, list_shipped_functions, show_function
from interlock.config.load import load
from interlock.effects import KINDS
from interlock.errors import InterlockError, near_miss, nearest
from interlock.flags import FLAGS
from interlock.knowledge.artefact import FOLDER as SHIPPED
from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.cmdlet import CMDLET_RESULTS, CMDLET_ROLES, CmdletFile
from interlock.knowledge.command import Command, Option, Program, When
from interlock.knowledge.extension import Description, KnowledgeFile
from interlock.knowledge.function import FunctionFile
from interlock.knowledge.function_words import ARGUMENTS, COMPUTED, FUNCTION_ROLES, PYTHON_READERS, SCRIPT_READERS
from interlock.knowledge.roles import LANGUAGES, ROLES
from interlock.knowledge.sources import read_program, read_text
from interlock.knowledge.tool import ToolFile
from interlock.knowledge.values import VALUE_GROUPS
from interlock.show import console, pairs

FOLDER = Path(SHIPPED)


def show(name: str, commands: Sequence[str], *, source: bool) -> int:
    """Show what is known about a program, one of its commands, a described tool, or a function."""
    own = load().knowledge
    found = _find(name, own)
    added = [one for one in own if not one.own and one is not found and name in _names(one)]
    functions = [] if commands else find_functions(name, own)
    if found is None and not functions:
        words = (function_names(), PROGRAMS) if "." in name else (PROGRAMS, function_names())
        near = near_miss(name, words[0]) or near_miss(name, words[1])
        hint = near or "; `interlock knowledge list` lists what is"
        raise InterlockError(f"`{name}` is not described{hint}")
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
        _show_tool(found.file, name, found.content)
    elif isinstance(found.content, Program):
        command: Command = found.content
        for at, word in enumerate(commands):
            title = " ".join([name, *commands[:at]])
            if word not in command.subcommands and command.otherwise is not None:
                note = f"`{title}` has no described command `{word}`{near_miss(word, command.subcommands)}"
                console().print(Text(f"{note}\nAny command that is not described is read like this:", "yellow"))
                _show_command(found, found.content, command.otherwise, f"{title} {word}")
                return
            command = _subcommand(command, word, title)
        _show_command(found, found.content, command, " ".join([name, *commands]))


def _find(name: str, files: Sequence[KnowledgeFile]) -> KnowledgeFile | None:
    """Return the file that describes a program or a tool: one of the user's own, a shipped one, or any other."""
    named = [one for one in files if isinstance(one.content, Program | ToolFile) and name in _names(one)]
    for one in reversed(named):
        if one.own:
            return one
    if name not in PROGRAMS:
        return named[-1] if named else None
    file = FOLDER / PROGRAMS.index.files[PROGRAMS.numbers[name]]
    return KnowledgeFile(str(file), read_program(read_text(file), str(file)), own=True)


def _names(known: KnowledgeFile) -> tuple[str, ...]:
    if isinstance(known.content, Program):
        return known.content.names
    if isinstance(known.content, FunctionFile):
        return tuple(name for function in known.content.functions for name in function.names)
    if isinstance(known.content, CmdletFile):
        return tuple(name for cmdlet in known.content.cmdlets for name in cmdlet.names)
    return tuple(name for key, tool in known.content.tools.items() for name in (key, *tool.also))


def _subcommand(command: Command, word: str, title: str) -> Command:
    found = command.subcommands.get(word) or command.otherwise
    if found is None:
        known = command.subcommands
        raise InterlockError(f"`{title}` has no command `{word}`{nearest(word, known) if known else ''}")
    return found


def _show_command(known: KnowledgeFile, program: Program, command: Command, title: str) -> None:
    out = console()
    rows: list[tuple[str, str | Text]] = [("program", Text(title, "bold"))]
    if len(program.names) > 1:
        rows.append(("names", ", ".join(program.names)))
    rows += [(label, value) for label, value in (("docs", program.docs), ("file", known.file)) if value]
    rows += list(_meaning_rows(command))
    if program.client and command is program:
        rows.append(("client", "one of its words is a verb that says what it does"))
    rows += [("options" if not at else "", _option_text(*item)) for at, item in enumerate(command.options.items())]
    rows += [("commands" if not at else "", text) for at, text in enumerate(_command_lines(command))]
    for at, when in enumerate(program.when if command is program else ()):
        rows.append(("also" if not at else "", _condition_text(when)))
    for at, example in enumerate(command.examples):
        rows.append(("examples" if not at else "", Text(example.run, "green")))
    out.print()
    out.print(pairs(rows))
    out.print()


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


def _option_text(names: str, option: Option) -> Text:
    parts = [f"takes {option.value}"] if option.value else []
    parts += [f"makes it {option.makes}"] if option.makes else []
    parts += [f"flag {flag}" for flag in option.flags]
    return Text.assemble((names.replace(" ", ", "), "cyan"), "  ", ", ".join(parts) or "a switch")


def _condition_text(when: When) -> Text:
    """Return an effect with the conditions under which a call has it."""
    given = [f"{key} {' or '.join(words)}" for key in _CONDITIONS if (words := getattr(when, key))]
    return Text.assemble((when.does, "cyan"), *(f", {flag}" for flag in when.flags), "  with ", "; ".join(given))


_CONDITIONS = ("programs", "commands", "options", "without", "words", "values", "value_in", "not_in")


def _command_lines(command: Command) -> Iterator[Text]:
    for name, sub in command.commands.items():
        more = f" (and {len(sub.also)} more)" if len(sub.also) > 3 else "".join(f", {other}" for other in sub.also)
        yield Text.assemble((name + more, "cyan"), "  ", _summary(sub))
    for label, part in (("without a command", command.alone), ("any other", command.otherwise)):
        if part is not None:
            yield Text.assemble((label, "dim"), "  ", _summary(part))


def _show_tool(file: str, name: str, described: ToolFile) -> None:
    tool = next(tool for key, tool in described.tools.items() if name in (key, *tool.also))
    rows: list[tuple[str, str | Text]] = [("tool", Text(name, "bold")), ("file", file)]
    rows.append(("does", f"{tool.does}: {KINDS[tool.does].says}"))
    rows += [("flag", f"{flag}: {FLAGS[flag]}") for flag in tool.flags]
    rows += [("arguments" if not at else "", f"{key}  {role}") for at, (key, role) in enumerate(tool.arguments.items())]
    rows += [
        (title, f"{argument} {values or '(not given)'}  {kind}")
        for title, by_argument in (("operations", tool.operations), ("adds", tool.adds))
        for argument, kinds in by_argument.items()
        for values, kind in kinds.items()
    ]
    console().print(pairs(rows))


def list_programs(word: str, *, yours: bool, unchecked: bool) -> int:
    """List descriptions by topic."""
    out = console()
    table = Table(box=None, header_style="dim")
    for title in ("topic", "names", "does"):
        table.add_column(title, overflow="fold")
    count = names = 0
    functions = () if yours or unchecked else list_shipped_functions(word)
    for topic, known, does in (*_find_descriptions(word, yours, unchecked), *functions):
        shown = ", ".join(known[:6]) + (f" and {len(known) - 6} more" if len(known) > 6 else "")
        table.add_row(topic, shown, does)
        count, names = count + 1, names + len(known)
    out.print(table)
    found = f"{count} {'description' if count == 1 else 'descriptions'}, {names} {'name' if names == 1 else 'names'}"
    out.print(Text(f"\n  {found}; `interlock knowledge show NAME` shows one", "dim"))
    return 0


def _summary(command: Command) -> str:
    """Return in a few words what a command does."""
    if command.commands:
        return f"{len(command.subcommands)} commands"
    return command.does or " ".join(command.operands.roles) or "read by code"


def _find_descriptions(word: str, yours: bool, unchecked: bool) -> Iterator[tuple[str, Sequence[str], str]]:
    """Yield the topic and the names of each description in which a word stands, and in a few words what it does."""
    for topic, content, names in _descriptions(yours):
        if unchecked and isinstance(content, Program) and content.checked:
            continue
        if not word or word in topic or any(word in name for name in names):
            yield topic, names, _content_summary(content)


def _content_summary(content: Description) -> str:
    if isinstance(content, Program):
        return _summary(content)
    if isinstance(content, CmdletFile):
        return "cmdlets"
    return "functions" if isinstance(content, FunctionFile) else "tools"


def _descriptions(yours: bool) -> Iterator[tuple[str, Description, Sequence[str]]]:
    for own in load().knowledge:
        yield "draft" if own.is_draft else "yours" if own.own else "workspace", own.content, _names(own)
    if yours:
        return
    files = PROGRAMS.index.files
    seen: set[int] = set()
    for name, number in sorted(PROGRAMS.numbers.items(), key=lambda item: files[item[1]]):
        if number not in seen:
            seen.add(number)
            program = PROGRAMS[name]
            yield files[number].split("/")[1], program, program.names


def words(word: str) -> int:
    """List kinds, flags and roles with what they mean."""
    out = console()
    roles = {**ROLES, "code:LANGUAGE": f"Program text, in one of: {', '.join(sorted(LANGUAGES))}."}
    kinds = {name: kind.says for name, kind in KINDS.items()}
    found = 0
    for title, listed in (
        ("kinds of effects", kinds),
        ("flags", FLAGS),
        ("roles (kinds of effects too)", roles),
        ("groups of values in conditions", {name: group.meaning for name, group in VALUE_GROUPS.items()}),
        ("arguments of functions", ARGUMENTS),
        ("roles of their arguments (kinds of effects and code:LANGUAGE too)", FUNCTION_ROLES),
        ("roles of parameters of cmdlets (kinds of effects and code:LANGUAGE too)", CMDLET_ROLES),
        ("results of cmdlets", CMDLET_RESULTS),
        ("computed results of functions", COMPUTED),
        ("readers of functions in Python", PYTHON_READERS),
        ("readers of functions in other languages", SCRIPT_READERS),
    ):
        rows = [
            (name, says)
            for name, says in listed.items()
            if not word or name.startswith(word) or word.lower() in says.lower()
        ]
        found += len(rows)
        if rows:
            out.print(Text(f"\n{title}", "bold"))
            out.print(pairs(rows))
    if not found:
        raise InterlockError(f"no word or meaning matches `{word}`; `interlock knowledge words` lists them all")
    return 0

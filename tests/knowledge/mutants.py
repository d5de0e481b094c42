"""Mutants of the knowledge: each entry of each description is emptied in turn, and an example has to notice.

Run it with `make mutants`. An entry is a command with all that it says itself (what it does, its flags, operands and
options together; one that reads the system is made to run something instead), an option that means something with all
of its spellings, a call of a client, a value of an option, a condition, or a phrase; the description of a function;
that of a cmdlet; or what the tool of a service does, its flags, and the role of each of its arguments. Single words of
programs are in `fine_mutants.py`. Tables, switches without a meaning and options whose value is plain data have no
mutants.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from interlock.analyse.examples import find_broken_code_examples, find_broken_examples, list_examples
from interlock.knowledge import artefact
from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.cmdlet import Cmdlet, CmdletFile
from interlock.knowledge.command import Command, Example, Operands, Option, Program
from interlock.knowledge.function import Function, FunctionFile
from interlock.knowledge.sources import read_cmdlets, read_functions, read_program, read_service, read_text
from tests.knowledge.service_mutants import tool_entries, tool_survivors

FOLDER = Path(artefact.FOLDER)
ALONE, OTHERWISE = "<alone>", "<otherwise>"
#: What a description has lists of → the key of the list.
_LISTS = {"call": "calls", "value": "values", "condition": "when", "phrase": "phrases"}
Described = TypeVar("Described", bound=Command)


class Entry(NamedTuple):
    """Something that a description says: of which kind, on which command, and under which key."""

    kind: str
    path: tuple[str, ...] = ()
    key: str | int = ""

    def __str__(self) -> str:
        return f"{self.kind} {' '.join(self.path)} {self.key}".strip()


def entries(program: Program) -> Iterator[Entry]:
    """Return everything that a description says."""
    yield from _command_entries(program, ())
    for kind, field in _LISTS.items():
        yield from (Entry(kind, (), at) for at in range(len(getattr(program, field))))


def _command_entries(command: Command, path: tuple[str, ...]) -> Iterator[Entry]:
    if _empty(command) != msgspec.structs.replace(command, options={}, examples=()):
        yield Entry("command", path)
    for names, option in command.options.items():
        if option not in (Option(), Option(value="data"), Option(value="data", optional=True)):
            yield Entry("option", path, names)
    for name, sub in command.commands.items():
        yield from _command_entries(sub, (*path, name))
    for label, part in ((ALONE, command.alone), (OTHERWISE, command.otherwise)):
        if part is not None:
            yield from _command_entries(part, (*path, label))


def _empty(command: Described) -> Described:
    """Return a description that says nothing about the command itself, and leaves its subcommands as they are.

    A command about which nothing is said reads the system. One that is described as doing just that runs something.
    """
    return msgspec.structs.replace(
        command,
        does="process.run" if command.does == "system.read" else "",
        flags=(),
        operands=Operands(),
        default_operand="",
        without_operands="",
        stdin="",
        filters=False,
        operands_before_command=0,
        options={},
        examples=(),
    )


def mutate(program: Program, entry: Entry) -> Program:
    """Return a description with one entry emptied."""
    if entry.kind in ("command", "option"):
        return _mutate_command(program, entry)
    field = _LISTS[entry.kind]
    left = [one for at, one in enumerate(getattr(program, field)) if at != entry.key]
    return msgspec.structs.replace(program, **{field: tuple(left)})


def _mutate_command(program: Program, entry: Entry) -> Program:
    def empty(command: Described) -> Described:
        if entry.kind == "command":
            return _empty(command)
        left = {names: option for names, option in command.options.items() if names != entry.key}
        return msgspec.structs.replace(command, options=left)

    return change_command(program, entry.path, empty)


def change_command(command: Described, path: tuple[str, ...], change: Callable[[Any], Any]) -> Described:
    """Return a description in which the command at a path is changed."""
    if not path:
        changed: Described = change(command)
        return changed
    first, rest = path[0], path[1:]
    if first in (ALONE, OTHERWISE):
        label = first.strip("<>")
        return msgspec.structs.replace(command, **{label: change_command(getattr(command, label), rest, change)})
    sub = change_command(command.commands[first], rest, change)
    return msgspec.structs.replace(command, commands={**command.commands, first: sub})


@cache
def load_programs() -> None:
    """Decode every program, so that nothing is compiled anew while a mutant is in place."""
    for name in PROGRAMS:
        PROGRAMS.find(name)


def is_noticed(program: Program, mutant: Program, words: Iterable[str]) -> bool:
    """Whether an example of a program notices a mutant; those with most of the words are tried first."""
    looked_for = frozenset(words)

    def lacks(example: Example) -> int:
        return len(looked_for.difference(example.run.split()))

    examples = sorted((example for _, example in list_examples(program)), key=lacks)
    alone = Program(names=program.names, examples=tuple(examples))
    with PROGRAMS.swap(mutant):
        return any(True for _ in find_broken_examples(alone))


def survivors(program: Program) -> Iterator[Entry]:
    """Return the entries that no example misses."""
    load_programs()
    for entry in entries(program):
        if not is_noticed(program, mutate(program, entry), (*entry.path, *str(entry.key).split())):
            yield entry


def function_entries(described: FunctionFile) -> Iterator[Function]:
    """Return the descriptions of functions that say something."""
    silent = (Function(names=one.names, examples=one.examples) for one in described.functions)
    return (one for one, empty in zip(described.functions, silent, strict=True) if one != empty)


def function_survivors(described: FunctionFile) -> Iterator[Function]:
    """Return the functions whose description no example misses."""
    load_programs()
    PROGRAMS.functions(described.language)
    for function in function_entries(described):
        with PROGRAMS.swap_function(described.language, Function(names=function.names)):
            if not any(True for _ in find_broken_code_examples(function.examples, described.language)):
                yield function


def cmdlet_survivors(described: CmdletFile) -> Iterator[Cmdlet]:
    """Return the cmdlets whose description no example misses. One that reads the system runs something instead."""
    load_programs()
    PROGRAMS.cmdlets()
    for cmdlet in described.cmdlets:
        does = "process.run" if cmdlet.does == "system.read" else ""
        with PROGRAMS.swap_cmdlet(Cmdlet(names=cmdlet.names, does=does)):
            if not any(True for _ in find_broken_code_examples(cmdlet.examples, "powershell")):
                yield cmdlet


def try_file(file: Path) -> tuple[int, list[str]]:
    """Try every mutant of a file; return how many there are, and which survive."""
    if file.is_relative_to(FOLDER / "functions"):
        described = read_functions(read_text(file), str(file))
        alive = [f"function {one.names[0]}" for one in function_survivors(described)]
        return sum(1 for _ in function_entries(described)), alive
    if file.is_relative_to(FOLDER / "cmdlets"):
        cmdlets = read_cmdlets(read_text(file), str(file))
        return len(cmdlets.cmdlets), [f"cmdlet {one.names[0]}" for one in cmdlet_survivors(cmdlets)]
    if file.is_relative_to(FOLDER / "services"):
        service = read_service(read_text(file), str(file))
        return sum(1 for _ in tool_entries(service)), [str(entry) for entry in tool_survivors(service)]
    program = read_program(read_text(file), str(file))
    return sum(1 for _ in entries(program)), [str(entry) for entry in survivors(program)]


def main(parts: tuple[str, ...] = ("cmdlets", "functions", "programs", "services")) -> int:
    """Try every mutant, and say which survive."""
    count = alive = 0
    for file in (file for part in parts for file in sorted((FOLDER / part).rglob("*.toml"))):
        tried, found = try_file(file)
        count, alive = count + tried, alive + len(found)
        for entry in found:
            sys.stdout.write(f"{file.relative_to(FOLDER)}: no example misses the {entry}\n")
    sys.stdout.write(f"{count - alive} of {count} entries are missed by an example when they are emptied\n")
    return int(alive > 0)


if __name__ == "__main__":
    sys.exit(main())

"""Mutants of the knowledge: each entry of each description is emptied in turn, and an example has to notice.

Run it with `make mutants`. An entry is a command, an option that means something, a call of a client, a value of an
option, or a phrase.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from interlock.analyse.examples import broken_examples
from interlock.knowledge import artefact
from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.command import Command, Operands, Option, Program
from interlock.knowledge.sources import read_program, read_text

FOLDER = Path(artefact.FOLDER)
ALONE, OTHERWISE = "<alone>", "<otherwise>"
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
    for kind, listed in (("call", program.calls), ("value", program.values), ("phrase", program.phrases)):
        yield from (Entry(kind, (), at) for at in range(len(listed)))


def _command_entries(command: Command, path: tuple[str, ...]) -> Iterator[Entry]:
    if msgspec.structs.replace(_empty(command), flags=()) != msgspec.structs.replace(command, options={}, examples=()):
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
    """Return a description that says nothing about the command itself, and leaves its subcommands as they are."""
    return msgspec.structs.replace(
        command,
        does="",
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
        return _mutate_command(program, entry.path, entry)
    field = f"{entry.kind}s"
    left = [one for at, one in enumerate(getattr(program, field)) if at != entry.key]
    return msgspec.structs.replace(program, **{field: tuple(left)})


def _mutate_command(command: Described, path: tuple[str, ...], entry: Entry) -> Described:
    if not path:
        if entry.kind == "command":
            return _empty(command)
        return msgspec.structs.replace(
            command, options={names: option for names, option in command.options.items() if names != entry.key}
        )
    first, rest = path[0], path[1:]
    if first in (ALONE, OTHERWISE):
        label = first.strip("<>")
        return msgspec.structs.replace(command, **{label: _mutate_command(getattr(command, label), rest, entry)})
    sub = _mutate_command(command.commands[first], rest, entry)
    return msgspec.structs.replace(command, commands={**command.commands, first: sub})


def survivors(program: Program) -> Iterator[Entry]:
    """Return the entries that no example misses."""
    for entry in entries(program):
        with PROGRAMS.swap(mutate(program, entry)):
            if not any(True for _ in broken_examples(program)):
                yield entry


def main(folder: Path = FOLDER / "programs") -> int:
    """Try every mutant, and say which survive."""
    count = alive = 0
    for file in sorted(folder.rglob("*.toml")):
        program = read_program(read_text(file), str(file))
        count += sum(1 for _ in entries(program))
        for entry in survivors(program):
            alive += 1
            print(f"{file.relative_to(folder)}: no example misses the {entry}")
    print(f"{count - alive} of {count} entries are missed by an example when they are emptied")
    return int(alive > 0)


if __name__ == "__main__":
    sys.exit(main())

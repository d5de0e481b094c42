"""Commands and variables that change something for the later commands of a run, by `run-switches.toml`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cache

import msgspec

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.run_switches import RunSwitches, Setting, SwitchCommand
from interlock.memory.calls.command_lines import CommandLine, exported_variables, name_of, read_command_line
from interlock.model import Analysis, ProgramCall

#: The client of variables that belong to no other.
ENVIRONMENT = "environment"
_ANY = "*"
MAX_CLIENT = 40


class Switch(msgspec.Struct, frozen=True):
    """Something that a command or a variable sets for later commands.

    `text` is the command or the assignment; `client` the client whose settings it changes, empty if it is none.
    """

    sets: Setting
    text: str
    client: str = ""
    line: CommandLine | None = None  # None for a variable


@cache
def switch_table() -> RunSwitches:
    """Return what is known of such commands and variables."""
    return read_table("run-switches", RunSwitches)


def find_switches(analysis: Analysis) -> Iterator[Switch]:
    """Yield what the commands of an action set for later ones."""
    for call in analysis.commands:
        if may_switch(call):
            yield from _find_by_command(call)
            for name, value in exported_variables(call):
                yield from _find_by_variable(name, value)


def sets_target(call: ProgramCall) -> bool:
    """Whether a program only says which system later commands work on."""
    return may_switch(call) and any(one.sets == "target" for one in _find_by_command(call))


def may_switch(call: ProgramCall) -> bool:
    """Whether a program is one that sets something for later ones, by its name or its words."""
    known = _index()
    name = name_of(call)
    return name in known.programs or name[:1] == "$" or not known.first_words.isdisjoint(call.words)


class _Index(msgspec.Struct, frozen=True):
    """The table by program; `first_words` are those of commands of any program."""

    programs: dict[str, tuple[SwitchCommand, ...]]
    first_words: frozenset[str]
    everyone: tuple[SwitchCommand, ...]
    clients: dict[str, frozenset[str]]


@cache
def _index() -> _Index:
    table = switch_table()
    programs: dict[str, tuple[SwitchCommand, ...]] = dict.fromkeys(("export", "set", "setx", "setenv"), ())
    for one in table.commands:
        for program in one.programs:
            programs[program] = (*programs.get(program, ()), one)
    everyone = programs.pop(_ANY)
    first = frozenset(word for one in everyone for word in (*(each.split()[0] for each in one.words), *one.options))
    return _Index(programs, first, everyone, {one.name: frozenset(one.programs) for one in table.clients})


def _find_by_command(call: ProgramCall) -> Iterator[Switch]:
    known, line = _index(), read_command_line(call)
    entries = known.programs.get(line.program, ())
    if line.program[:1] == "$":  # an unknown program may be any that takes such words
        entries = tuple(one for one in switch_table().commands if any(" " in words for words in one.words))
    found = [one for one in entries if _matches(one, line)] or [one for one in known.everyone if _matches(one, line)]
    own = line.program if len(line.program) <= MAX_CLIENT else ""
    for one in found:
        yield Switch(one.sets, line.text, one.client or own, line)


def _matches(command: SwitchCommand, line: CommandLine) -> bool:
    if command.options and not any(name in line.options for name in command.options):
        return False
    if any(name in line.options for name in command.without):
        return False
    if command.most and len(line.operands) > command.most:
        return False
    if command.words and not any(line.begins_with(*words.split()) for words in command.words):
        return False
    values = (*(line.options.get(name, "") for name in command.options or line.options), *line.plain_operands)
    if _has_match(values, command.unless):
        return False
    return not command.values or _has_match(values, command.values)


def _has_match(values: Iterable[str], patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(value.lower(), pattern) for value in values for pattern in patterns)


def _find_by_variable(name: str, value: str) -> Iterator[Switch]:
    """Yield what a variable sets for the commands that get it."""
    table, text = switch_table(), f"{name}={value}"
    if not value:
        return
    for one in table.variables:
        if any(fnmatchcase(name, pattern) for pattern in one.names):
            yield Switch(one.sets, text, one.programs[0] if one.programs else _client_of_variable(name))
    client = _client_of_variable(name)
    if client:
        yield Switch("target", text, client)


def _client_of_variable(name: str) -> str:
    """Return the client whose target a variable sets, or an empty text."""
    table = switch_table()
    for client in table.clients:
        if any(fnmatchcase(name, pattern) for pattern in client.variables):
            return client.name
    names = name.upper()
    is_location = any(fnmatchcase(names, pattern) for pattern in table.environment.locations)
    return ENVIRONMENT if is_location and not any(fnmatchcase(names, one) for one in table.environment.others) else ""


def programs_of_client(client: str) -> frozenset[str]:
    """Return the programs that work on what is set for a client."""
    if client == ENVIRONMENT:
        return frozenset(switch_table().environment.programs)
    return _index().clients.get(client) or frozenset({client})

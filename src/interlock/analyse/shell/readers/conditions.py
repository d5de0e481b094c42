"""Effects that depend on several arguments of a program, checked before the program is read as usual."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from interlock.analyse.flow import Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.command import Phrase, Program, When
from interlock.patterns import Searcher, searcher

MAX_TEXT = 2000
ProgramReader = Callable[[ShellCall], Flow]
#: Makes a search of a regular expression: in bounded time for that of a user's file, which an agent may have written.
MakeSearch = Callable[[str], Callable[[str], object]]


def read_program(call: ShellCall, program: Program) -> Flow:
    """Analyse a call by a user's description: its conditions, then as a service client or by its options."""
    from interlock.analyse.shell.readers.service_clients import read_client

    _emit_conditional(call, program, _bounded_search)
    return read_client(call, program) if program.client else read(call, program)


def conditional_reader(name: str, readers: Mapping[str, ProgramReader]) -> ProgramReader:
    """Return a reader that checks the conditions of a program, then calls its own reader if there is one."""

    def reader(call: ShellCall) -> Flow:
        program, inner = PROGRAMS[name], readers.get(name)
        _emit_conditional(call, program, _plain_search)
        return inner(call) if inner else read(call, program)

    return reader


@lru_cache(maxsize=256)
def _bounded_search(pattern: str) -> Searcher:
    return searcher(pattern, "a condition", ignore_case=False)


@lru_cache(maxsize=1024)
def _plain_search(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern).search


def _emit_conditional(call: ShellCall, program: Program, search: MakeSearch) -> None:
    text = " ".join(call.words[1:])[:MAX_TEXT]
    for found in _find_conditional(call, program, text, search):
        call.scope.reading.emit(found.does, call.site, text, frozenset(found.flags))


def _find_conditional(call: ShellCall, program: Program, text: str, search: MakeSearch) -> Iterator[When | Phrase]:
    """Yield the conditions that hold for a call, and the phrases that match it."""
    mine = [one for one in program.when if _is_for(call.program, one, program) and _may_hold(one, call.words, program)]
    if mine:
        from interlock.analyse.shell.given_arguments import GivenArguments, holds  # few calls have any

        given = GivenArguments(call.words, program)
        yield from (condition for condition in mine if holds(condition, given, search))
    for phrase in program.phrases:
        if _is_for(call.program, phrase, program) and search(phrase.matches)(text):
            yield phrase


def _may_hold(condition: When, words: Sequence[str], program: Program) -> bool:
    """Whether the first word of a command that a condition names is given at all."""
    commands = condition.commands
    return not commands or program.syntax == "windows" or any(name.split()[0] in words for name in commands)


def _is_for(name: str, found: When | Phrase, program: Program) -> bool:
    return name in (found.programs or program.names)

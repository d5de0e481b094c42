"""Effects that depend on several arguments of a program, checked before the program is read as usual."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache

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

    @cache
    def find_own() -> ProgramReader | None:
        return readers.get(name)

    def reader(call: ShellCall) -> Flow:
        program = PROGRAMS[name]
        if program.when or program.phrases_by_name.get(call.program):
            _emit_conditional(call, program, _plain_search)
        own = find_own()
        return own(call) if own else read(call, program)

    return reader


@lru_cache(maxsize=256)
def _bounded_search(pattern: str) -> Searcher:
    return searcher(pattern, "a condition", ignore_case=False)


@lru_cache(maxsize=1024)
def _plain_search(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern).search


def _emit_conditional(call: ShellCall, program: Program, search: MakeSearch) -> None:
    text = " ".join(call.words[1:])[:MAX_TEXT]
    found = (
        (condition.does, frozenset(condition.flags)) for condition in _find_conditional(call, program, text, search)
    )
    for kind, flags in dict.fromkeys(found):
        call.scope.reading.emit(kind, call.site, text, flags)


def _find_conditional(call: ShellCall, program: Program, text: str, search: MakeSearch) -> Iterator[When | Phrase]:
    """Yield the conditions that hold for a call, and the phrases that match it."""
    mine = [one for one in program.when if _may_hold(one, call, program)]
    if mine:
        from interlock.analyse.shell.given_arguments import GivenArguments, holds  # few calls have any

        given = GivenArguments(call.words, program)
        yield from (condition for condition in mine if holds(condition, given, search))
    for phrase in program.phrases_by_name.get(call.program, ()):
        if search(phrase.matches)(text):
            yield phrase


def _may_hold(condition: When, call: ShellCall, program: Program) -> bool:
    """Whether a condition is about this program, and the first word of a command that it names is given at all."""
    if call.program not in (condition.programs or program.names):
        return False
    commands = condition.commands
    return not commands or program.syntax == "windows" or any(name.split()[0] in call.words for name in commands)

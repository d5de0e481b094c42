"""Phrases: patterns over all arguments of a program, matched before the program is read as usual."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from interlock.analyse.flow import Flow
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.command import Phrase, Program
from interlock.patterns import searcher

MAX_TEXT = 2000
ProgramReader = Callable[[ShellCall], Flow]


def read_program(call: ShellCall, program: Program) -> Flow:
    """Analyse a call by a user's description: its phrases, then as a service client or by its options.

    The patterns of a user's file run in bounded time: an agent may have written it.
    """
    from interlock.analyse.shell.readers.service_clients import read_client

    _emit_phrases(call, [(_bounded_search(one.matches), one) for one in _phrases_of(program, call.program)])
    return read_client(call, program) if program.client else read(call, program)


def phrase_reader(name: str, readers: Mapping[str, ProgramReader]) -> ProgramReader:
    """Return a reader that matches the phrases of a program, then calls its own reader if there is one."""

    def reader(call: ShellCall) -> Flow:
        program, inner = PROGRAMS[name], readers.get(name)
        _emit_phrases(call, _compiled_phrases(program, call.program))
        return inner(call) if inner else read(call, program)

    return reader


@lru_cache(maxsize=256)
def _bounded_search(pattern: str) -> Callable[[str], bool]:
    return searcher(pattern, "a phrase", ignore_case=False)


def _phrases_of(program: Program, name: str) -> list[Phrase]:
    """Return the phrases of a program that apply when it is called by a name."""
    return [phrase for phrase in program.phrases if name in (phrase.programs or program.names)]


def _compiled_phrases(program: Program, name: str) -> list[Searched]:
    """Return the phrases of a program that we ship, by one of its names, with the search for each."""
    known = _COMPILED.get(name)
    if known is not None and known[0] is program:
        return known[1]
    found: list[Searched] = [(re.compile(phrase.matches).search, phrase) for phrase in _phrases_of(program, name)]
    if name in program.names:  # not under any name that a file has
        _COMPILED[name] = program, found
    return found


Searched = tuple[Callable[[str], object], Phrase]
#: Name of a program → its description, and its phrases.
_COMPILED: dict[str, tuple[Program, list[Searched]]] = {}


def _emit_phrases(call: ShellCall, phrases: list[Searched]) -> None:
    text = " ".join(call.words[1:])[:MAX_TEXT]
    for search, phrase in phrases:
        if search(text):
            call.scope.reading.emit(phrase.does, call.site, text, frozenset(phrase.flags))

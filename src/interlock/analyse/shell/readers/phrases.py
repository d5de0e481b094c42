"""Phrases of a program: arguments that mean something together, before the program is read as any other."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from interlock.analyse.reading import Flow
from interlock.analyse.shell.call import Call
from interlock.analyse.shell.catalogue_call import read
from interlock.analyse.shell.readers.service_clients import read_client
from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.command import Program

MAX_TEXT = 2000
Reader = Callable[[Call], Flow]


def add_phrases(readers: Mapping[str, Reader]) -> dict[str, Reader]:
    """Return readers for the programs that have phrases; each goes on to the reader that the program had."""
    return {name: _phrase_reader(name, readers.get(name)) for name in PROGRAMS.index.phrases}


def read_program(call: Call, program: Program) -> Flow:
    """Read a program by a description of it, whichever that is: its phrases, then its verbs or its options."""
    _emit_phrases(call, program)
    return read_client(call, program) if program.client else read(call, program)


def _phrase_reader(name: str, inner: Reader | None) -> Reader:
    def reader(call: Call) -> Flow:
        program = PROGRAMS[name]
        _emit_phrases(call, program)
        return inner(call) if inner else read(call, program)

    return reader


def _emit_phrases(call: Call, program: Program) -> None:
    text = " ".join(call.words[1:])[:MAX_TEXT]
    for phrase in program.phrases:
        if call.program in (phrase.programs or program.names) and re.search(phrase.matches, text):
            call.scope.reading.emit(phrase.does, call.site, text, frozenset(phrase.flags))

"""Phrases: patterns over all arguments of a program, matched before the program is read as usual."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from interlock.analyse.reading import Flow
from interlock.analyse.shell.call import Call
from interlock.analyse.shell.catalogue_call import read
from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.command import Program
from interlock.patterns import searcher

MAX_TEXT = 2000
Reader = Callable[[Call], Flow]


def read_program(call: Call, program: Program) -> Flow:
    """Analyse a call by a user's description: its phrases, then as a service client or by its options.

    The patterns of a user's file run in bounded time: an agent may have written it.
    """
    from interlock.analyse.shell.readers.service_clients import read_client

    _emit_phrases(call, program, lambda pattern, text: _bounded_search(pattern)(text))
    return read_client(call, program) if program.client else read(call, program)


def phrase_reader(name: str, readers: Mapping[str, Reader]) -> Reader:
    """Return a reader that matches the phrases of a program, then calls its own reader if there is one."""

    def reader(call: Call) -> Flow:
        program, inner = PROGRAMS[name], readers.get(name)
        _emit_phrases(call, program, re.search)
        return inner(call) if inner else read(call, program)

    return reader


@lru_cache(maxsize=256)
def _bounded_search(pattern: str) -> Callable[[str], bool]:
    return searcher(pattern, "a phrase", ignore_case=False)


def _emit_phrases(call: Call, program: Program, search: Callable[[str, str], object]) -> None:
    text = " ".join(call.words[1:])[:MAX_TEXT]
    for phrase in program.phrases:
        if call.program in (phrase.programs or program.names) and search(phrase.matches, text):
            call.scope.reading.emit(phrase.does, call.site, text, frozenset(phrase.flags))

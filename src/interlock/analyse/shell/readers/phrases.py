"""Phrases of the catalogue: words that mean something together, before the program is read as any other."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from interlock.analyse.catalogue import PROGRAMS
from interlock.analyse.catalogue.phrases import PHRASES
from interlock.analyse.catalogue.spec import parse_option
from interlock.analyse.reading import Flow
from interlock.analyse.shell.call import Call
from interlock.analyse.shell.described import read

MAX_TEXT = 2000
Reader = Callable[[Call], Flow]


def phrased(readers: Mapping[str, Reader]) -> dict[str, Reader]:
    """Return readers for the programs that have phrases; each goes on to the reader that the program had."""
    rows: dict[str, list[tuple[str, str]]] = {}
    for names, pattern, meaning in PHRASES:
        for name in names.split():
            rows.setdefault(name, []).append((pattern, meaning))
    return {name: _phrased(found, readers.get(name)) for name, found in rows.items()}


def _phrased(rows: list[tuple[str, str]], inner: Reader | None) -> Reader:
    def reader(call: Call) -> Flow:
        text = " ".join(call.words[1:])[:MAX_TEXT]
        for pattern, meaning in rows:
            if re.search(pattern, text):
                kind, *flags = meaning.split()
                found = parse_option(" ".join([f"!{kind}", *flags]))
                call.scope.reading.emit(found.kind or kind, call.site, text, frozenset(found.flags))
        return inner(call) if inner else read(call, PROGRAMS[call.program])

    return reader

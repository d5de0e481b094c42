"""Functions and cmdlets in `interlock knowledge`: finding, showing and listing their descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from rich.text import Text

from interlock.effects import KINDS
from interlock.flags import FLAGS
from interlock.knowledge.artefact import FOLDER
from interlock.knowledge.catalogue import PROGRAMS, read_functions
from interlock.knowledge.extension import KnowledgeFile
from interlock.knowledge.function import Function, FunctionFile, lookup_name
from interlock.knowledge.function_words import COMPUTED, PYTHON_READERS, SCRIPT_READERS
from interlock.knowledge.sources import read_functions as read_source
from interlock.knowledge.sources import read_text
from interlock.show import console, pairs


class FoundFunction(NamedTuple):
    """A description of a function, its language, and the file that it stands in."""

    file: str
    language: str
    function: Function


def find_functions(name: str, own: Iterable[KnowledgeFile]) -> list[FoundFunction]:
    """Return the descriptions of a function in all languages: the user's own first, then the shipped ones."""
    mine = [(known.file, known.content) for known in own if isinstance(known.content, FunctionFile)]
    shipped = ((file, read_source(read_text(Path(file)), file)) for file in _shipped_files(name))
    return [found for file, content in (*mine, *shipped) for found in _find_in(file, content, name)]


def _shipped_files(name: str) -> Iterator[str]:
    """Return the files of the languages that have a function of this name."""
    index = PROGRAMS.index
    for language, numbers in index.functions.items():
        if lookup_name(name, language) in read_functions(language):
            yield from (f"{FOLDER}/{index.files[number]}" for number in numbers)


def _find_in(file: str, content: FunctionFile, name: str) -> Iterator[FoundFunction]:
    wanted = lookup_name(name, content.language)
    for function in content.functions:
        if wanted in (lookup_name(other, content.language) for other in function.names):
            yield FoundFunction(file, content.language, function)


def function_names() -> Iterator[str]:
    """Return the names of all shipped functions."""
    for language in PROGRAMS.index.functions:
        yield from read_functions(language)


def show_function(name: str, found: FoundFunction) -> None:
    """Print what is known about a function."""
    function = found.function
    rows: list[tuple[str, str | Text]] = [("function", Text(name, "bold")), ("language", found.language)]
    if len(function.names) > 1:
        rows.append(("names", ", ".join(function.names)))
    rows.append(("file", found.file))
    rows += [("argument", f"{argument}  {role}") for argument, role in function.arguments.items()]
    rows += [("does", f"{kind}: {KINDS[kind].says}") for kind in function.effects]
    rows += [("flag", f"{flag}: {FLAGS[flag]}") for flag in function.flags]
    rows += _result_rows(function)
    if function.reader:
        readers = PYTHON_READERS if found.language == "python" else SCRIPT_READERS
        rows.append(("read by code", readers[function.reader]))
    for at, example in enumerate(function.examples):
        rows.append(("examples" if not at else "", Text(example.code, "green")))
    out = console()
    out.print()
    out.print(pairs(rows))
    out.print()


def _result_rows(function: Function) -> Iterator[tuple[str, str]]:
    result = function.result
    if result.kind:
        yield "result", f"a {result.kind}"
    for mark in result.marks:
        yield "result from", f"{mark}: {FLAGS[mark]}"
    if result.computed:
        yield "result", COMPUTED[result.computed]


def listed_functions(word: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the topic of each shipped file of functions, and the names in it in which a word stands."""
    index = PROGRAMS.index
    for number in sorted(number for numbers in index.functions.values() for number in numbers):
        file = f"{FOLDER}/{index.files[number]}"
        topic = index.files[number].removesuffix(".toml").partition("/")[2]
        names = (name for function in read_source(read_text(Path(file)), file).functions for name in function.names)
        found = tuple(name for name in names if word in topic or word in name)
        if found:
            yield topic, found

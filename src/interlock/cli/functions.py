"""Functions and cmdlets in `interlock knowledge`: finding, showing and listing their descriptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from rich.text import Text

from interlock.effects import KINDS
from interlock.flags import FLAGS
from interlock.knowledge.artefact import FOLDER
from interlock.knowledge.catalogue import PROGRAMS, read_cmdlets, read_functions
from interlock.knowledge.cmdlet import CMDLET_RESULTS, Cmdlet, CmdletFile
from interlock.knowledge.extension import KnowledgeFile
from interlock.knowledge.function import Function, FunctionFile, lookup_name
from interlock.knowledge.function_words import COMPUTED, PYTHON_READERS, SCRIPT_READERS
from interlock.knowledge.sources import read_description, read_text
from interlock.show import console, pairs

Rows = list[tuple[str, str | Text]]


class FoundFunction(NamedTuple):
    """A description of a function or a cmdlet, its language, and its file."""

    file: str
    language: str
    function: Function | Cmdlet


def find_functions(name: str, own: Iterable[KnowledgeFile]) -> list[FoundFunction]:
    """Return the descriptions of a function in all languages: the user's own first, then the shipped ones."""
    mine = [(known.file, known.content) for known in own if isinstance(known.content, FunctionFile | CmdletFile)]
    shipped = [(file, _read(file)) for file in _find_shipped_files(name)]
    return [found for file, content in (*mine, *shipped) for found in _find_in(file, content, name)]


def _read(file: str) -> FunctionFile | CmdletFile:
    content = read_description(read_text(Path(file)), file)
    if not isinstance(content, FunctionFile | CmdletFile):
        raise TypeError(f"`{file}` describes neither functions nor cmdlets")
    return content


def _find_shipped_files(name: str) -> Iterator[str]:
    """Return the files of the languages that have a function of this name, and those of cmdlets if it is one."""
    index = PROGRAMS.index
    for language, numbers in index.functions.items():
        if lookup_name(name, language) in read_functions(language):
            yield from (f"{FOLDER}/{index.files[number]}" for number in numbers)
    if name.lower() in read_cmdlets():
        yield from (f"{FOLDER}/{index.files[number]}" for number in index.cmdlets)


def _find_in(file: str, content: FunctionFile | CmdletFile, name: str) -> Iterator[FoundFunction]:
    language = content.language if isinstance(content, FunctionFile) else "powershell"
    for function in content.functions if isinstance(content, FunctionFile) else content.cmdlets:
        if lookup_name(name, language) in (lookup_name(other, language) for other in function.names):
            yield FoundFunction(file, language, function)


def function_names() -> Iterator[str]:
    """Return the names of all shipped functions and cmdlets."""
    for language in PROGRAMS.index.functions:
        yield from read_functions(language)
    yield from (name for cmdlet in read_cmdlets().values() for name in cmdlet.names)


def show_function(name: str, found: FoundFunction) -> None:
    """Print what is known about a function or a cmdlet."""
    function = found.function
    what = "cmdlet" if isinstance(function, Cmdlet) else "function"
    rows: Rows = [(what, Text(name, "bold")), ("language", found.language)]
    if len(function.names) > 1:
        rows.append(("names", ", ".join(function.names)))
    rows.append(("file", found.file))
    rows += _cmdlet_rows(function) if isinstance(function, Cmdlet) else _function_rows(function, found.language)
    rows += [("flag", f"{flag}: {FLAGS[flag]}") for flag in function.flags]
    rows += _result_rows(function)
    for at, example in enumerate(function.examples):
        rows.append(("examples" if not at else "", Text(example.code, "green")))
    out = console()
    out.print()
    out.print(pairs(rows))
    out.print()


def _function_rows(function: Function, language: str) -> Rows:
    rows: Rows = [("argument", f"{argument}  {role}") for argument, role in function.arguments.items()]
    rows += [("does", f"{kind}: {KINDS[kind].says}") for kind in function.effects]
    if function.reader:
        readers = PYTHON_READERS if language == "python" else SCRIPT_READERS
        rows.append(("read by code", readers[function.reader]))
    return rows


def _cmdlet_rows(cmdlet: Cmdlet) -> Rows:
    rows: Rows = [("does", f"{cmdlet.does}: {KINDS[cmdlet.does].says}")] if cmdlet.does else []
    if cmdlet.positional:
        rows.append(("positional", ", ".join(cmdlet.positional)))
    rows += [("parameters", f"{names.replace(' ', ', ')}  {role}") for names, role in cmdlet.parameters.items()]
    rows += [("switches", f"{names.replace(' ', ', ')}  {' '.join(flags)}") for names, flags in cmdlet.switches.items()]
    return rows


def _result_rows(function: Function | Cmdlet) -> Iterator[tuple[str, str]]:
    result = function.result
    if result.kind:
        yield "result", CMDLET_RESULTS.get(result.kind, f"a {result.kind}")
    for mark in result.marks:
        yield "result from", f"{mark}: {FLAGS[mark]}"
    if result.computed:
        yield "result", COMPUTED[result.computed]


def list_shipped_functions(word: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield the topic of each shipped file, its names that contain a word, and what they name."""
    index = PROGRAMS.index
    for number in sorted([*index.cmdlets, *(number for numbers in index.functions.values() for number in numbers)]):
        content = _read(f"{FOLDER}/{index.files[number]}")
        what, _, topic = index.files[number].removesuffix(".toml").partition("/")
        described = content.functions if isinstance(content, FunctionFile) else content.cmdlets
        names = (name for function in described for name in function.names)
        found = tuple(name for name in names if word in topic or word.lower() in name.lower())
        if found:
            yield topic if what == "functions" else f"{what}/{topic}", found, what

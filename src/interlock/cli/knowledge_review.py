"""All mistakes in a file of descriptions, for `interlock knowledge check`.

Loading a file stops at the first mistake, and requires no examples. A review finds all mistakes, and requires what a
complete description needs: each name and option once, examples of its own program, and a harmless one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from interlock.analyse.examples import list_examples
from interlock.documents import Document
from interlock.errors import ConfigError
from interlock.knowledge.check import program_problems, tool_file_problems
from interlock.knowledge.cmdlet import CmdletFile
from interlock.knowledge.command import Command, Program
from interlock.knowledge.conversion import convert_rest
from interlock.knowledge.extension import Description, described_names, plain_name
from interlock.knowledge.function import FunctionFile
from interlock.knowledge.function_check import cmdlet_file_problems, function_file_problems
from interlock.knowledge.problems import KeyPath, Problem
from interlock.knowledge.sources import find_kind, find_word
from interlock.knowledge.tool import ToolFile

_WORD = re.compile(r"[^\s;&|()<>`'\"$]+")


def find_mistakes(text: str, file: str) -> list[ConfigError]:
    """Return every mistake of a file, in the order of their lines."""
    try:
        document = Document(text, file)
        kind = find_kind(document)
        errors, kept, content = convert_rest(document, kind)
    except ConfigError as error:
        return [error]
    if content is not None:
        problems = [*_PROBLEMS[kind](content), *(find_repeated_words(content) if isinstance(content, Program) else ())]
        errors += [kept.error(problem.message, *problem.path) for problem in dict.fromkeys(problems)]
    return sorted(errors, key=lambda error: error.line or 0)


_PROBLEMS: dict[Any, Callable[[Any], Iterable[Problem]]] = {
    Program: program_problems,
    ToolFile: tool_file_problems,
    FunctionFile: function_file_problems,
    CmdletFile: cmdlet_file_problems,
}


def find_repeated_words(program: Program) -> Iterator[Problem]:
    """Yield the names and options that a description has twice."""
    yield from (Problem(f"the name `{name}` is listed twice", ("names",)) for name in _find_repeated(program.names))
    yield from _find_repeated_options(program, ())


def _find_repeated_options(command: Command, path: KeyPath) -> Iterator[Problem]:
    seen: set[str] = set()
    for names in command.options:
        for name in names.split():
            if name in seen:
                yield Problem(f"the option `{name}` is described twice", (*path, "options", names))
            seen.add(name)
    for key, sub in command.commands.items():
        yield from _find_repeated_options(sub, (*path, "commands", key))
    for label in ("alone", "otherwise"):
        part = getattr(command, label)
        if part is not None:
            yield from _find_repeated_options(part, (*path, label))


def _find_repeated(words: Iterable[str]) -> list[str]:
    listed = list(words)
    return sorted({word for word in listed if listed.count(word) > 1})


def find_foreign_examples(program: Program) -> Iterator[Problem]:
    """Yield the examples that do not call the program."""
    names = set(program.names)
    for path, example in list_examples(program):
        words = {word.rpartition("/")[2] for word in _WORD.findall(example.run)}
        if names.isdisjoint(words) and names.isdisjoint(word.lower() for word in words):
            yield Problem(f"`{example.run}` does not call `{program.names[0]}`", (*path, "run"))


def find_shared_names(files: Mapping[str, Description]) -> Iterator[str]:
    """Yield a message for each name that two files describe."""
    owners: dict[tuple[str, str], str] = {}
    for file, content in files.items():
        for kind, name in described_names(content):
            owner = owners.setdefault((kind, plain_name(kind, name)), file)
            if owner != file:
                line = find_word(Path(file), name) or 1
                yield f"{file}:{line}: `{name}` is described in `{owner}` already; keep one of the two"


def find_lacking_examples(content: Description) -> Iterator[Problem]:
    """Yield the tools, functions and cmdlets without an example. One of a program may hold for several commands."""
    if isinstance(content, ToolFile):
        for key, tool in content.tools.items():
            if not (tool.examples or tool.asks or tool.passes):
                yield Problem(f"`{key}` has no example", ("tools", key))
    elif isinstance(content, FunctionFile):
        for at, function in enumerate(content.functions):
            if not function.examples:
                yield Problem(f"`{function.names[0]}` has no example", ("functions", at))
    elif isinstance(content, CmdletFile):
        for at, cmdlet in enumerate(content.cmdlets):
            if not cmdlet.examples:
                yield Problem(f"`{cmdlet.names[0]}` has no example", ("cmdlets", at))

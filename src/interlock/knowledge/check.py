"""Validation of descriptions: every word must be in the vocabulary, and every error names the line of its key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

from interlock.documents import Document
from interlock.effects import KINDS
from interlock.errors import ConfigError, nearest
from interlock.flags import FLAGS
from interlock.knowledge.cmdlet import CMDLET_RESULTS, CMDLET_ROLES, Cmdlet, CmdletFile
from interlock.knowledge.command import Command, Example, ExampleEffect, Program
from interlock.knowledge.function import Function, FunctionExample, FunctionFile
from interlock.knowledge.function_words import (
    COMPUTED,
    FUNCTION_LANGUAGES,
    argument_names,
    function_roles,
    reader_names,
)
from interlock.knowledge.roles import ALL_ROLES, LANGUAGES, TOOL_ROLES
from interlock.knowledge.tables import Table
from interlock.knowledge.tool import Tool, ToolFile

Path = tuple[str | int, ...]
SYNTAXES = ("windows",)
_OPTION = re.compile(r"[-+/]\S*|\S+=")


class Problem(NamedTuple):
    """An error in a document: a message and the path of the key."""

    message: str
    path: Path


def convert(document: Document, kind: type[Any]) -> Any:
    """Convert a document to a struct, or raise an error with the line of the value that does not fit."""
    try:
        return msgspec.convert(document.values, kind, strict=True)
    except msgspec.ValidationError as error:
        found = _locate(document.values, inspect.type_info(kind), ()) or Problem(str(error), ())
        raise document.error(found.message, *found.path) from None


def check_program(document: Document, program: Program) -> None:
    """Raise an error for the first invalid word in a program's description."""
    for problem in _problems(program):
        raise document.error(problem.message, *problem.path)


def check_tools(document: Document, found: ToolFile) -> None:
    """Raise an error for the first invalid word in a description of tools."""
    for name, tool in found.tools.items():
        for problem in _tool_problems(tool, ("tools", name)):
            raise document.error(problem.message, *problem.path)


def check_functions(document: Document, found: FunctionFile) -> None:
    """Raise an error for the first invalid word in a description of functions."""
    for problem in _function_file_problems(found):
        raise document.error(problem.message, *problem.path)


def check_cmdlets(document: Document, found: CmdletFile) -> None:
    """Raise an error for the first invalid word in a description of cmdlets."""
    taken: set[str] = set()
    for at, cmdlet in enumerate(found.cmdlets):
        for problem in _cmdlet_problems(cmdlet, taken, ("cmdlets", at)):
            raise document.error(problem.message, *problem.path)


def check_table(document: Document, table: Table) -> None:
    """Raise an error for the first flag of a table that is not in the vocabulary."""
    for flag in table.flags():
        for problem in _flags([flag], ()):
            line = next((at for at, text in enumerate(document.text.split("\n"), 1) if f'"{flag}"' in text), None)
            raise ConfigError(problem.message, file=document.file, line=line)


def _locate(value: Any, kind: inspect.Type, path: Path) -> Problem | None:
    """Return the innermost value that does not fit its type."""
    if isinstance(kind, inspect.UnionType):
        kind = next(option for option in kind.types if not isinstance(option, inspect.NoneType))
    if isinstance(kind, inspect.StructType) and isinstance(value, dict):
        fields = {field.encode_name: field for field in kind.fields}
        for key, item in value.items():
            if key not in fields:
                return Problem(f"unknown key `{key}`{nearest(key, fields)}", (*path, key))
            found = _locate(item, fields[key].type, (*path, key))
            if found:
                return found
        missing = [name for name, field in fields.items() if field.required and name not in value]
        return Problem(f"`{missing[0]}` is missing", path) if missing else None
    if isinstance(kind, inspect.DictType) and isinstance(value, dict):
        return _first(_locate(item, kind.value_type, (*path, key)) for key, item in value.items())
    if isinstance(kind, inspect.VarTupleType) and isinstance(value, list):
        return _first(_locate(item, kind.item_type, (*path, at)) for at, item in enumerate(value))
    if not isinstance(value, _PYTHON_TYPES.get(type(kind), ())) or (
        isinstance(value, bool) and not isinstance(kind, inspect.BoolType)
    ):
        what = _NAMES.get(type(kind), "another value")
        return Problem(f"`{path[-1] if path else 'it'}` must be {what}, found `{value!r}`", path)
    return None


_PYTHON_TYPES: dict[type[inspect.Type], type] = {
    inspect.StrType: str,
    inspect.BoolType: bool,
    inspect.IntType: int,
    inspect.StructType: dict,
    inspect.DictType: dict,
    inspect.VarTupleType: list,
}
_NAMES: dict[type[inspect.Type], str] = {
    inspect.StrType: "a text",
    inspect.BoolType: "true or false",
    inspect.IntType: "a number",
    inspect.StructType: "a table",
    inspect.DictType: "a table",
    inspect.VarTupleType: "a list",
}


def _first(problems: Iterable[Problem | None]) -> Problem | None:
    return next((problem for problem in problems if problem), None)


def _word(word: str, allowed: Iterable[str], what: str, path: Path) -> Iterator[Problem]:
    """Yield a problem if a word is not in a vocabulary. The message suggests a similar word or where to find all."""
    known = list(allowed)
    if word and word not in known:
        hint = nearest(word, known)
        if len(known) > 20 and "did you mean" not in hint:
            hint = "; `interlock knowledge words` lists them"
        yield Problem(f"unknown {what} `{word}`{hint}", path)


def _kind(word: str, path: Path) -> Iterator[Problem]:
    return _word(word, KINDS, "kind of effect", path)


def _flags(words: Iterable[str], path: Path) -> Iterator[Problem]:
    for word in words:
        yield from _word(word, FLAGS, "flag", path)


def _role(word: str, path: Path) -> Iterator[Problem]:
    return _word(word, ALL_ROLES, "role", path)


def _pattern(text: str, path: Path) -> Iterator[Problem]:
    try:
        re.compile(text)
    except re.error as error:
        yield Problem(f"`{text}` is not a regular expression: {error}", path)


def _problems(program: Program) -> Iterator[Problem]:
    if not program.names or not all(name.strip() and not name.split()[1:] for name in program.names):
        yield Problem("`names` must list the program's names, one word each", ("names",))
    if program.docs and not program.docs.startswith("https://"):
        yield Problem(f"`docs` must be an https URL, found `{program.docs}`", ("docs",))
    yield from _word(program.syntax, SYNTAXES, "syntax", ("syntax",))
    yield from _command_problems(program, ())
    if program.client:
        for name in ("reads", "changes", "destroys"):
            yield from _kind(getattr(program.client, name), ("client", name))
    elif program.calls or program.values:
        yield Problem("`calls` and `values` are for clients; add a `[client]` table", ("calls",))
    for at, call in enumerate(program.calls):
        yield from _kind(call.makes, ("calls", at, "makes"))
        yield from _flags(call.flags, ("calls", at, "flags"))
        yield from _role(call.value, ("calls", at, "value"))
    for at, value in enumerate(program.values):
        yield from _flags(value.flags, ("values", at, "flags"))
        yield from _pattern(value.matches, ("values", at, "matches"))
    for at, phrase in enumerate(program.phrases):
        yield from _kind(phrase.does, ("phrases", at, "does"))
        yield from _flags(phrase.flags, ("phrases", at, "flags"))
        yield from _pattern(phrase.matches, ("phrases", at, "matches"))
        for name in phrase.programs:
            yield from _word(name, program.names, "name of this program", ("phrases", at, "programs"))


def _command_problems(command: Command, path: Path) -> Iterator[Problem]:
    yield from _kind(command.does, (*path, "does"))
    yield from _kind(command.without_operands, (*path, "without_operands"))
    yield from _flags(command.flags, (*path, "flags"))
    yield from _word(command.stdin, LANGUAGES, "language", (*path, "stdin"))
    for role in command.operands.roles:
        yield from _role(role, (*path, "operands"))
    for names, option in command.options.items():
        here = (*path, "options", names)
        for name in names.split():
            if not _OPTION.fullmatch(name):
                yield Problem(f"`{name}` is not an option; options begin with `-`", here)
        yield from _flags(option.flags, here)
        yield from _role(option.value, here)
        yield from _kind(option.makes, here)
    for at, example in enumerate(command.examples):
        yield from _example_problems(example, (*path, "examples", at))
    yield from _subcommand_problems(command, path)


def _subcommand_problems(command: Command, path: Path) -> Iterator[Problem]:
    taken: set[str] = set()
    for key, sub in command.commands.items():
        for name in (key, *sub.also):
            if name in taken:
                yield Problem(f"the command `{name}` is described twice", (*path, "commands", key))
            taken.add(name)
        yield from _command_problems(sub, (*path, "commands", key))
    for label in ("alone", "otherwise"):
        part = getattr(command, label)
        if part is not None:
            yield from _command_problems(part, (*path, label))


def _tool_problems(tool: Tool, path: Path) -> Iterator[Problem]:
    yield from _kind(tool.does, (*path, "does"))
    yield from _flags(tool.flags, (*path, "flags"))
    for name, role in tool.arguments.items():
        yield from _word(role, TOOL_ROLES, "role", (*path, "arguments", name))
    for at, example in enumerate(tool.examples):
        yield from _example_effects(example.effects, (*path, "examples", at, "effects"))


def _function_file_problems(found: FunctionFile) -> Iterator[Problem]:
    if found.docs and not found.docs.startswith("https://"):
        yield Problem(f"`docs` must be an https URL, found `{found.docs}`", ("docs",))
    language = found.language
    if language not in FUNCTION_LANGUAGES:
        yield Problem(f"unknown language `{language}`{nearest(language, FUNCTION_LANGUAGES)}", ("language",))
    taken: set[str] = set()
    for at, function in enumerate(found.functions):
        path = ("functions", at)
        yield from _function_name_problems(function, language, taken, (*path, "names"))
        yield from _function_problems(function, language, path)


def _function_name_problems(function: Function, language: str, taken: set[str], path: Path) -> Iterator[Problem]:
    if not function.names or not all(name.strip(".") and not name.split()[1:] for name in function.names):
        yield Problem("`names` must list the functions' names, one word each", path)
    for name in function.names:
        if language == "python" and name.startswith("."):
            yield Problem(f"`{name}` must name the class of the method: `module.Class{name}`", path)
        if name in taken:
            yield Problem(f"`{name}` is described twice", path)
        taken.add(name)


def _function_problems(function: Function, language: str, path: Path) -> Iterator[Problem]:
    for argument, role in function.arguments.items():
        here = (*path, "arguments", argument)
        yield from _word(argument, argument_names(language), "argument", here)
        yield from _word(role, function_roles(language), "role", here)
    for kind in function.effects:
        yield from _kind(kind, (*path, "effects"))
    yield from _flags(function.flags, (*path, "flags"))
    yield from _flags(function.result.marks, (*path, "result", "from"))
    yield from _word(function.result.computed, COMPUTED, "computed result", (*path, "result", "computed"))
    if function.reader and not reader_names(language):
        yield Problem(f"`reader` is not for functions of {language}", (*path, "reader"))
    yield from _word(function.reader, reader_names(language), "reader", (*path, "reader"))
    for at, example in enumerate(function.examples):
        yield from _code_example_problems(example, (*path, "examples", at))


def _cmdlet_problems(cmdlet: Cmdlet, taken: set[str], path: Path) -> Iterator[Problem]:
    if not cmdlet.names or not all(name.strip() and not name.split()[1:] for name in cmdlet.names):
        yield Problem("`names` must list the names of cmdlets, one word each", (*path, "names"))
    for name in cmdlet.names:
        if name.lower() in taken:
            yield Problem(f"`{name}` is described twice", (*path, "names"))
        taken.add(name.lower())
    yield from _kind(cmdlet.does, (*path, "does"))
    yield from _flags(cmdlet.flags, (*path, "flags"))
    yield from _parameter_problems(cmdlet, path)
    yield from _flags(cmdlet.result.marks, (*path, "result", "from"))
    yield from _word(cmdlet.result.kind, CMDLET_RESULTS, "result", (*path, "result", "is"))
    if cmdlet.result.computed:
        yield Problem("`computed` is not for cmdlets", (*path, "result", "computed"))
    for at, example in enumerate(cmdlet.examples):
        yield from _code_example_problems(example, (*path, "examples", at))


def _parameter_problems(cmdlet: Cmdlet, path: Path) -> Iterator[Problem]:
    roles = (*CMDLET_ROLES, *KINDS, *(f"code:{language}" for language in sorted(LANGUAGES)))
    for names, role in cmdlet.parameters.items():
        yield from _word(role, roles, "role", (*path, "parameters", names))
    for names, flags in cmdlet.switches.items():
        yield from _flags(flags, (*path, "switches", names))
    known = [name for names in cmdlet.parameters for name in names.split()] or list(cmdlet.positional)
    if cmdlet.piped and cmdlet.piped not in (*known, *cmdlet.positional):
        yield from _word(cmdlet.piped, known, "parameter", (*path, "piped"))


def _code_example_problems(example: FunctionExample, path: Path) -> Iterator[Problem]:
    if not example.code.strip():
        yield Problem("`code` must be a piece of code", (*path, "code"))
    yield from _example_effects(example.effects, (*path, "effects"))


def _example_problems(example: Example, path: Path) -> Iterator[Problem]:
    if not example.run.strip():
        yield Problem("`run` must be a command line", (*path, "run"))
    yield from _example_effects(example.effects, (*path, "effects"))


def _example_effects(effects: Iterable[ExampleEffect], path: Path) -> Iterator[Problem]:
    for effect in effects:
        yield from _kind(effect.does, path)
        yield from _flags(effect.flags, path)

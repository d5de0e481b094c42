"""Validation of descriptions: every word must be in the vocabulary, and every error names the line of its key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import inspect

from interlock.documents import Document
from interlock.errors import ConfigError, nearest
from interlock.knowledge.command import Command, Example, Program
from interlock.knowledge.problems import (
    KeyPath,
    Problem,
    effect_problems,
    flag_problems,
    kind_problems,
    pattern_problems,
    role_problems,
    word_problems,
)
from interlock.knowledge.roles import LANGUAGES, TOOL_ROLES
from interlock.knowledge.tables import Table
from interlock.knowledge.tool import Tool, ToolFile

SYNTAXES = ("windows",)
_OPTION = re.compile(r"[-+/]\S*|\S+=")


def convert(document: Document, kind: type[Any]) -> Any:
    """Convert a document to a struct, or raise an error with the line of the value that does not fit."""
    return convert_at(document, document.values, kind, ())


def convert_at(document: Document, value: Any, kind: type[Any], path: KeyPath) -> Any:
    """Convert a value of a document, which stands at a path, to a struct, or raise an error with the line."""
    try:
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        found = _locate(value, inspect.type_info(kind), path) or Problem(str(error), path)
        raise document.error(found.message, *found.path) from None


def check_program(document: Document, program: Program) -> None:
    """Raise an error for the first invalid word in a program's description."""
    for problem in program_problems(program):
        raise document.error(problem.message, *problem.path)


def check_tools(document: Document, found: ToolFile) -> None:
    """Raise an error for the first invalid word in a description of tools."""
    for problem in tool_file_problems(found):
        raise document.error(problem.message, *problem.path)


def tool_file_problems(found: ToolFile) -> Iterator[Problem]:
    """Yield every invalid word in a description of tools."""
    for name, tool in found.tools.items():
        yield from _tool_problems(tool, ("tools", name))


def convert_rest(document: Document, kind: type[Any]) -> tuple[list[ConfigError], Document, Any]:
    """Return an error for every value that does not fit its type, the document without them, and its struct or None."""
    errors: list[ConfigError] = []
    while True:
        try:
            return errors, document, msgspec.convert(document.values, kind, strict=True)
        except msgspec.ValidationError as error:
            problem = _locate(document.values, inspect.type_info(kind), ()) or Problem(str(error), ())
        errors.append(document.error(problem.message, *problem.path))
        if not problem.path:
            return errors, document, None
        document = document.without(problem.path)


def check_table(document: Document, table: Table) -> None:
    """Raise an error for the first flag or kind of effect in a table that is not in the vocabulary."""
    flags = ((flag, flag_problems([flag], ())) for flag in table.flags())
    kinds = ((kind, kind_problems(kind, ())) for kind in table.kinds())
    for word, problems in (*flags, *kinds):
        for problem in problems:
            line = next((at for at, text in enumerate(document.text.split("\n"), 1) if f'"{word}"' in text), None)
            raise ConfigError(problem.message, file=document.file, line=line)


def _locate(value: Any, kind: inspect.Type, path: KeyPath) -> Problem | None:
    """Return the innermost value that does not fit its type."""
    if isinstance(kind, inspect.AnyType):
        return None
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
    if isinstance(kind, (inspect.VarTupleType, inspect.FrozenSetType)) and isinstance(value, list):
        return _first(_locate(item, kind.item_type, (*path, at)) for at, item in enumerate(value))
    if not isinstance(value, _PYTHON_TYPES.get(type(kind), ())) or (
        isinstance(value, bool) and not isinstance(kind, inspect.BoolType)
    ):
        return Problem(f"{_name_of(path)} must be {_NAMES.get(type(kind), 'another value')}, found `{value!r}`", path)
    return None


_PYTHON_TYPES: dict[type[inspect.Type], type] = {
    inspect.StrType: str,
    inspect.BoolType: bool,
    inspect.IntType: int,
    inspect.StructType: dict,
    inspect.DictType: dict,
    inspect.VarTupleType: list,
    inspect.FrozenSetType: list,
}
_NAMES: dict[type[inspect.Type], str] = {
    inspect.StrType: "a string",
    inspect.BoolType: "true or false",
    inspect.IntType: "a number",
    inspect.StructType: "a table",
    inspect.DictType: "a table",
    inspect.VarTupleType: "a list",
    inspect.FrozenSetType: "a list",
}


def _name_of(path: KeyPath) -> str:
    """Return what a path leads to: a key, or an item of the list under it."""
    if path and isinstance(path[-1], int):
        key = next((part for part in reversed(path) if isinstance(part, str)), "the list")
        return f"an item of `{key}`"
    return f"`{path[-1]}`" if path else "it"


def _first(problems: Iterable[Problem | None]) -> Problem | None:
    return next((problem for problem in problems if problem), None)


def program_problems(program: Program) -> Iterator[Problem]:
    """Yield every invalid word in a program's description."""
    if not program.names or not all(name.strip() and not name.split()[1:] for name in program.names):
        yield Problem("`names` must list the program's names, one word each", ("names",))
    if program.docs and not program.docs.startswith("https://"):
        yield Problem(f"`docs` must be an https URL, found `{program.docs}`", ("docs",))
    yield from word_problems(program.syntax, SYNTAXES, "syntax", ("syntax",))
    yield from _command_problems(program, ())
    if program.client:
        for name in ("reads", "changes", "destroys"):
            yield from kind_problems(getattr(program.client, name), ("client", name))
    elif program.calls or program.values:
        yield Problem("`calls` and `values` are for clients; add a `[client]` table", ("calls",))
    for at, call in enumerate(program.calls):
        yield from kind_problems(call.makes, ("calls", at, "makes"))
        yield from flag_problems(call.flags, ("calls", at, "flags"))
        yield from role_problems(call.value, ("calls", at, "value"))
    for at, value in enumerate(program.values):
        yield from flag_problems(value.flags, ("values", at, "flags"))
        yield from pattern_problems(value.matches, ("values", at, "matches"))
    for at, phrase in enumerate(program.phrases):
        yield from kind_problems(phrase.does, ("phrases", at, "does"))
        yield from flag_problems(phrase.flags, ("phrases", at, "flags"))
        yield from pattern_problems(phrase.matches, ("phrases", at, "matches"))
        for name in phrase.programs:
            yield from word_problems(name, program.names, "name of this program", ("phrases", at, "programs"))


def _command_problems(command: Command, path: KeyPath) -> Iterator[Problem]:
    yield from kind_problems(command.does, (*path, "does"))
    yield from kind_problems(command.without_operands, (*path, "without_operands"))
    yield from flag_problems(command.flags, (*path, "flags"))
    yield from word_problems(command.stdin, LANGUAGES, "language", (*path, "stdin"))
    for role in command.operands.roles:
        yield from role_problems(role, (*path, "operands"))
    for names, option in command.options.items():
        here = (*path, "options", names)
        for name in names.split():
            if not _OPTION.fullmatch(name):
                yield Problem(f"`{name}` is not an option; options begin with `-`", here)
        yield from flag_problems(option.flags, (*here, "flags"))
        yield from role_problems(option.value, (*here, "value"))
        yield from role_problems(option.second, (*here, "second"))
        yield from kind_problems(option.makes, (*here, "makes"))
        if option.second and (not option.value or option.optional):
            yield Problem("`second` is for an option with a `value` that is always there", here)
    for at, example in enumerate(command.examples):
        yield from _example_problems(example, (*path, "examples", at))
    yield from _subcommand_problems(command, path)


def _subcommand_problems(command: Command, path: KeyPath) -> Iterator[Problem]:
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


def _tool_problems(tool: Tool, path: KeyPath) -> Iterator[Problem]:
    yield from kind_problems(tool.does, (*path, "does"))
    yield from flag_problems(tool.flags, (*path, "flags"))
    for name, role in tool.arguments.items():
        yield from word_problems(role, TOOL_ROLES, "role", (*path, "arguments", name))
    for at, example in enumerate(tool.examples):
        yield from effect_problems(example.effects, (*path, "examples", at, "effects"))


def _example_problems(example: Example, path: KeyPath) -> Iterator[Problem]:
    if not example.run.strip():
        yield Problem("`run` must be a command line", (*path, "run"))
    yield from effect_problems(example.effects, (*path, "effects"))

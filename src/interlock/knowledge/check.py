"""Validation of descriptions: every word must be in the vocabulary, and every error names the line of its key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from interlock.documents import Document
from interlock.errors import ConfigError
from interlock.knowledge.command import MAX_CALL_WORDS, Command, Example, Program, When
from interlock.knowledge.extension import plain_tool_name
from interlock.knowledge.problems import (
    KeyPath,
    Problem,
    effect_problems,
    flag_problems,
    kind_problems,
    language_problems,
    pattern_problems,
    role_problems,
    url_problems,
    word_problems,
)
from interlock.knowledge.roles import LANGUAGES, TOOL_ROLES
from interlock.knowledge.table_types import Table
from interlock.knowledge.tool import Tool, ToolCondition, ToolFile, ToolOperation, read_operation
from interlock.knowledge.values import VALUE_GROUPS

SYNTAXES = ("windows",)
#: The keys of `[[when]]` of which a condition has one at least.
CONDITIONS = ("commands", "options", "words", "values", "value_in", "not_values", "not_in", "operand_in")
_OPTION = re.compile(r"[-+/][^\s,|]*|[^\s,|]+=")
_VALUE = re.compile(r"(-[^=]*=).+")


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
    yield from url_problems(found.docs)
    listed: set[str] = set()
    for name, tool in found.tools.items():
        for one in (name, *tool.also):
            if plain_tool_name(one) in listed:
                yield Problem(f"the tool `{one}` is described twice", ("tools", name))
            listed.add(plain_tool_name(one))
        yield from _tool_problems(tool, ("tools", name))
    for key in ("reads", "drafts"):
        for name in getattr(found, key):
            if plain_tool_name(name) in listed:
                yield Problem(f"the tool `{name}` is described as well; leave it out of `{key}`", (key,))


def check_table(document: Document, table: Table) -> None:
    """Raise an error for the first flag or kind of effect in a table that is not in the vocabulary."""
    flags = ((flag, flag_problems([flag], ())) for flag in table.flags())
    kinds = ((kind, kind_problems(kind, ())) for kind in table.kinds())
    for word, problems in (*flags, *kinds):
        for problem in problems:
            line = next((at for at, text in enumerate(document.text.split("\n"), 1) if f'"{word}"' in text), None)
            raise ConfigError(problem.message, file=document.file, line=line)


def program_problems(program: Program) -> Iterator[Problem]:
    """Yield every invalid word in a program's description."""
    if not program.names or not all(name.strip() and not name.split()[1:] for name in program.names):
        yield Problem("`names` must list the program's names, one word each", ("names",))
    for name in program.names:
        plain = name.replace("\\", "/").rpartition("/")[2]
        if plain != name:
            yield Problem(f"`{name}` has a folder; a name holds wherever the program is: `{plain}`", ("names",))
    if program.also:
        yield Problem("`also` is for commands; write other names of the program into `names`", ("also",))
    yield from url_problems(program.docs)
    yield from word_problems(program.syntax, SYNTAXES, "syntax", ("syntax",))
    yield from _command_problems(program, ())
    yield from _client_problems(program)
    for at, value in enumerate(program.values):
        yield from flag_problems(value.flags, ("values", at, "flags"))
        for name in value.options:
            yield from _option_problems(name, name, ("values", at, "options"))
        yield from pattern_problems(value.matches, ("values", at, "matches"))
    for at, when in enumerate(program.when):
        yield from _when_problems(program, when, ("when", at))
    for at, phrase in enumerate(program.phrases):
        yield from kind_problems(phrase.does, ("phrases", at, "does"))
        yield from flag_problems(phrase.flags, ("phrases", at, "flags"))
        yield from pattern_problems(phrase.matches, ("phrases", at, "matches"))
        for name in phrase.programs:
            yield from word_problems(name, program.names, "name of this program", ("phrases", at, "programs"))


def _when_problems(program: Program, when: When, path: KeyPath) -> Iterator[Problem]:
    yield from kind_problems(when.does, (*path, "does"))
    yield from flag_problems(when.flags, (*path, "flags"))
    for name in when.programs:
        yield from word_problems(name, program.names, "name of this program", (*path, "programs"))
    for key in ("value_in", "not_in", "operand_in"):
        for name in getattr(when, key):
            yield from word_problems(name, VALUE_GROUPS, "group of values", (*path, key))
    for key in ("options", "without"):
        for name in getattr(when, key):
            yield from _option_problems(name, name, (*path, key))
    for key in ("commands", "without_commands"):
        for name in getattr(when, key):
            if name[:1] == "-":
                yield Problem(f"`{name}` is an option, not a command; write it into `options`", (*path, key))
    if not any(getattr(when, key) for key in CONDITIONS):
        *first, last = (f"`{key}`" for key in CONDITIONS)
        yield Problem(f"a condition needs {', '.join(first)} or {last}", path)


def _client_problems(program: Program) -> Iterator[Problem]:
    client, taken = program.client, set[str]()
    if client is None:
        if program.calls or program.values:
            yield Problem("`calls` and `values` are for clients; add a `[client]` table", ("calls",))
        return
    for name in ("reads", "changes", "destroys", "prepares"):
        yield from kind_problems(getattr(client, name), ("client", name))
    yield from _number_problems(client.verb_from, 0, ("client", "verb_from"))
    yield from _number_problems(client.verb_within, 1, ("client", "verb_within"))
    for at, call in enumerate(program.calls):
        yield from kind_problems(call.makes, ("calls", at, "makes"))
        yield from flag_problems(call.flags, ("calls", at, "flags"))
        yield from role_problems(call.value, ("calls", at, "value"))
        for key, listed, most in (("commands", call.commands, MAX_CALL_WORDS), ("anywhere", call.anywhere, 2)):
            for words in listed:
                option = next((word for word in words.split() if word[:1] == "-"), "")
                if option:
                    yield Problem(f"`{words}` has the option `{option}`, and names commands only", ("calls", at, key))
                if len(words.split()) > most:
                    yield Problem(f"`{words}` has more than {most} words, so it is never found", ("calls", at, key))
                if f"{key} {words}" in taken:
                    yield Problem(f"the command `{words}` is described twice", ("calls", at, key))
                taken.add(f"{key} {words}")


def _number_problems(number: int, least: int, path: KeyPath) -> Iterator[Problem]:
    if number < least:
        yield Problem(f"`{path[-1]}` must be {least} or more, found `{number}`", path)


def _command_problems(command: Command, path: KeyPath) -> Iterator[Problem]:
    yield from kind_problems(command.does, (*path, "does"))
    yield from kind_problems(command.without_operands, (*path, "without_operands"))
    yield from flag_problems(command.flags, (*path, "flags"))
    yield from _number_problems(command.operands_before_command, 0, (*path, "operands_before_command"))
    yield from language_problems(command.stdin, LANGUAGES, (*path, "stdin"))
    for role in command.operands.roles:
        yield from role_problems(role, (*path, "operands"))
    for names, option in command.options.items():
        here = (*path, "options", names)
        for name in names.split():
            yield from _option_problems(name, names, here)
        yield from flag_problems(option.flags, (*here, "flags"))
        yield from role_problems(option.value, (*here, "value"))
        yield from role_problems(option.second, (*here, "second"))
        yield from kind_problems(option.makes, (*here, "makes"))
        if option.optional and not option.value:
            yield Problem("`optional` is for an option with a `value`; say by `value` what it is", (*here, "optional"))
        if option.second and (not option.value or option.optional):
            yield Problem("`second` is for an option with a `value` that is always there", here)
    for at, example in enumerate(command.examples):
        yield from _example_problems(example, (*path, "examples", at))
    yield from _subcommand_problems(command, path)


def _option_problems(name: str, names: str, path: KeyPath) -> Iterator[Problem]:
    """Yield what is wrong with one of the spellings of an option."""
    value = _VALUE.fullmatch(name)
    if value is not None:
        yield Problem(f"`{name}` has a value; write `{value[1][:-1]}`, and say by `value` what it is", path)
    elif "," in name or "|" in name:
        words = " ".join(names.replace(",", " ").replace("|", " ").split())
        yield Problem(f"`{name}` is not an option; between spellings are spaces: `{words}`", path)
    elif not _OPTION.fullmatch(name):
        yield Problem(f"`{name}` is not an option; options begin with `-`", path)


def _subcommand_problems(command: Command, path: KeyPath) -> Iterator[Problem]:
    taken: set[str] = set()
    for key, sub in command.commands.items():
        for name in (key, *sub.also):
            first, _, rest = name.partition(" ")
            if rest:
                below = f"`[commands.{first}.commands.{rest}]`"
                yield Problem(f"the command `{name}` is more than one word; write {below}", (*path, "commands", key))
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
        yield from role_problems(role, (*path, "arguments", name), TOOL_ROLES)
    for name, kinds in tool.operations.items():
        yield from _operation_problems(kinds, (*path, "operations", name))
    for at, condition in enumerate(tool.when):
        yield from _condition_problems(condition, (*path, "when", at))
    for at, example in enumerate(tool.examples):
        yield from effect_problems(example.effects, (*path, "examples", at, "effects"))


def _condition_problems(condition: ToolCondition, path: KeyPath) -> Iterator[Problem]:
    yield from kind_problems(condition.does, (*path, "does"))
    yield from flag_problems(condition.flags, (*path, "flags"))
    if condition.values and not condition.arguments:
        yield Problem("`values` are those of `arguments`; say which", (*path, "values"))
    if not condition.arguments and not condition.without:
        yield Problem("a condition needs `arguments` or `without`", path)


def _operation_problems(operations: Mapping[str, str | ToolOperation], path: KeyPath) -> Iterator[Problem]:
    listed: set[str] = set()
    for values, told in operations.items():
        done = read_operation(told)
        yield from kind_problems(done.does, (*path, values))
        yield from flag_problems(done.flags, (*path, values))
        for value in values.split():
            if value in listed:
                yield Problem(f"the operation `{value}` is described twice", path)
            listed.add(value)


def _example_problems(example: Example, path: KeyPath) -> Iterator[Problem]:
    if not example.run.strip():
        yield Problem("`run` must be a command line", (*path, "run"))
    yield from effect_problems(example.effects, (*path, "effects"))

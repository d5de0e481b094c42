"""Validation of descriptions of functions and cmdlets."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.documents import Document
from interlock.effects import KINDS
from interlock.knowledge.cmdlet import CMDLET_RESULTS, CMDLET_ROLES, Cmdlet, CmdletFile
from interlock.knowledge.function import Function, FunctionExample, FunctionFile
from interlock.knowledge.function_words import (
    COMPUTED,
    FUNCTION_LANGUAGES,
    argument_names,
    function_roles,
    reader_names,
)
from interlock.knowledge.problems import (
    KeyPath,
    Problem,
    effect_problems,
    flag_problems,
    kind_problems,
    language_problems,
    role_problems,
    url_problems,
    word_problems,
)
from interlock.knowledge.roles import LANGUAGES


def check_functions(document: Document, found: FunctionFile) -> None:
    """Raise an error for the first invalid word in a description of functions."""
    for problem in function_file_problems(found):
        raise document.error(problem.message, *problem.path)


def check_cmdlets(document: Document, found: CmdletFile) -> None:
    """Raise an error for the first invalid word in a description of cmdlets."""
    for problem in cmdlet_file_problems(found):
        raise document.error(problem.message, *problem.path)


def cmdlet_file_problems(found: CmdletFile) -> Iterator[Problem]:
    """Yield every invalid word in a description of cmdlets."""
    yield from url_problems(found.docs)
    taken: set[str] = set()
    for at, cmdlet in enumerate(found.cmdlets):
        yield from _cmdlet_problems(cmdlet, taken, ("cmdlets", at))


def function_file_problems(found: FunctionFile) -> Iterator[Problem]:
    """Yield every invalid word in a description of functions."""
    yield from url_problems(found.docs)
    language = found.language
    yield from language_problems(language, FUNCTION_LANGUAGES, ("language",))
    taken: set[str] = set()
    for at, function in enumerate(found.functions):
        path = ("functions", at)
        yield from _function_name_problems(function, language, taken, (*path, "names"))
        yield from _function_problems(function, language, path)


def _function_name_problems(function: Function, language: str, taken: set[str], path: KeyPath) -> Iterator[Problem]:
    if not function.names or not all(name.strip(".") and not name.split()[1:] for name in function.names):
        yield Problem("`names` must list the functions' names, one word each", path)
    for name in function.names:
        plain = name.replace("::", ".").removesuffix("()")
        if plain != name:
            yield Problem(f"`{name}` is written with dots, and without parentheses: `{plain}`", path)
        if language == "python" and name.startswith("."):
            yield Problem(f"`{name}` must name the class of the method: `module.Class{name}`", path)
        if name in taken:
            yield Problem(f"`{name}` is described twice", path)
        taken.add(name)


def _function_problems(function: Function, language: str, path: KeyPath) -> Iterator[Problem]:
    for argument, role in function.arguments.items():
        here = (*path, "arguments", argument)
        yield from word_problems(argument, argument_names(language), "argument", here)
        yield from role_problems(role, here, function_roles(language))
    for kind in function.effects:
        yield from kind_problems(kind, (*path, "effects"))
    yield from flag_problems(function.flags, (*path, "flags"))
    yield from flag_problems(function.result.marks, (*path, "result", "from"))
    yield from word_problems(function.result.computed, COMPUTED, "computed result", (*path, "result", "computed"))
    if function.reader and not reader_names(language):
        yield Problem(f"`reader` is not for functions of {language}", (*path, "reader"))
    yield from word_problems(function.reader, reader_names(language), "reader", (*path, "reader"))
    for at, example in enumerate(function.examples):
        yield from _code_example_problems(example, (*path, "examples", at))


def _cmdlet_problems(cmdlet: Cmdlet, taken: set[str], path: KeyPath) -> Iterator[Problem]:
    if not cmdlet.names or not all(name.strip() and not name.split()[1:] for name in cmdlet.names):
        yield Problem("`names` must list the names of cmdlets, one word each", (*path, "names"))
    for name in cmdlet.names:
        if name.lower() in taken:
            yield Problem(f"`{name}` is described twice", (*path, "names"))
        taken.add(name.lower())
    yield from kind_problems(cmdlet.does, (*path, "does"))
    yield from flag_problems(cmdlet.flags, (*path, "flags"))
    yield from _parameter_problems(cmdlet, path)
    yield from flag_problems(cmdlet.result.marks, (*path, "result", "from"))
    if "." not in cmdlet.result.kind:  # else it is a class of .NET
        yield from word_problems(cmdlet.result.kind, CMDLET_RESULTS, "result", (*path, "result", "is"))
    if cmdlet.result.computed:
        yield Problem("`computed` is not for cmdlets", (*path, "result", "computed"))
    for at, example in enumerate(cmdlet.examples):
        yield from _code_example_problems(example, (*path, "examples", at))


def _parameter_problems(cmdlet: Cmdlet, path: KeyPath) -> Iterator[Problem]:
    roles = (*CMDLET_ROLES, *KINDS, *(f"code:{language}" for language in sorted(LANGUAGES)))
    taken: set[str] = set()
    for key, listed in (("parameters", cmdlet.parameters), ("switches", cmdlet.switches)):
        for names in listed:
            for name in names.split():
                if name.startswith("-"):
                    yield Problem(f"`{name}` is written without the `-`: `{name.lstrip('-')}`", (*path, key, names))
                if name.lower() in taken:
                    yield Problem(f"the parameter `{name}` is described twice", (*path, key, names))
                taken.add(name.lower())
    for names, role in cmdlet.parameters.items():
        yield from role_problems(role, (*path, "parameters", names), roles)
    for names, flags in cmdlet.switches.items():
        yield from flag_problems(flags, (*path, "switches", names))
    known = [name for names in cmdlet.parameters for name in names.split()] or list(cmdlet.positional)
    if cmdlet.piped and cmdlet.piped not in (*known, *cmdlet.positional):
        yield from word_problems(cmdlet.piped, known, "parameter", (*path, "piped"))


def _code_example_problems(example: FunctionExample, path: KeyPath) -> Iterator[Problem]:
    if not example.code.strip():
        yield Problem("`code` must be a piece of code", (*path, "code"))
    yield from effect_problems(example.effects, (*path, "effects"))

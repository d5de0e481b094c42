"""Command lines inside the arguments of tools that are named after a program, or that begin with one.

The program comes from the text (`{"cli_command": "aws s3 ls"}`) or from the name of the tool (`kubectl {"args": ["get",
"pods"]}`, `terraform {"command": "validate"}`).
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from interlock.analyse.tools.arguments import parse_json
from interlock.analyse.tools.named_commands import COMMANDS, ENCLOSING, SUBCOMMANDS, command_of_name
from interlock.analyse.tools.program_names import (
    ATTACKING,
    FIRST_WORD,
    begins_in_shell,
    is_program,
    is_telling,
    program_of,
    whole_program,
    words_with_digits,
)
from interlock.knowledge.catalogue import PROGRAMS, read_table
from interlock.knowledge.table_types.tool_content_words import CodeWords
from interlock.payload import MAPPINGS, MAX_DEPTH, MAX_LEAVES, SCALARS, format_value, key_of
from interlock.sanitise import clean

_WORDS = read_table("tool-code", CodeWords)
#: Keys of command lines, as texts or lists of words.
LINE_KEYS = _WORDS.line_keys
_SEVERAL = frozenset({"commands", "cmds", "cli_commands", "lines"})  # each word or text in them is a line
_HEADS = SUBCOMMANDS | _WORDS.head_keys


def command_lines(tool_name: str, payload: Mapping[str, Any]) -> list[str]:
    """Return the command lines in the arguments of a tool that is named after a program, or that begin with one."""
    program = program_of(tool_name) or whole_program(tool_name)
    found = list(dict.fromkeys(_lines(program, payload, 0)))
    found = [_install_command(tool_name, line) for line in found]
    if program and (not found or program in ENCLOSING or program in ATTACKING):
        found += command_of_name(program, tool_name, payload)
    return found


def _install_command(tool_name: str, line: str) -> str:
    """Return a line of a package manager with its command, where only the tool's name says that it installs."""
    first, _, rest = line.partition(" ")
    if first in _WORDS.package_managers and rest[:1] == "-" and "install" in words_with_digits(tool_name):
        return f"{first} install {rest}"
    return line


def _lines(program: str, value: Any, depth: int) -> Iterator[str]:
    """Yield the command lines in a value, at any depth."""
    if depth > MAX_DEPTH:
        return
    if _is_json(value):
        value = parse_json(value)
    if isinstance(value, MAPPINGS):
        named = [(key_of(name), part) for name, part in list(value.items())[:MAX_LEAVES]]
        if _TELLING_KEYS.isdisjoint([key for key, _ in named]):
            yield from _lines_within(program, value.values(), depth)
            return
        head = next(iter([text for key, text in named if key in _HEADS and isinstance(text, str)]), "")
        pieces = [part for key, part in named if key in _WORDS.piece_keys and part and isinstance(part, _PIECES)]
        for key, part in named:
            if pieces and part == head and key in _HEADS and part.isalnum():
                continue  # the pieces belong to it
            if key in LINE_KEYS or (head and key in _WORDS.piece_keys and isinstance(part, (list, tuple))):
                yield from _under_key(program, key, part, head)
            if not isinstance(part, SCALARS) or (isinstance(part, str) and part[:1] in _OPENING):
                yield from _lines(program, part, depth + 1)
    elif isinstance(value, (list, tuple)):
        yield from _lines_within(program, value, depth)


#: Keys of which one is beside each command line.
_TELLING_KEYS = LINE_KEYS | _HEADS | _WORDS.piece_keys


def _lines_within(program: str, parts: Collection[Any], depth: int) -> Iterator[str]:
    """Yield the command lines in values that stand under no key of command lines."""
    for part in [one for one in islice(parts, MAX_LEAVES) if not isinstance(one, SCALARS) or _is_json(one)]:
        yield from _lines(program, part, depth + 1)


def _is_json(value: Any) -> bool:
    return isinstance(value, str) and value[:1] in _OPENING


_OPENING = ("{", "[")
_PIECES = (str, list, tuple)


def _under_key(program: str, key: str, value: Any, head: str) -> Iterator[str]:
    if isinstance(value, str):
        value = parse_json(value) if value[:1] == "[" else value
    if isinstance(value, str) and value.strip():
        line = clean(value).strip()
        if head and key in _WORDS.piece_keys and head != value:
            line = f"{head} {line}"
        yield from _complete(program, line, key)
    elif isinstance(value, (list, tuple)) and value and all(isinstance(part, (str, int, float)) for part in value):
        words = [clean(format_value(part, 10_000)) for part in value]
        if (key in _SEVERAL or all(" " in word for word in words)) and key not in _WORDS.piece_keys:
            for word in words:  # several lines
                yield from _complete(program, word, key)
            return
        line = " ".join(shlex.quote(word) for word in words)
        yield from _complete(program, f"{head} {line}" if head and key in _WORDS.piece_keys else line, key)


def _complete(program: str, line: str, key: str) -> Iterator[str]:
    """Yield a line with its program in front, unless it is prose."""
    first = FIRST_WORD.match(line)
    name = first[0].rpartition("/")[2] if first else ""
    if program and name != program and not (is_program(name) and not _is_command_of(program, name)):
        if is_program(name) and name not in _own_commands(program):
            yield line  # `pod_exec {"command": ["sh", "-c", …]}` does not run CocoaPods
        if key in _WORDS.free_keys and program not in _SPEAKING:
            return
        for part in line.split(";") if program == "redis-cli" else (line,):
            yield f"{program} {part.strip()}"
    elif (is_program(name) and (program or key not in _WORDS.free_keys or is_telling(line))) or begins_in_shell(line):
        yield line


@lru_cache(maxsize=512)
def _own_commands(program: str) -> frozenset[str]:
    """Return the commands of a program."""
    known = PROGRAMS.get(program.partition(" ")[0])
    named = [name for key, one in known.commands.items() for name in (key, *one.also)] if known else []
    own = frozenset(name.partition(" ")[0] for name in named) | COMMANDS.get(program, frozenset())
    return own if named else own | _WORDS.common_commands


def _is_command_of(program: str, name: str) -> bool:
    """Whether a word that is a program too is rather a command of another: `kubectl {"args": ["cp", …]}`."""
    return (
        program not in _WORDS.enclosing_programs or name in COMMANDS.get(program, ()) or name in _WORDS.common_commands
    )


_SPEAKING = frozenset({"redis-cli"})  # programs whose commands are queries

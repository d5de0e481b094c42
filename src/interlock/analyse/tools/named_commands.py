"""The command of a program that a tool is named after, with its arguments as options: `git_push {"force": true}`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from interlock.analyse.tools.program_names import (
    ATTACKING,
    PROGRAM_BY_WORD,
    PROGRAM_TABLE,
    program_of,
    words_with_digits,
)
from interlock.analyse.tools.vocabulary import group_of
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.tool_content_words import CodeWords
from interlock.patterns import late
from interlock.payload import MAPPINGS, format_value, key_of, leaves, plain_key
from interlock.sanitise import clean

_WORDS = read_table("tool-code", CodeWords)

COMMANDS = {program: frozenset(words) for program, words in PROGRAM_TABLE.commands.items()}
_POSITIONS = {key: at for at, key in enumerate(PROGRAM_TABLE.positions["keys"])}
SUBCOMMANDS = frozenset({"subcommand", "sub_command", "sub", "subcmd"})
_OPERATIONS = frozenset({"op", "operation", "action", "verb"})
ENCLOSING = frozenset({"docker", "podman", "nerdctl"})  # programs that run a command in what their options open to it


def command_of_name(program: str, tool_name: str, payload: Mapping[str, Any]) -> list[str]:
    """Return the command that the name of a tool stands for, with its arguments as options."""
    words = words_with_digits(tool_name)
    if program == "aws":
        return _of_cloud(words, payload)
    given = [(key_of(key), value) for key, value in list(payload.items())[:40]]
    command = _find_named_command(program, words)
    if command:
        given = [("subcommand" if key in _OPERATIONS and value != command[-1] else key, value) for key, value in given]
    elif program in ATTACKING:
        return list(_attack_command(program, given))
    elif not any(key in SUBCOMMANDS and isinstance(value, str) for key, value in given):
        return []
    if program in ENCLOSING:
        given = list(_container_options(given))
    manifest = next((value for key, value in given if key in _WORDS.manifest_keys and isinstance(value, str)), "")
    placed = sorted((one for one in given if one[0] in _POSITIONS), key=lambda one: _POSITIONS[one[0]])
    positions = [
        clean(format_value(one, 500)) if key in SUBCOMMANDS else shlex.quote(clean(format_value(one, 500)))
        for key, value in placed
        for one in _each(value)
        if one is not None
    ]
    options = [
        text
        for key, value in given
        if key not in _POSITIONS and key not in _WORDS.envelope_keys and value is not manifest
        for text in (
            _words(value)
            if key in _WORDS.piece_keys
            else format_option(*_mode(program, _WORDS.option_names.get(key, key), value))
        )
    ]
    if manifest and command and program in ("kubectl", "oc"):
        return [f"{' '.join([program, command[0], '-f', '-', *options])} <<'MANIFEST'\n{clean(manifest)}\nMANIFEST"]
    return [" ".join([program, *command, *options, *positions])]


def _attack_command(program: str, given: Sequence[tuple[str, Any]]) -> Iterator[str]:
    """Yield the command of a program that scans or attacks: its options as they are, and then what it is aimed at."""
    texts = [value for _, value in leaves(dict(given)) if isinstance(value, str)]
    options = [clean(text[:500]) for text in texts if text.startswith("-")]
    aims = [shlex.quote(clean(text[:500])) for text in texts if text[:1] != "-" and not _PORTS.fullmatch(text)]
    if options or aims:
        yield " ".join([program, *options, *aims])


_PORTS = late(r"[\d,\s-]*")


def _mode(program: str, key: str, value: Any) -> tuple[str, Any]:
    """Return an option of a tool as its program has it: `git_reset {"mode": "hard"}` is `git reset --hard`."""
    if program == "git" and key == "mode" and value in ("hard", "soft", "mixed", "keep"):
        return str(value), True
    return key, value


def _find_named_command(program: str, words: tuple[str, ...]) -> list[str]:
    """Return the command that the name of a tool stands for, as words, or nothing."""
    at = max((at for at, word in enumerate(words) if PROGRAM_BY_WORD.get(word) == program), default=-1)
    rest = list(words[at + 1 :] or words)
    commands = COMMANDS.get(program, frozenset())
    if program in ENCLOSING:
        named = rest[1:] and rest[0] in _ENCLOSED_MANY  # `docker.images.tag` is no list of images
        rest = [word for word in rest[1 if named else 0 :] if word not in _ENCLOSED]
    if rest[:1] and rest[0] in _FILLERS and rest[0] not in commands:
        rest = rest[1:]
    return rest if rest and rest[0] in commands else []


def _container_options(given: Sequence[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield the arguments of a call for a container as options of the program: those of its host, volumes, mounts."""
    for key, value in given:
        if isinstance(value, MAPPINGS) and key == "host_config":
            yield from _container_options([(plain_key(format_value(name, 100)), part) for name, part in value.items()])
        elif isinstance(value, MAPPINGS) and _WORDS.option_names.get(key) == "volume":
            bound = (part.get("bind", "") if isinstance(part, MAPPINGS) else part for part in value.values())
            yield key, [f"{place}:{inside}" for place, inside in zip(value, bound, strict=True)]
        elif isinstance(value, (list, tuple)) and any(isinstance(part, MAPPINGS) for part in value):
            named = ([(plain_key(name), text) for name, text in part.items()] for part in value[:20] if part)
            yield key, [",".join(f"{name}={text}" for name, text in one if isinstance(text, str)) for one in named]
        else:
            yield key, value


_ENCLOSED = frozenset({"image", "container", "containers"})
_ENCLOSED_MANY = frozenset({"images", "containers"})


def is_named_after_command(tool_name: str) -> bool:
    """Whether a tool is named after a command of a program: `kubectl_get`."""
    program = program_of(tool_name)
    return bool(program) and bool(_find_named_command(program, words_with_digits(tool_name)))


def _of_cloud(words: tuple[str, ...], payload: Mapping[str, Any]) -> list[str]:
    """Return the command of the AWS client that a tool is named after: `dynamodb_delete_table {"TableName": "x"}`."""
    at = max((at for at, word in enumerate(words) if word in _WORDS.cloud_services), default=-1)
    rest = words[at + 1 :]
    if at < 0 or len(rest) < _SHORTEST or not _WORDS.told_otherwise.isdisjoint(rest) or not group_of(rest[0]):
        return []  # every operation begins with a verb
    given = [(key_of(key), value) for key, value in list(payload.items())[:40]]
    options = [text for key, value in given if key not in _WORDS.envelope_keys for text in format_option(key, value)]
    return [" ".join(["aws", words[at], "-".join(rest), *options])]


_SHORTEST = 2  # words of an operation
_FILLERS = frozenset({"cli", "run", "execute", "do"})


def _words(value: Any) -> Iterator[str]:
    """Yield the words of a list of options: `["--show-secrets", "--json"]`."""
    if isinstance(value, (list, tuple)):
        yield from (shlex.quote(clean(part)) for part in value[:20] if isinstance(part, str))


def _each(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else (value,)


def format_option(key: str, value: Any) -> Iterator[str]:
    name = key.replace("_", "-")
    if value is True:
        yield f"--{name}"
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield f"--{name}={shlex.quote(clean(format_value(value, 2000)))}"
    elif isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value):
        yield from (f"--{name}={shlex.quote(clean(part))}" for part in value[:20])

"""Command lines inside the arguments of tools that are named after a program.

The program comes from the text (`{"cli_command": "aws s3 ls"}`) or from the name of the tool (`kubectl {"args": ["get",
"pods"]}`, `terraform {"command": "validate"}`). A tool may also be named after one command: `git_push {"force": true}`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from interlock.analyse.tools.arguments import Argument, parse_json
from interlock.analyse.tools.words import group_of
from interlock.knowledge.catalogue import PROGRAMS, read_table
from interlock.knowledge.tool_content_words import CodeWords
from interlock.knowledge.tool_tables import ToolPrograms
from interlock.patterns import late
from interlock.payload import MAPPINGS, MAX_DEPTH, MAX_LEAVES, SCALARS, format_value, plain_key
from interlock.sanitise import clean

_WORDS = read_table("tool-code", CodeWords)

_TABLE = read_table("tool-programs", ToolPrograms)
_BY_WORD = {word: program for program, words in _TABLE.programs.items() for word in words}
_COMMANDS = {program: frozenset(words) for program, words in _TABLE.commands.items()}
_POSITIONS = {key: at for at, key in enumerate(_TABLE.positions["keys"])}
#: Keys of command lines, as texts or lists of words.
LINE_KEYS = _WORDS.line_keys
_SEVERAL = frozenset({"commands", "cmds", "cli_commands", "lines"})  # each word or text in them is a line
_SUBCOMMANDS = frozenset({"subcommand", "sub_command", "sub", "subcmd"})
_OPERATIONS = frozenset({"op", "operation", "action", "verb"})
_HEADS = _SUBCOMMANDS | _WORDS.head_keys
_WORD = late(r"[\w./@+-]+")


@lru_cache(maxsize=4096)
def program_of(tool_name: str) -> str:
    """Return the program that a tool is named after, or an empty text.

    >>> program_of("mcp__gcloud__run_gcloud_command"), program_of("redis_cli"), program_of("create_task")
    ('gcloud', 'redis-cli', '')
    """
    words = _words_with_digits(tool_name)
    found = next((_BY_WORD[word] for word in reversed(words) if word in _BY_WORD), "")
    if not found and not _WORDS.cloud_services.isdisjoint(words):
        return "aws" if "command" not in words else ""  # `ssm_send_command` runs commands on machines
    return found


@lru_cache(maxsize=4096)
def whole_program(tool_name: str) -> str:
    """Return the program whose name is all that a tool's name says: `gpg_run`, `mcp__x__restic`, `zk_cli`."""
    server = tool_name.rpartition("__")[2]
    words = [word for word in _words_with_digits(server) if word not in _WORDS.wrapping_words]
    if words == ["compose"]:
        return "docker compose"
    joined = ("-".join(words), "-".join(_words_with_digits(server)))
    return next((name for name in joined if name in PROGRAMS and name not in _WORDS.plain_words), "") if words else ""


@lru_cache(maxsize=4096)
def _words_with_digits(tool_name: str) -> tuple[str, ...]:
    """Return the words of a name, with the digits that belong to them: `route53`, `k8s`."""
    return tuple(word.lower() for word in _PARTS.split(tool_name[:200]) if word)


_PARTS = late(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")


def command_lines(tool_name: str, payload: Mapping[str, Any]) -> list[str]:
    """Return the command lines in the arguments of a tool that is named after a program, or that begin with one."""
    program = program_of(tool_name) or whole_program(tool_name)
    found = list(dict.fromkeys(_lines(program, payload, 0)))
    found = [_install_command(tool_name, line) for line in found]
    if program and (not found or program in _ENCLOSING):
        found += _by_name(program, tool_name, payload)
    return found


_ENCLOSING = frozenset({"docker", "podman", "nerdctl"})  # programs that run a command in what their options open to it


def _install_command(tool_name: str, line: str) -> str:
    """Return a line of a package manager with its command, where only the tool's name says that it installs."""
    first, _, rest = line.partition(" ")
    if first in _WORDS.package_managers and rest[:1] == "-" and "install" in _words_with_digits(tool_name):
        return f"{first} install {rest}"
    return line


def manifest_lines(tool_name: str, arguments: Sequence[Argument]) -> list[str]:
    """Return commands that apply the Kubernetes manifests among arguments, unless the tool only looks at them."""
    if not _WORDS.looking_words.isdisjoint(_words_with_digits(tool_name)):
        return []
    found = [one.value for one in arguments if isinstance(one.value, str) and _MANIFEST.match(one.value)]
    options = "".join(f" {option}" for one in arguments for option in _cluster_options(one)) if found else ""
    return [f"kubectl apply -f -{options} <<'MANIFEST'\n{clean(text)}\nMANIFEST" for text in found]


def _cluster_options(one: Argument) -> Iterator[str]:
    """Yield the options of `kubectl` that tell to which cluster a manifest goes, and whether it is only checked."""
    if len(one.keys) != 1:
        return
    if one.key in _WORDS.cluster_keys and isinstance(one.value, str):
        yield from _option("context", one.value)
    elif one.key in ("dry_run", "dryrun") and (one.value is True or one.text in ("client", "server", "true", "All")):
        yield "--dry-run=server"


_MANIFEST = late(r"\s*(?:#[^\n]*\n|---\s*\n)*(?:apiVersion|kind):\s*\S+\s*\n")


def _lines(program: str, value: Any, depth: int) -> Iterator[str]:
    """Yield the command lines in a value, at any depth."""
    if depth > MAX_DEPTH:
        return
    if _is_json(value):
        value = parse_json(value)
    if isinstance(value, MAPPINGS):
        named = [(plain_key(format_value(name, 100)), part) for name, part in list(value.items())[:MAX_LEAVES]]
        head = next((text for key, text in named if key in _HEADS and isinstance(text, str)), "")
        pieces = any(key in _WORDS.piece_keys and isinstance(part, (str, list, tuple)) and part for key, part in named)
        for key, part in named:
            if pieces and part == head and key in _HEADS and part.isalnum():
                continue  # the pieces belong to it
            if key in LINE_KEYS or (head and key in _WORDS.piece_keys and isinstance(part, (list, tuple))):
                yield from _under_key(program, key, part, head)
            if not isinstance(part, SCALARS) or _is_json(part):
                yield from _lines(program, part, depth + 1)
    elif isinstance(value, (list, tuple)):
        for part in value[:MAX_LEAVES]:
            if not isinstance(part, SCALARS) or _is_json(part):
                yield from _lines(program, part, depth + 1)


def _is_json(value: Any) -> bool:
    return isinstance(value, str) and value[:1] in ("{", "[")


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
    """Yield a line with its program in front, unless it is a free text that is no command."""
    first = _WORD.match(line)
    name = first[0].rpartition("/")[2] if first else ""
    if program and name != program and not (is_program(name) and not _is_command_of(program, name)):
        if is_program(name) and name not in _own_commands(program):
            yield line  # `pod_exec {"command": ["sh", "-c", …]}` does not run CocoaPods
        if key in _WORDS.free_keys and program not in _SPEAKING:
            return
        for part in line.split(";") if program == "redis-cli" else (line,):
            yield f"{program} {part.strip()}"
    elif (is_program(name) and (program or key not in _WORDS.free_keys or _is_telling(line))) or begins_in_shell(line):
        yield line


@lru_cache(maxsize=512)
def _own_commands(program: str) -> frozenset[str]:
    """Return the commands of a program."""
    known = PROGRAMS.get(program.partition(" ")[0])
    named = [name for key, one in known.commands.items() for name in (key, *one.also)] if known else []
    own = frozenset(name.partition(" ")[0] for name in named) | _COMMANDS.get(program, frozenset())
    return own if named else own | _WORDS.common_commands


def is_program(name: str) -> bool:
    """Whether a word is the name of a program: one of the catalogue, a shell, or one that shells know themselves."""
    return name in PROGRAMS or name in _WORDS.shell_programs


def begins_in_shell(line: str) -> bool:
    """Whether a line begins with a word of the shell and goes on as a command: `echo Y3Vy… | base64 -d | sh`."""
    first = _WORD.match(line)
    return first is not None and first[0] in _WORDS.shell_words and _is_telling(line)


def _is_command_of(program: str, name: str) -> bool:
    """Whether a word that is a program too is rather a command of another: `kubectl {"args": ["cp", …]}`."""
    return (
        program not in _WORDS.enclosing_programs or name in _COMMANDS.get(program, ()) or name in _WORDS.common_commands
    )


_SPEAKING = frozenset({"redis-cli"})  # programs whose commands are queries
_TELLING = late(r"\s-{1,2}\w|[|;&<>`$]|\s[~./]")


def _is_telling(line: str) -> bool:
    """Whether a text that begins with the name of a program is a command rather than a phrase."""
    return _TELLING.search(line) is not None


def _by_name(program: str, tool_name: str, payload: Mapping[str, Any]) -> list[str]:
    """Return the command that the name of a tool stands for, with its arguments as options."""
    words = _words_with_digits(tool_name)
    if program == "aws":
        return _of_cloud(words, payload)
    given = [(plain_key(format_value(key, 100)), value) for key, value in list(payload.items())[:40]]
    command = _named_command(program, words)
    if command:
        given = [("subcommand" if key in _OPERATIONS and value != command[-1] else key, value) for key, value in given]
    elif not any(key in _SUBCOMMANDS and isinstance(value, str) for key, value in given):
        return []
    manifest = next((value for key, value in given if key in _WORDS.manifest_keys and isinstance(value, str)), "")
    placed = sorted((one for one in given if one[0] in _POSITIONS), key=lambda one: _POSITIONS[one[0]])
    positions = [
        clean(format_value(one, 500)) if key in _SUBCOMMANDS else shlex.quote(clean(format_value(one, 500)))
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
            else _option(*_mode(program, _WORDS.option_names.get(key, key), value))
        )
    ]
    if manifest and command and program in ("kubectl", "oc"):
        return [f"{' '.join([program, command[0], '-f', '-', *options])} <<'MANIFEST'\n{clean(manifest)}\nMANIFEST"]
    return [" ".join([program, *command, *options, *positions])]


def _mode(program: str, key: str, value: Any) -> tuple[str, Any]:
    """Return an option of a tool as its program has it: `git_reset {"mode": "hard"}` is `git reset --hard`."""
    if program == "git" and key == "mode" and value in ("hard", "soft", "mixed", "keep"):
        return str(value), True
    return key, value


def _named_command(program: str, words: tuple[str, ...]) -> list[str]:
    """Return the command that the name of a tool stands for, as words, or nothing."""
    at = max((at for at, word in enumerate(words) if _BY_WORD.get(word) == program), default=-1)
    rest = list(words[at + 1 :] or words)
    commands = _COMMANDS.get(program, frozenset())
    if program in _ENCLOSING:
        named = rest[1:] and rest[0] in _ENCLOSED_MANY  # `docker.images.tag` is no list of images
        rest = [word for word in rest[1 if named else 0 :] if word not in _ENCLOSED]
    if rest[:1] and rest[0] in _FILLERS and rest[0] not in commands:
        rest = rest[1:]
    return rest if rest and rest[0] in commands else []


_ENCLOSED = frozenset({"image", "container", "containers"})
_ENCLOSED_MANY = frozenset({"images", "containers"})


def names_command(tool_name: str) -> bool:
    """Whether a tool is named after a command of a program: `kubectl_get`."""
    program = program_of(tool_name)
    return bool(program) and bool(_named_command(program, _words_with_digits(tool_name)))


def _of_cloud(words: tuple[str, ...], payload: Mapping[str, Any]) -> list[str]:
    """Return the command of the AWS client that a tool is named after: `dynamodb_delete_table {"TableName": "x"}`."""
    at = max((at for at, word in enumerate(words) if word in _WORDS.cloud_services), default=-1)
    rest = words[at + 1 :]
    if at < 0 or len(rest) < _SHORTEST or not _WORDS.told_otherwise.isdisjoint(rest) or not group_of(rest[0]):
        return []  # every operation begins with a verb
    given = [(plain_key(format_value(key, 100)), value) for key, value in list(payload.items())[:40]]
    options = [text for key, value in given if key not in _WORDS.envelope_keys for text in _option(key, value)]
    return [" ".join(["aws", words[at], "-".join(rest), *options])]


_SHORTEST = 2  # words of an operation
_FILLERS = frozenset({"cli", "run", "execute", "do"})


def _words(value: Any) -> Iterator[str]:
    """Yield the words of a list of options: `["--show-secrets", "--json"]`."""
    if isinstance(value, (list, tuple)):
        yield from (shlex.quote(clean(part)) for part in value[:20] if isinstance(part, str))


def _each(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else (value,)


def _option(key: str, value: Any) -> Iterator[str]:
    name = key.replace("_", "-")
    if value is True:
        yield f"--{name}"
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield f"--{name}={shlex.quote(clean(format_value(value, 2000)))}"
    elif isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value):
        yield from (f"--{name}={shlex.quote(clean(part))}" for part in value[:20])

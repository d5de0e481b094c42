"""The program that a tool is named after, and whether a word is the name of a program."""

from __future__ import annotations

from functools import lru_cache

from interlock.knowledge.catalogue import PROGRAMS, read_table
from interlock.knowledge.table_types.tool_calls import ToolPrograms
from interlock.knowledge.table_types.tool_content_words import CodeWords
from interlock.patterns import late

_WORDS = read_table("tool-code", CodeWords)

PROGRAM_TABLE = read_table("tool-programs", ToolPrograms)
ATTACKING = frozenset(PROGRAM_TABLE.attacking["programs"])
PROGRAM_BY_WORD = {word: program for program, words in PROGRAM_TABLE.programs.items() for word in words}
PROGRAM_BY_WORD |= {program: program for program in ATTACKING}
FIRST_WORD = late(r"[\w./@+-]+")


@lru_cache(maxsize=4096)
def program_of(tool_name: str) -> str:
    """Return the program that a tool is named after, or an empty text.

    >>> program_of("mcp__gcloud__run_gcloud_command"), program_of("redis_cli"), program_of("create_task")
    ('gcloud', 'redis-cli', '')
    """
    words = words_with_digits(tool_name)
    found = next((PROGRAM_BY_WORD[word] for word in reversed(words) if word in PROGRAM_BY_WORD), "")
    if not found and not _WORDS.cloud_services.isdisjoint(words):
        return "aws" if "command" not in words else ""  # `ssm_send_command` runs commands on machines
    return found


@lru_cache(maxsize=4096)
def whole_program(tool_name: str) -> str:
    """Return the program whose name is all that a tool's name says: `gpg_run`, `mcp__x__restic`, `zk_cli`."""
    server = tool_name.rpartition("__")[2]
    words = [word for word in words_with_digits(server) if word not in _WORDS.wrapping_words]
    if words == ["compose"]:
        return "docker compose"
    joined = ("-".join(words), "-".join(words_with_digits(server)))
    return next((name for name in joined if name in PROGRAMS and name not in _WORDS.plain_words), "") if words else ""


@lru_cache(maxsize=4096)
def words_with_digits(tool_name: str) -> tuple[str, ...]:
    """Return the words of a name, with the digits that belong to them: `route53`, `k8s`."""
    return tuple(word.lower() for word in _PARTS.split(tool_name[:200]) if word)


_PARTS = late(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")


def is_program(name: str) -> bool:
    """Whether a word is the name of a program: one of the catalogue, a shell, or one that shells know themselves."""
    return name in PROGRAMS or name in _WORDS.shell_programs


def begins_in_shell(line: str) -> bool:
    """Whether a line begins with a word of the shell and goes on as a command: `echo Y3Vy… | base64 -d | sh`."""
    first = FIRST_WORD.match(line)
    return first is not None and first[0] in _WORDS.shell_words and is_telling(line)


_TELLING = late(r"\s-{1,2}\w|[|;&<>`$]|\s[~./]")


def is_telling(line: str) -> bool:
    """Whether a text that begins with the name of a program is a command rather than a phrase."""
    return _TELLING.search(line) is not None

"""The programs that a command runs, by the first words of its parts."""

from __future__ import annotations

from interlock.memory.calls.words import command_words
from interlock.memory.changes import MAX_TEXT
from interlock.model import Action, Analysis
from interlock.patterns import late

_PARTS = late(r"(?:[\n;|()`]|(?<![<>])&(?!>))+|\$\(")
_NAME = late(r"[\w./~+-]*[A-Za-z][\w./~+-]*")
_QUOTED = late(r"'[^']*'|\"[^\"$`]*\"")
MAX_PROGRAMS = 12


def programs_of_command(analysis: Analysis) -> tuple[tuple[str, str], ...]:
    """Return the programs that a command runs, without their folders, each with the word that follows it."""
    if "shell" not in analysis.languages:
        return ()
    text = _QUOTED.sub("_", analysis.text[:MAX_TEXT])
    found = (_command_of(part) for part in _PARTS.split(text))
    return tuple(dict.fromkeys(one for one in found if one[0]))[:MAX_PROGRAMS]


def find_programs(analysis: Analysis) -> tuple[str, ...]:
    """Return the programs that a command runs. A program of a family is replaced by the head of the family."""
    return tuple(dict.fromkeys(family_of(program) for program, _ in programs_of_command(analysis)))


def commands_or_tool(action: Action, analysis: Analysis) -> tuple[str, ...]:
    """Return the commands that an action runs, each with its subcommand; for a tool call, the tool."""
    return tuple(f"{program} {word}".strip() for program, word in programs_of_command(analysis)) or (action.tool_name,)


def family_of(program: str) -> str:
    """Return the head of a program's family: the program whose settings it follows."""
    return command_words().families.get(program, program)


def _command_of(part: str) -> tuple[str, str]:
    words = [word for word in part.split() if "=" not in word and not word.startswith("-")]
    while words and (words[0] in command_words().wrappers or (words[0] in command_words().runners and len(words) > 1)):
        words = words[1:]
    if not words or not _NAME.fullmatch(words[0].strip("'\"")):
        return "", ""
    return words[0].strip("'\"").rpartition("/")[2], words[1].strip("'\"") if len(words) > 1 else ""

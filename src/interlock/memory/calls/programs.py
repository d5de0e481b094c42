"""The programs that a command runs, each with its first operand."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.memory.calls.command_lines import name_of, read_command_line
from interlock.memory.calls.words import command_words
from interlock.model import Action, Analysis, ProgramCall

MAX_PROGRAMS = 12


def programs_of_command(analysis: Analysis) -> tuple[tuple[str, str], ...]:
    """Return the programs that an action runs, without their folders, each with its first word and its first operand.

    A program that only runs another one, such as `sudo`, is left out.
    """
    found: dict[tuple[str, str], None] = {}
    for call in inner_calls(analysis):
        if len(found) >= MAX_PROGRAMS:
            break
        found.update(dict.fromkeys((name_of(call), word) for word in _first_words(call)))
    return tuple(found)


def inner_calls(analysis: Analysis) -> Iterator[ProgramCall]:
    """Yield the programs that an action runs, without those that only run another one."""
    calls = analysis.commands
    for at, call in enumerate(calls):
        inner = _find_inner(call, calls[at + 1] if at + 1 < len(calls) else None)
        if inner is not None:
            yield inner


def _find_inner(call: ProgramCall, following: ProgramCall | None) -> ProgramCall | None:
    """Return the program that a wrapper runs, or None if that is the next one; for any other program, the program."""
    while name_of(call) in command_words().wrappers | command_words().runners:
        at = next((at for at, word in enumerate(call.words) if at and word[:1] != "-" and "=" not in word), 0)
        if not at:
            break
        if following is not None and following.words[0] in call.words[1:]:
            return None
        call = ProgramCall(call.words[at:], call.folder, call.call)
    return call


def _first_words(call: ProgramCall) -> Iterator[str]:
    """Yield the first word that is no option, and the first operand: `.` and `commit` of `git -C . commit`."""
    plain = (word for word in call.words[1:] if word[:1] != "-" and "=" not in word)
    yield next(plain, "")
    yield next(iter(read_command_line(call).plain_operands), "")


def find_programs(analysis: Analysis) -> tuple[str, ...]:
    """Return the programs that a command runs. A program of a family is replaced by the head of the family."""
    return tuple(dict.fromkeys(family_of(program) for program, _ in programs_of_command(analysis)))


def commands_or_tool(action: Action, analysis: Analysis) -> tuple[str, ...]:
    """Return the commands that an action runs, each with its first operand; for code and tool calls, also the tool."""
    commands = tuple(f"{program} {word}".strip() for program, word in programs_of_command(analysis))
    return commands if commands and "shell" in analysis.languages else (*commands, action.tool_name)


def family_of(program: str) -> str:
    """Return the head of a program's family: the program whose settings it follows."""
    return command_words().families.get(program, program)

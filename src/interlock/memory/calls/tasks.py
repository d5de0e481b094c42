"""Programs that run code of the project, and tasks that only look at its files, build it or test it."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from interlock.knowledge.catalogue import PROGRAMS, read_table
from interlock.knowledge.table_types.commands import ProjectTasks
from interlock.knowledge.table_types.files import Languages
from interlock.memory.calls.command_lines import CommandLine, read_command_line
from interlock.memory.calls.switches import switch_table
from interlock.model import Analysis, Effect, ProgramCall
from interlock.patterns import late

_CODE = ("code.", "process.spawn")
_SPLIT = late(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
#: Words between a task runner and the name of its task.
_RUN = frozenset({"run", "run-script", "exec", "x", "task", "dlx"})

#: The programs of an action, by the number of their command.
ProgramsByCommand = dict[int, list[ProgramCall]]


def programs_by_command(analysis: Analysis) -> ProgramsByCommand:
    """Return the programs of an action by the number of their command, as effects have it."""
    found: ProgramsByCommand = {}
    for call in analysis.commands:
        found.setdefault(call.call, []).append(call)
    return found


def may_do_more(effect: Effect, programs: ProgramsByCommand) -> bool:
    """Whether the command of an effect runs code that may do more than what was found."""
    found = [read_command_line(call) for call in programs.get(effect.call, ())]
    return not found or any(runs_code(line.program, effect) and not only_looks(line) for line in found)


def only_looks(line: CommandLine) -> bool:
    """Whether a command runs nothing but tasks that look at files: `npm run lint`."""
    return is_task(line, _words("local"))


def is_task(line: CommandLine, words: frozenset[str]) -> bool:
    """Whether the names of all tasks that a command runs consist of such words, and of those that may stand beside."""
    named = _named_tasks(line)
    return bool(named) and all(found <= words | _words("beside") and found & words for found in named)


def words_of_tasks(kinds: Collection[str]) -> frozenset[str]:
    """Return the words of tasks of some kinds: `local`, `builds`, `tests`."""
    return frozenset().union(*map(_words, kinds))


@cache
def _words(kind: str) -> frozenset[str]:
    return frozenset(getattr(switch_table().tasks, kind))


def runs_code(program: str, effect: Effect) -> bool:
    """Whether a program runs code of the project, or is not described."""
    runs = effect.kind.startswith(_CODE) or _without_version(program) in _interpreters() | _task_runners()
    return runs or PROGRAMS.find(program) is None


@cache
def _task_runners() -> frozenset[str]:
    return frozenset((*read_table("project-tasks", ProjectTasks).runners, *switch_table().tasks.runners))


@cache
def _interpreters() -> frozenset[str]:
    languages = read_table("languages", Languages).languages.values()
    return frozenset(program for one in languages for program in one.programs)


def _without_version(program: str) -> str:
    return program.rstrip(".0123456789")


def _named_tasks(line: CommandLine) -> list[frozenset[str]]:
    """Return the words of each task that a command runs: of the operands of a runner, or of the program's name."""
    program = _without_version(line.program)
    if program in _task_runners():
        named = [text for text in line.plain_operands if text not in _RUN and "=" not in text]
    elif program in _interpreters():
        named = [line.options["-m"]] if line.options.get("-m") else []
    else:
        named = [program]
    found = (frozenset(word.lower() for word in _SPLIT.split(text) if word) for text in named)
    return [words for words in found if words]

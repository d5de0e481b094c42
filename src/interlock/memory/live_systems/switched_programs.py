"""Which programs follow a switch: those that work on what was switched, and those of which nothing is known."""

from __future__ import annotations

from functools import cache

from interlock.knowledge.catalogue import PROGRAMS, read_table
from interlock.knowledge.table_types.commands import ProjectTasks
from interlock.knowledge.table_types.files import Languages
from interlock.memory.calls.command_lines import CommandLine, read_command_line
from interlock.memory.calls.switches import ENVIRONMENT, programs_of_client, sets_target, switch_table
from interlock.model import Effect, ProgramCall
from interlock.patterns import late

_READING = ("container.read", "cluster.read", "infra.read")
_CODE = ("code.", "process.spawn")
_SPLIT = late(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
#: Words between a task runner and the name of its task.
_RUN = frozenset({"run", "run-script", "exec", "x", "task", "dlx"})


def may_use(client: str, call: ProgramCall, effect: Effect) -> bool:
    """Whether an effect of a program may be one on the target of a client; an empty name stands for any client."""
    line = read_command_line(call)
    if sets_target(call):
        return False
    if client and _works_on(client, line):
        named = "local" in effect.flags and client != ENVIRONMENT  # it is told to work on a system of this machine
        return not named and effect.kind not in _READING
    if client and not _runs_code(line.program, effect):
        return False
    return not _is_task(line, client)


def _works_on(client: str, line: CommandLine) -> bool:
    """Whether a program, by its name or by its name and first word, works on the target of a client."""
    known = programs_of_client(client)
    return line.program in known or " ".join((line.program, *line.plain_operands[:1])) in known


def _runs_code(program: str, effect: Effect) -> bool:
    """Whether a program runs code of the project, or is not described."""
    runs = effect.kind.startswith(_CODE) or program.rstrip(".0123456789") in _interpreters() | _task_runners()
    return runs or PROGRAMS.find(program) is None


@cache
def _task_runners() -> frozenset[str]:
    return frozenset(read_table("project-tasks", ProjectTasks).runners)


@cache
def _interpreters() -> frozenset[str]:
    languages = read_table("languages", Languages).languages.values()
    return frozenset(program for one in languages for program in one.programs)


def _is_task(line: CommandLine, client: str) -> bool:
    """Whether a command only runs tasks that do not work on the target of a client."""
    beside, deciding = frozenset(switch_table().tasks.beside), _words_of_tasks(client)
    named = _named_tasks(line)
    return bool(named) and all(words <= deciding | beside and words & deciding for words in named)


@cache
def _words_of_tasks(client: str) -> frozenset[str]:
    """Return the words of tasks that do not work on the target of a client: linters, mostly builds, perhaps tests."""
    tasks = switch_table().tasks
    if client in ("", ENVIRONMENT):
        return frozenset(tasks.local)
    is_library = any(one.libraries for one in switch_table().clients if one.name == client)
    return frozenset((*tasks.local, *tasks.builds, *(() if is_library else tasks.tests)))


def _named_tasks(line: CommandLine) -> list[frozenset[str]]:
    """Return the words of each task that a command runs: of the operands of a runner, or of the program's name."""
    program = line.program.rstrip(".0123456789")
    if program in _task_runners():
        named = [text for text in line.plain_operands if text not in _RUN and "=" not in text]
    elif program in _interpreters():
        named = [line.options["-m"]] if line.options.get("-m") else []
    else:
        named = [program]
    return [frozenset(word.lower() for word in _SPLIT.split(text) if word) for text in named]

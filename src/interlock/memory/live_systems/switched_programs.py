"""Which programs follow a switch: those that work on what was switched, and those of which nothing is known."""

from __future__ import annotations

from functools import cache

from interlock.memory.calls.command_lines import CommandLine, read_command_line
from interlock.memory.calls.switches import ENVIRONMENT, programs_of_client, sets_target, switch_table
from interlock.memory.calls.tasks import is_task, runs_code, words_of_tasks
from interlock.model import Effect, ProgramCall

_READING = ("container.read", "cluster.read", "infra.read")


def may_use(client: str, call: ProgramCall, effect: Effect) -> bool:
    """Whether an effect of a program may be one on the target of a client; an empty name stands for any client."""
    if sets_target(call):
        return False
    line = read_command_line(call)
    if client and _works_on(client, line):
        named = "local" in effect.flags and client != ENVIRONMENT  # it is told to work on a system of this machine
        return not named and effect.kind not in _READING
    if client and not runs_code(line.program, effect):
        return False
    return not is_task(line, _words_of_others(client))


def _works_on(client: str, line: CommandLine) -> bool:
    """Whether a program, by its name or by its name and first word, works on the target of a client."""
    known = programs_of_client(client)
    return line.program in known or " ".join((line.program, *line.plain_operands[:1])) in known


@cache
def _words_of_others(client: str) -> frozenset[str]:
    """Return the words of tasks that do not work on the target of a client: linters, mostly builds, perhaps tests."""
    if client in ("", ENVIRONMENT):
        return words_of_tasks(["local"])
    has_library = any(one.libraries for one in switch_table().clients if one.name == client)
    return words_of_tasks(["local", "builds"] if has_library else ["local", "builds", "tests"])

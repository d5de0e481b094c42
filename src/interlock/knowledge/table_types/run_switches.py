"""What commands and variables change for the later commands of a run."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from interlock.knowledge.table_types import Table, Words

#: What a command or a variable sets. The comments of `run-switches.toml` say what each means.
Setting = Literal[
    "identity",
    "role",
    "default_repository",
    "push",
    "shared_branch",
    "target",
    "settings",
    "tunnel",
    "mount",
]


class SwitchCommand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Commands that set something for later ones."""

    sets: Setting
    programs: Words  # `*` is any
    words: Words = ()  # patterns of the first operands, one of which has to match
    options: Words = ()  # one of these is given
    values: Words = ()  # patterns of values of those options, or of operands
    unless: Words = msgspec.field(default=(), name="except")  # patterns of values with which it sets nothing new
    without: Words = ()  # none of these options is given
    most: int = 0  # operands, if there is a limit
    client: str = ""  # whose target it sets, if not that of the program


class SwitchClient(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A client, the programs that work on its target, and the variables that set the target."""

    name: str
    programs: Words
    variables: Words
    libraries: bool = False  # code works on the target too


class SwitchVariable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Variables that set something for later commands."""

    sets: Setting
    names: Words
    programs: Words = ()  # that read them, if not those of the client


class EnvironmentVariables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Variables that belong to no client."""

    locations: Words  # patterns of their names
    others: Words  # those that name no system
    programs: Words  # programs that read them, or a program and its first word


class SwitchTasks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words of the tasks of a project."""

    runners: Words  # programs whose first operand is a task, besides the runners of `project-tasks`
    local: Words  # of tasks that look at files alone
    beside: Words  # that may stand beside them
    builds: Words
    tests: Words


class RunSwitches(Table, frozen=True, forbid_unknown_fields=True):
    """What commands and variables change for the later commands of a run."""

    commands: tuple[SwitchCommand, ...]
    clients: tuple[SwitchClient, ...]
    variables: tuple[SwitchVariable, ...]
    environment: EnvironmentVariables
    tasks: SwitchTasks


#: Table → its type.
TABLES: Mapping[str, type[Table]] = {"run-switches": RunSwitches}

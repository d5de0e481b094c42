"""The description of a coding agent. Each agent's module declares one `Agent`, and all other code is generic."""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec

from interlock.agents.permission import Permission, PermissionText

#: A call as the agent sends it: the fields of a JSON object.
Fields = Mapping[str, Any]


class Stage(Enum):
    """When an agent calls its hook."""

    BEFORE = "before"  # a tool is about to run
    PROMPT = "prompt"  # the agent is about to ask the person itself
    AFTER = "after"  # a tool has run
    REQUEST = "request"  # the person has entered a request
    OTHER = "other"  # nothing that we decide


#: Sets of permissions that agents understand at an event.
ANY = frozenset(Permission)
DENY_ONLY = frozenset({Permission.NO_OBJECTION, Permission.DENY})
ASK_OR_DENY = DENY_ONLY | {Permission.ASK}
#: Where the agent asks the person unless it is told otherwise, an empty answer means "ask".
AT_PROMPT = frozenset({Permission.ALLOW, Permission.ASK, Permission.DENY})


class Event(msgspec.Struct, frozen=True):
    """An event that an agent calls its hook for, and the permissions that it understands there."""

    stage: Stage
    permissions: frozenset[Permission] = frozenset({Permission.NO_OBJECTION})
    tool: str = ""  # the tool, where the event implies it
    tool_field: str = ""  # the field that holds that tool's input
    tool_prefix: str = ""  # what a tool's name begins with at this event, and may be sent without
    failed: bool = False  # after the tool: it has failed
    text_field: str = ""  # the field with the person's own words


AFTER = Event(Stage.AFTER)
AFTER_FAILURE = Event(Stage.AFTER, failed=True)
REQUEST = Event(Stage.REQUEST, text_field="prompt")


class FieldNames(msgspec.Struct, frozen=True):
    """The names of the common fields in an agent's calls."""

    event: tuple[str, ...] = ("hook_event_name",)
    session: tuple[str, ...] = ("session_id",)
    tool: tuple[str, ...] = ("tool_name",)
    tool_input: tuple[str, ...] = ("tool_input",)
    call_id: tuple[str, ...] = ("tool_use_id",)
    workspace: tuple[str, ...] = ()  # a list of folders
    mcp_tool: tuple[str, ...] = ()  # an object with `server_name` and `tool_name`


class Environment(msgspec.Struct, frozen=True):
    """Environment variables by which an agent tells its hook about itself."""

    project: tuple[str, ...] = ()  # each holds the project's folder
    unattended: Mapping[str, str] = {}  # a variable, and its value where no person is there to be asked


class SettingsLocation(msgspec.Struct, frozen=True):
    """Where an agent keeps its settings: in the person's home (a variable may move the folder), and in a project."""

    folder: str
    file: str
    variable: str | None
    project: str


class SettingsEntries(msgspec.Struct, frozen=True):
    """The entries for an agent's settings: members at the top level, and one entry for each event."""

    top_level: Mapping[str, Any]
    hooks: Mapping[str, Mapping[str, Any]]


class Installation(msgspec.Struct, frozen=True):
    """An installed hook, as the health check sees it."""

    file: Path
    settings: Mapping[str, Any]
    commands: Mapping[str, str]  # our command line at each event
    folder: Path  # the project, or where the check runs
    user_file: Path  # the person's own settings file
    read: Callable[[Path], Mapping[str, Any]]  # reads another settings file; empty where there is none


class HookOutput(msgspec.Struct, frozen=True):
    """The output of a hook, and its exit status."""

    stdout: bytes = b""
    stderr: bytes = b""
    status: int = 0


class HookReading(msgspec.Struct, frozen=True):
    """An agent's interpretation of a hook's output. Without a permission, the hook has failed, and the action runs."""

    permission: Permission | None
    problem: str = ""
    reason: str = ""  # which the model reads


class SampleCall(msgspec.Struct, frozen=True):
    """A shell command for a sample call that tests the hook."""

    event: str
    command: str
    session: str
    folder: str


class Advice(msgspec.Struct, frozen=True):
    """Advice for the person who installs the hook: next steps, and the limits of the hook."""

    next_step: str
    unprotected: tuple[str, ...]
    page: str  # in docs/


WritePermission = Callable[[str, Permission, PermissionText], bytes]


def no_problems(_installation: Installation) -> Iterator[str]:
    """Yield nothing: this agent has no checks besides the common ones."""
    return iter(())


def run_by_sh(line: str) -> list[str]:
    """Return how most agents start the command line of a hook."""
    return ["sh", "-c", line]


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """A coding agent: its events and vocabulary, its settings, its health check, sample calls and advice."""

    name: str
    title: str
    advice: Advice
    # the hook
    events: Mapping[str, Event]
    names_event: bool = False  # the command line has to name the event, because the call does not
    fields: FieldNames = FieldNames()
    environment: Environment = Environment()
    unattended_modes: frozenset[str] = frozenset({"bypassPermissions", "dontAsk", "auto"})
    can_ask: Callable[[Fields], bool] = lambda _fields: True  # whether the release that calls can ask the person
    tools: Mapping[str, str]  # its tools, and the reader in `analyse/payloads` that each is read by
    write: WritePermission
    #: Fields that only this agent sends, by which it is recognised in a hook of another agent's settings.
    marks: tuple[str, ...] = ()
    runs_hooks_of: tuple[str, ...] = ()
    # the settings
    settings: SettingsLocation
    entries: Callable[[Callable[[str], str], int], SettingsEntries]  # from a command line per event, and a timeout
    wrap: Callable[[str], str] = lambda line: line  # makes a POSIX command line one for the shell the agent uses
    max_wait: int = 3_000  # for how many seconds a hook may wait for an approval before the agent gives up on it
    problems: Callable[[Installation], Iterator[str]] = no_problems
    resume: tuple[str, ...] = ()  # the words of a command that continues a session; a prompt follows them
    # `interlock doctor --prove`
    sample_call: Callable[[SampleCall], dict[str, Any]]
    start: Callable[[str], list[str]] = run_by_sh
    understand: Callable[[HookOutput], HookReading]

    def find_event(self, name: str) -> str | None:
        """Return an event as the agent spells it, ignoring the case of `name`; None for an unknown one."""
        return next((event for event in self.events if event.casefold() == name.casefold()), None)

    @property
    def before(self) -> str:
        """The first event that comes before a tool runs."""
        return next(name for name, event in self.events.items() if event.stage is Stage.BEFORE)

    def event(self, name: str) -> Event:
        """Return the description of an event; an unknown event decides nothing."""
        return self.events.get(name, Event(Stage.OTHER))

    def express(self, event: str, permission: Permission) -> Permission:
        """Return the mildest permission that the agent understands at an event and that is not milder than this."""
        return min((one for one in self.event(event).permissions if one >= permission), default=Permission.DENY)

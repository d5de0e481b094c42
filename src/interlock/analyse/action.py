"""The analysis of an action: choose the reader of its tool, and collect the effects."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, TypeGuard

from msgspec.structs import replace

from interlock.analyse.files.paths import Places
from interlock.analyse.languages import LANGUAGES
from interlock.analyse.payloads.code import Read
from interlock.analyse.payloads.readers import READERS
from interlock.analyse.payloads.tools import plain_name, reader_of
from interlock.analyse.reading import Reading, Site
from interlock.knowledge.extension import NO_EXTENSION, Extension, plain_tool_name
from interlock.memory.state import RunState
from interlock.model import Action, Analysis, Place
from interlock.sanitise import clean

if TYPE_CHECKING:
    from interlock.analyse.declared_action import DeclaredAction
    from interlock.analyse.tools.organisation import Organisation
    from interlock.knowledge.tool import Tool


class Surroundings:
    """Settings for the analysis: tools by name, places by prefix, private paths, descriptions.

    `guarded` says which paths belong to the running Interlock itself; `machine` is `disposable` if the machine is
    thrown away after its work.
    """

    __slots__ = ("knowledge", "machine", "organisation", "places", "reader_of", "tools", "trusted_hosts")

    def __init__(
        self,
        *,
        tools: Mapping[str, str] | None = None,
        places: Mapping[str, tuple[Place, int]] | None = None,
        private: Callable[[str], bool] | None = None,
        workspace: str | None = None,
        home: str | None = None,
        trusted_hosts: Iterable[str] = (),
        organisation: Organisation | None = None,
        knowledge: Extension = NO_EXTENSION,
        guarded: Callable[[str], bool] | None = None,
        machine: str = "personal",
    ) -> None:
        self.tools = dict(tools or {})
        self.knowledge = knowledge
        self.trusted_hosts = frozenset(trusted_hosts)
        self.machine = machine
        self.organisation = organisation

        def make_places(cwd: str | None, given_workspace: str | None, given_home: str | None) -> Places:
            return Places(
                cwd=cwd,
                workspace=given_workspace or workspace,
                home=given_home or home,
                extra=places,
                private=private,
                guarded=guarded,
            )

        # The actions of a run come from the same few folders and tools.
        self.places = lru_cache(maxsize=64)(make_places)
        self.reader_of = lru_cache(maxsize=64)(partial(reader_of, extra=self.tools))

    def with_knowledge(self, knowledge: Extension) -> Surroundings:
        """Return the same surroundings with other descriptions."""
        other = object.__new__(Surroundings)
        for name in Surroundings.__slots__:
            setattr(other, name, knowledge if name == "knowledge" else getattr(self, name))
        return other


NOWHERE = Surroundings()
#: Keys of a payload that name the working folder of a tool that runs code, by the reader of the tool.
_FOLDER_KEYS = ("working_directory", "workdir", "working_dir", "dir_path", "cwd")
_RUNNING = {"shell": (*_FOLDER_KEYS, "directory", "dir"), "python": _FOLDER_KEYS, None: _FOLDER_KEYS}


def analyse(action: Action, around: Surroundings = NOWHERE, state: RunState | None = None) -> Analysis:
    """Return everything that an action would do, and how much of it could be analysed."""
    reader = around.reader_of(action.tool_name)
    workspace = action.workspace if state is None else narrower_workspace(action.workspace, state.workspace)
    places = around.places(_folder_of(action, reader), workspace, action.home)
    reading = Reading(places, LANGUAGES, state)
    reading.knowledge = around.knowledge
    reading.trusted = around.trusted_hosts
    reading.organisation = around.organisation
    text, languages = _read_safely(reading, action, reader)
    if action.annotations.get("descriptionChanged") is True:
        reading.emit("tool.unknown", Site((0, 0)), clean(action.tool_name), frozenset({"changed"}))
    if around.machine != "personal":
        from interlock.analyse.disposable_machines import mark_disposable

        reading.effects = mark_disposable(reading.effects)
    return reading.close(text, languages)


def narrower_workspace(claimed: str | None, begun: str | None) -> str | None:
    """Return the folder of the project: as the run began, unless the action names a part of it.

    >>> narrower_workspace("/home/u/Documents", "/home/u/shop"), narrower_workspace("/home/u/shop/api", "/home/u/shop")
    ('/home/u/shop', '/home/u/shop/api')
    """
    if begun is None or claimed is None:
        return claimed or begun
    plain = posixpath.normpath(claimed)
    return plain if f"{plain}/".startswith(f"{posixpath.normpath(begun)}/") else begun


def _read_safely(reading: Reading, action: Action, reader: str | None) -> Read:
    """Read a tool call; a defect here must lead to a prompt, never to approval."""
    try:
        if type(action) is Action and not reading.knowledge.tools and not reading.knowledge.added_tools:
            return _read_shipped(reading, action, reader)
        return _read_tool_call(reading, action, reader)
    except Exception as error:
        from interlock.analyse.code import report_fault

        report_fault(reading, error, Site((0, 0)))
        return "", ()


def _read_tool_call(reading: Reading, action: Action, reader: str | None) -> Read:
    """Read a tool call by its declaration or a user's description, else by the reader of its name, else by its shape.

    A declared tool that is described as well is read by both. A declaration that is only claimed adds to these.
    """
    added = reading.knowledge
    described = _descriptions(action, added)
    claimed = [action.declared] if _is_declared(action) and action.claimed else []
    if not described and not claimed and not added.added_tools:
        return _read_shipped(reading, action, reader)
    from interlock.analyse.payloads.tool_descriptions import read_described_tool

    reads = [read_described_tool(reading, action, tool) for tool in described]
    text, languages = reads[0] if reads else _read_shipped(reading, action, reader)
    for more in (*claimed, *(tool for name in _names_of(action) for tool in added.added_tools.get(name, ()))):
        read_described_tool(reading, action, more)
    return text, languages


def _descriptions(action: Action, added: Extension) -> list[Tool]:
    """Return the descriptions of a tool, by its author and by the user. One for its full name comes first."""
    found = [action.declared] if _is_declared(action) and not action.claimed else []
    if added.tools:
        found += [added.tools[name] for name in _names_of(action) if name in added.tools][:1]
    return found


def _is_declared(action: Action) -> TypeGuard[DeclaredAction]:
    if type(action) is Action:
        return False
    from interlock.analyse.declared_action import DeclaredAction  # few actions are

    return isinstance(action, DeclaredAction)


def _names_of(action: Action) -> tuple[str, ...]:
    """Return the names by which a tool can be described: its whole name, and the one without its server."""
    return tuple(dict.fromkeys((plain_tool_name(action.tool_name), plain_name(action.tool_name))))


def _read_shipped(reading: Reading, action: Action, reader: str | None) -> Read:
    """Read a tool call by the reader of its name, else as a tool of a known service, else by its shape."""
    if reader is None or action.tool_name[:5] == "mcp__":
        services = _load_services()
        chosen = services.find_chosen_tool(action.tool_name, action.input_payload)
        known = chosen or (services.find_tool(action.tool_name) if reader is None else None)
        if chosen is not None:
            action = replace(action, tool_name=chosen.name, input_payload=dict(chosen.arguments), input_schema={})
        if known is not None:
            from interlock.analyse.payloads.unknown_tools import read_service_tool

            return read_service_tool(reading, action, known.tool)
    return READERS[reader or "shape"](reading, action)


def is_described(action: Action, around: Surroundings) -> bool:
    """Whether a tool is declared by its author, described by the user, or known as a tool of its service."""
    return is_described_by_owner(action, around) or _load_services().find_tool(action.tool_name) is not None


@cache
def _load_services() -> ModuleType:
    """Return the module of the tools of known services, which few actions of coding agents need."""
    from interlock.knowledge import services

    return services


def is_described_by_owner(action: Action, around: Surroundings) -> bool:
    """Whether a tool is declared by its author or described by the user.

    A description that an agent could have written does not count: it may only add to what is known.
    """
    return bool(_descriptions(action, around.knowledge))


def _folder_of(action: Action, reader: str | None) -> str | None:
    """Return the working folder of a call: one that the payload names, else the agent's, or None if it is unknown."""
    if len(action.input_payload) < 2 or reader not in _RUNNING:
        return action.cwd
    named = [action.input_payload[key] for key in _RUNNING[reader] if action.input_payload.get(key)]
    if not named:
        return action.cwd
    folder = named[0]
    if len(named) > 1 or not isinstance(folder, str):
        return None  # which of them the tool uses is unknown
    if folder.startswith(("/", "~")):
        return folder
    return None if action.cwd is None else f"{action.cwd}/{folder}"

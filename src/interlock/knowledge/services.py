"""The tools of well-known services, under the names that MCP servers, frameworks and wrappers give them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.tool import Tool, ToolFile
from interlock.knowledge.tool_names import join_words, split_words

LONGEST = 4  # words in the name of a service
FIRST = 3  # words of a tool's name among which the name of its service begins
GENERIC = frozenset({"mcp", "server", "tool"})  # they tell nothing: `github-mcp-server`, `box_users_list_tool`
READ = Tool(does="tool.read")
DRAFT = Tool(does="tool.draft")


class KnownTool(NamedTuple):
    """A tool of a service that is described, its name without the service, and the number of its file."""

    service: str
    tool: Tool
    key: str
    number: int


@lru_cache(maxsize=4096)
def find_tool(name: str) -> KnownTool | None:
    """Return the description of a tool by its name, if the name contains the service too.

    `mcp__github__create_issue`, `github_create_issue`, `GitHub-Create-Issue` and `github.createIssue` are the same, and
    so is `mcp__github-mcp-server__create_issue`.
    """
    words = split_words(name)
    plain = _without_generic(words)
    return _find_by_words(words) or (_find_by_words(plain) if plain != words else None)


def _without_generic(words: tuple[str, ...]) -> tuple[str, ...]:
    return words if GENERIC.isdisjoint(words) else tuple([word for word in words if word not in GENERIC])


def _find_by_words(words: tuple[str, ...]) -> KnownTool | None:
    for number, rest in _services_in(words):
        service, key = _service(number), "_".join(rest)
        if key in service.tools:
            return KnownTool(service.name, service.tools[key], key, service.number)
    return None


@lru_cache(maxsize=4096)
def _services_in(words: tuple[str, ...]) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Return the services that the words of a tool's name may begin with, by number, and the words that follow."""
    known, found = PROGRAMS.services, []
    for start in range(min(FIRST, len(words) - 1)):
        most = min(LONGEST, len(words) - 1 - start)
        for size in range(most, 0, -1):
            number = known.get("_".join(words[start : start + size]))
            if number is not None:
                found += [(number, named) for named in _without_service(words[start + size :], number)]
    return tuple(found)


def _without_service(words: tuple[str, ...], number: int) -> Iterator[tuple[str, ...]]:
    """Yield the words of a tool's name, then without another name of its service: `mcp__home_assistant__ha_restart`."""
    yield words
    for size in range(LONGEST, 0, -1):
        if PROGRAMS.services.get("_".join(words[:size])) == number:
            yield words[size:]


class ChosenTool(NamedTuple):
    """The tool that a call of a group of tools runs, and the arguments that it gets."""

    name: str
    tool: Tool
    arguments: Mapping[str, Any]


def find_chosen_tool(name: str, payload: Mapping[str, Any]) -> ChosenTool | None:
    """Return the tool that a call of a group chooses: `mcp__azure__sql {"command": "sql_db_delete", …}`.

    The group must not be a described tool itself, and its name is a part of the tool's, so that no argument makes a
    call look like another.
    """
    group = _find_group(name)
    if group is None:
        return None
    service, rest = group
    chosen = payload.get(service.chosen_by)
    if not isinstance(chosen, str):
        return None
    words = split_words(chosen)
    full = "_".join(words if words[: len(rest)] == rest else (*rest, *words))
    tool = service.tools.get(full)
    if tool is None:
        return None
    others = {key: value for key, value in payload.items() if key != service.chosen_by}
    return ChosenTool(full, tool, _unwrap_tables(others))


def _unwrap_tables(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with those in tables at the top. A table that would replace one of them stays as it is."""
    found = {key: value for key, value in given.items() if not isinstance(value, dict)}
    for key, value in given.items():
        if isinstance(value, dict):
            found.update({key: value} if found.keys() & value.keys() else value)
    return found


@lru_cache(maxsize=4096)
def _find_group(name: str) -> tuple[_ToolService, tuple[str, ...]] | None:
    """Return the service of a group of tools, and the words of the group's name."""
    for number, rest in _services_in(_without_generic(split_words(name))):
        service = _service(number)
        if service.chosen_by and rest and "_".join(rest) not in service.tools:
            return service, rest
    return None


class _ToolService(NamedTuple):
    """A service, and its tools by their names."""

    name: str
    tools: dict[str, Tool]
    chosen_by: str
    number: int


@lru_cache(maxsize=256)
def _service(number: int) -> _ToolService:
    """Return a service by its number in the artefact, whose file is decoded once."""
    file = PROGRAMS.service(number)
    return _ToolService(file.service, index_tools(file), file.chosen_by, number)


def find_services() -> list[ToolFile]:
    """Return the shipped descriptions of all services."""
    return [PROGRAMS.service(number) for number in sorted(set(PROGRAMS.services.values()))]


def index_tools(file: ToolFile) -> dict[str, Tool]:
    """Return the tools of a file by each of their names, in the form that is compared."""
    quiet = {join_words(name): tool for names, tool in ((file.reads, READ), (file.drafts, DRAFT)) for name in names}
    described = {join_words(name): tool for key, tool in file.tools.items() for name in (key, *tool.also)}
    return {**quiet, **described}


@contextmanager
def swap_service(file: ToolFile) -> Iterator[None]:
    """Replace the tools of a service within a `with` block, to try them."""
    tools = _service(PROGRAMS.services[join_words(file.names[0])]).tools
    before = dict(tools)
    try:
        _replace_tools(tools, index_tools(file))
        yield
    finally:
        _replace_tools(tools, before)


def _replace_tools(tools: dict[str, Tool], others: dict[str, Tool]) -> None:
    find_tool.cache_clear()
    _find_group.cache_clear()
    tools.clear()
    tools.update(others)

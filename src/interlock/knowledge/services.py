"""The tools of well-known services, under the names that MCP servers, frameworks and wrappers give them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple

from interlock.knowledge.catalogue import PROGRAMS
from interlock.knowledge.tool import Tool, ToolFile
from interlock.knowledge.tool_names import join_words, split_words

LONGEST = 3  # words in the name of a service
FIRST = 3  # words of a tool's name among which the name of its service begins
READ = Tool(does="tool.read")
DRAFT = Tool(does="tool.draft")


class KnownTool(NamedTuple):
    """A tool of a service that is described."""

    service: str
    tool: Tool


@lru_cache(maxsize=4096)
def find_tool(name: str) -> KnownTool | None:
    """Return the description of a tool by its name, if the name contains the service too.

    `mcp__github__create_issue`, `github_create_issue`, `GitHub-Create-Issue` and `github.createIssue` are the same.
    """
    words = split_words(name)
    for start in range(min(FIRST, len(words))):
        for size in range(LONGEST, 0, -1):
            service = "_".join(words[start : start + size])
            number = PROGRAMS.services.get(service)
            rest = words[start + size :]
            if number is None or not rest:
                continue
            if rest[:size] == words[start : start + size]:
                rest = rest[size:]  # `mcp__slack__slack_post_message`
            known = _service(number)
            found = known.tools.get("_".join(rest))
            if found is not None:
                return KnownTool(known.name, found)
    return None


class _ToolService(NamedTuple):
    """A service, and its tools by their names."""

    name: str
    tools: dict[str, Tool]


@lru_cache(maxsize=256)
def _service(number: int) -> _ToolService:
    """Return a service by its number in the artefact, whose file is decoded once."""
    file = PROGRAMS.service(number)
    return _ToolService(file.service, index_tools(file))


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
    tools.clear()
    tools.update(others)

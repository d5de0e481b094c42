"""Repositories on a public platform, where an owner has both private and public ones."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.effects import READS
from interlock.memory.calls.tool_services import mcp_server_of
from interlock.memory.calls.words import memory_words
from interlock.memory.model import Exposure, ExposureKind
from interlock.model import Action, Analysis

MAX_NAME = 120


def repository_of(action: Action) -> str:
    """Return the repository that a call is about, as `owner/name`, or an empty text."""
    owner, name = action.input_payload.get("owner"), action.input_payload.get("repo")
    return f"{owner}/{name}" if isinstance(owner, str) and isinstance(name, str) else ""


def find_repository_read(action: Action, analysis: Analysis) -> Iterator[Exposure]:
    """Yield an exposure if a call reads files of a repository, which may be a private one."""
    if "owner" not in action.input_payload or not {mcp_server_of(action.tool_name)} & memory_words().open_platforms:
        return
    repository = repository_of(action)
    if repository and "path" in action.input_payload and all(effect.kind in READS for effect in analysis.effects):
        yield Exposure(ExposureKind.PRIVATE, f"{action.tool_name} {repository}"[:MAX_NAME])


def comes_from_elsewhere(exposure: Exposure, action: Action) -> bool:
    """Whether private data was read elsewhere than on the public platform that is written to, where most is public.

    Another repository counts as elsewhere.
    """
    tool, _, read = exposure.what.partition(" ")
    server = mcp_server_of(action.tool_name)
    if mcp_server_of(tool) != server or server not in memory_words().open_platforms:
        return True
    written = repository_of(action)
    return bool(read and written) and read != written

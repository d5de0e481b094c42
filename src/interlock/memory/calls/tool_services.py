"""The service that a tool belongs to, by the tool's name."""

from __future__ import annotations

from interlock.memory.calls.words import memory_words
from interlock.patterns import late

_BOUNDARY = late(r"[._-]")


def mcp_server_of(tool: str) -> str:
    """Return the server of an MCP tool, or an empty text."""
    return tool.split("__")[1] if tool.startswith("mcp__") and tool.count("__") > 1 else ""


def tool_service_of(tool: str) -> str:
    """Return the server of an MCP tool, or the service at the beginning of another tool's name, or an empty text.

    >>> tool_service_of("mcp__crm__get_customer"), tool_service_of("drive_move_file"), tool_service_of("get_file")
    ('crm', 'drive', '')
    >>> tool_service_of("fleet.create_alert"), tool_service_of("notion-create-pages")
    ('fleet', 'notion')
    """
    service, rest = [*_BOUNDARY.split(tool, maxsplit=1), ""][:2]
    return mcp_server_of(tool) or (service if rest and service not in memory_words().first_verbs else "")

"""Repositories on an open platform: some of an owner's are private, and others are read by everyone."""

from __future__ import annotations

from interlock.patterns import late


def mcp_server_of(tool: str) -> str:
    """Return the server of an MCP tool, or an empty text."""
    return tool.split("__")[1] if tool.startswith("mcp__") and tool.count("__") > 1 else ""


def tool_service_of(tool: str) -> str:
    """Return the server of an MCP tool, or the service that the name of another tool begins with, or an empty text.

    >>> tool_service_of("mcp__crm__get_customer"), tool_service_of("drive_move_file"), tool_service_of("get_file")
    ('crm', 'drive', '')
    >>> tool_service_of("fleet.create_alert"), tool_service_of("notion-create-pages")
    ('fleet', 'notion')
    """
    service, rest = [*_BOUNDARY.split(tool, maxsplit=1), ""][:2]
    return mcp_server_of(tool) or (service if rest and service not in _VERBS else "")


_BOUNDARY = late(r"[._-]")
#: Words with which names of tools begin that say what is done, not where.
_VERBS = frozenset(
    (
        "get list read search find fetch query create update delete send post add set remove upload download run "
        "execute make open close write edit move copy share publish schedule book submit approve cancel check call "
        "web file"
    ).split()
)

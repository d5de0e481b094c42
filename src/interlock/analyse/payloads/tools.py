"""Tool calls: which tool is read by whom, and how its payload is laid out.

A name is matched whole (after lower-casing, and past an MCP server's prefix), never by its beginning: a tool
called `bash_session` is not `bash`. A name that is not here is read by the shape of its payload.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.tables import Tools

_TABLE = read_table("tools", Tools)
_TOOLS = {name: entry.reader for entry in _TABLE.tools for name in entry.names}
#: Reading tools that look for something.
SEARCHING = frozenset(_TABLE.searching)
READERS = ("shell", "python", "sql", "write", "patch", "read", "delete", "move", "http")

#: The names under which payloads carry each thing, the most usual first.
COMMAND_KEYS, CODE_KEYS, SQL_KEYS = _TABLE.command_keys, _TABLE.code_keys, _TABLE.sql_keys
PATH_KEYS, CONTENT_KEYS, PATCH_KEYS = _TABLE.path_keys, _TABLE.content_keys, _TABLE.patch_keys
URL_KEYS, BODY_KEYS = _TABLE.url_keys, _TABLE.body_keys

MAX_NAME = 200


def plain_name(tool_name: str) -> str:
    """Return a tool's name as the table writes it.

    >>> plain_name("mcp__desktop__Execute-Command"), plain_name("functions.Bash")
    ('execute_command', 'bash')
    """
    return _plain_name(tool_name[-MAX_NAME:])


@lru_cache(maxsize=1024)
def _plain_name(tool_name: str) -> str:
    name = tool_name.rpartition("__")[2] if tool_name.startswith("mcp__") else tool_name
    name = re.split(r"[./:]", name)[-1]
    return name.replace("-", "_").replace(" ", "_").lower()


def reader_of(tool_name: str, extra: Mapping[str, str]) -> str | None:
    """Return who reads a tool, or None for one that is read by the shape of its payload."""
    if extra:
        found = extra.get(tool_name) or extra.get(plain_name(tool_name))
        if found:
            return found
    return _TOOLS.get(tool_name) or _TOOLS.get(plain_name(tool_name))

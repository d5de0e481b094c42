"""Known tools: the reader for each name, and the keys of their payloads.

A name is compared as a whole, in lower case and without the prefix of an MCP server: `bash_session` is not `bash`. A
verb such as `edit` is a tool for files only by itself or after a word for files: `fs.edit`, `functions.edit`.
Other tools are read by the shape of their payload.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.commands import Tools

_TABLE = read_table("tools", Tools)
TOOLS = {name: entry.reader for entry in _TABLE.tools for name in entry.names}
#: Reading tools that search.
SEARCHING = frozenset(_TABLE.searching)
#: Those that find files by their names.
NAME_SEARCHING = frozenset(_TABLE.name_searching)
READERS = ("shell", "powershell", "python", "sql", "write", "patch", "read", "delete", "move", "http")

_BARE_VERBS = frozenset(_TABLE.bare_verbs)
_NAMESPACES = frozenset(_TABLE.namespaces)

#: Keys of payloads by what they hold, the most usual first.
COMMAND_KEYS, CODE_KEYS, SQL_KEYS = _TABLE.command_keys, _TABLE.code_keys, _TABLE.sql_keys
PATH_KEYS, CONTENT_KEYS, PATCH_KEYS = _TABLE.path_keys, _TABLE.content_keys, _TABLE.patch_keys
URL_KEYS, BODY_KEYS = _TABLE.url_keys, _TABLE.body_keys
SEARCH_KEYS, LIMITING_KEYS = _TABLE.search_keys, _TABLE.limiting_keys
WHOLE_CONTENT_KEYS, HOSTED_KEYS = _TABLE.whole_content_keys, frozenset(_TABLE.hosted_keys)
#: Words in names of tools whose commands a database runs, and in queries that change something.
DATABASE_TOOLS, CHANGING_STATEMENTS = frozenset(_TABLE.database_tools), _TABLE.changing_statements

MAX_NAME = 200


def plain_name(tool_name: str) -> str:
    """Return a tool's name in the spelling of the table.

    >>> plain_name("mcp__desktop__Execute-Command"), plain_name("functions.Bash")
    ('execute_command', 'bash')
    """
    return _plain_name(tool_name[-MAX_NAME:])


@lru_cache(maxsize=1024)
def _plain_name(tool_name: str) -> str:
    name = tool_name.rpartition("__")[2] if tool_name.startswith("mcp__") else tool_name
    name = name.replace("/", ".").replace(":", ".").rpartition(".")[2]
    return name.replace("-", "_").replace(" ", "_").lower()


def reader_of(tool_name: str, extra: Mapping[str, str]) -> str | None:
    """Return the name of a tool's reader, or None for a tool that is read by the shape of its payload."""
    if extra:
        found = extra.get(tool_name) or extra.get(plain_name(tool_name))
        if found:
            return found
    reader = TOOLS.get(tool_name)
    if reader is not None:
        return reader
    name = plain_name(tool_name)
    reader = TOOLS.get(name)
    if reader is not None and name in _BARE_VERBS and _is_of_another_thing(tool_name):
        return None
    return None if reader in _FILE_READERS and _is_of_service(tool_name) else reader


@lru_cache(maxsize=1024)
def _is_of_another_thing(tool_name: str) -> bool:
    """Whether the name before a bare verb is not about files or commands: `dns.records.edit`."""
    from interlock.knowledge.tool_names import split_words  # most tools of coding agents have names of their own

    server, _, name = (
        tool_name.removeprefix("mcp__").rpartition("__") if tool_name.startswith("mcp__") else ("", "", tool_name)
    )
    before = name.replace("/", ".").replace(":", ".").rpartition(".")[0]
    if before:
        return _NAMESPACES.isdisjoint(split_words(before.rpartition(".")[2]))
    from interlock.analyse.tools.vocabulary import object_of  # imported on first use

    words = split_words(server)
    return _NAMESPACES.isdisjoint(words) and any(object_of(word) is not None for word in words)


def _is_of_service(tool_name: str) -> bool:
    """Whether a tool is known to change something at a service: `mcp__slack__delete_file` deletes no local file."""
    from interlock.knowledge.services import find_tool  # imported on first use

    known = find_tool(tool_name)
    return known is not None and known.tool.does not in _LOCAL


_FILE_READERS = frozenset({"read", "write", "delete", "move"})
#: What tools do according to their description that may as well be tools for local files.
_LOCAL = frozenset({"tool.read", "tool.draft", "tool.change"})

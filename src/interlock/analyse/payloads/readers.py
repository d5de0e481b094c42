"""The readers of tools, by the name that `tools` gives them."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.payloads.code import Read, language_reader
from interlock.analyse.payloads.files import file_reader, read_move, read_patch
from interlock.analyse.payloads.http_requests import read_http_request
from interlock.analyse.payloads.tools import CODE_KEYS, COMMAND_KEYS, SQL_KEYS
from interlock.analyse.payloads.unknown_tools import read_unknown_tool
from interlock.analyse.reading import Reading
from interlock.model import Action

READERS: dict[str, Callable[[Reading, Action], Read]] = {
    "shell": language_reader("shell", COMMAND_KEYS),
    "powershell": language_reader("powershell", COMMAND_KEYS),
    "python": language_reader("python", CODE_KEYS),
    "sql": language_reader("sql", SQL_KEYS),
    "write": file_reader("fs.write"),
    "read": file_reader("fs.read"),
    "delete": file_reader("fs.delete"),
    "move": read_move,
    "patch": read_patch,
    "http": read_http_request,
    "shape": read_unknown_tool,
}

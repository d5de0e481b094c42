"""The readers of tools, by the name that `tools` gives them; each is imported when a tool needs it."""

from __future__ import annotations

from collections.abc import Callable

from interlock.analyse.payloads.code import Read
from interlock.analyse.reading import Reading
from interlock.lazy import LazyTable
from interlock.model import Action

READERS: LazyTable[Callable[[Reading, Action], Read]] = LazyTable(
    "interlock.analyse.payloads",
    {
        "code:READERS": ("shell", "powershell", "python", "sql"),
        "files:READERS": ("write", "read", "delete", "move", "patch"),
        "http_requests:READERS": ("http",),
        "unknown_tools:READERS": ("shape",),
    },
)

"""Values as a type has them: `[char]65`, `'Delete' -as [type]`, `[scriptblock]$code = '…'`."""

from __future__ import annotations

import re
from typing import Any

from interlock.analyse.powershell.strings import unescape
from interlock.analyse.powershell.values import Instance, ScriptBlock, Type, is_known, items_of, text_of
from interlock.analyse.scripts.strings import character
from interlock.analyse.scripts.values import MAX_ITEMS

#: Types whose objects do something, and what they are called in full.
_OBJECTS = {
    "wmiclass": "management.managementclass",
    "adsi": "directoryservices.directoryentry",
    "wmi": "wmi",
    "diagnostics.process": "diagnostics.process",
    "io.fileinfo": "io.fileinfo",
    "io.directoryinfo": "io.directoryinfo",
    "xml": "xml.xmldocument",
    "xml.xmldocument": "xml.xmldocument",
}
_BLOCKS = frozenset({"scriptblock", "management.automation.scriptblock"})
_NUMBERS = frozenset("int int32 int64 long byte uint32 uint16 short".split())


def type_name(text: str) -> str:
    """Return the name of a type as the tables have it.

    >>> type_name("[System.IO.File]"), type_name("[ Convert ]"), type_name("A.B, A, Version=1")
    ('io.file', 'convert', 'a.b')
    """
    name = "".join(text.split()).lower()
    name = name.removeprefix("[").removesuffix("]") if name.startswith("[") else name
    name = name if "[" in name else name.partition(",")[0]
    return unescape(name).removeprefix("system.")


def cast(name: str, value: Any) -> Any:
    """Return a value as a type would have it."""
    if name in ("type", "reflection.typeinfo"):
        return Type(type_name(value)) if isinstance(value, str) and is_known(value) else value
    if name in _BLOCKS:
        return value if isinstance(value, (ScriptBlock, Instance)) else Instance("scriptblock", (value,))
    if name in _OBJECTS:
        return Instance(_OBJECTS[name], (value,))
    if name == "char":
        return character(int(value)) if _is_number(value) else value
    if name == "char[]":
        if isinstance(value, str):
            return list(value[:MAX_ITEMS]) if is_known(value) else value
        return [cast("char", item) for item in items_of(value)]
    if name in _NUMBERS:
        return _whole(value)
    if name.endswith("[]") and name[:-2] in _NUMBERS:
        return [_whole(item) for item in items_of(value)]
    if name == "string":
        return text_of(value) if not isinstance(value, ScriptBlock) else value
    if name in ("array", "object[]", "string[]"):
        return items_of(value)
    return value


def _whole(value: Any) -> Any:
    if isinstance(value, str) and len(value) == 1 and not value.isdigit():
        return ord(value)  # a character
    if isinstance(value, str) and _is_number(value):
        return int(value, 0) if not value.isdigit() else int(value)
    return int(value) if isinstance(value, float) else value


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return bool(re.fullmatch(r"\s*(?:\d{1,12}|0[xX][0-9a-fA-F]{1,8})\s*", value))
    return isinstance(value, (int, float))

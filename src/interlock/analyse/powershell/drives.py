"""Paths of Windows, as places are known by: without drives, with slashes."""

from __future__ import annotations

import re

from interlock.analyse.files.paths import HOLE
from interlock.knowledge.catalogue import read_table
from interlock.knowledge.table_types.machines import WindowsFolders
from interlock.patterns import late

_DRIVE = late(r"^(?:\\\\[.?]\\)?[A-Za-z]:(?=[\\/~]|$)|^\\\\(?=[.?]\\)")
_VARIABLE = late(r"%(\w+(?:\(x86\))?)%|\$env:(\w+)", re.IGNORECASE)
_KNOWN = read_table("windows-folders", WindowsFolders).paths


def unix_path(text: str) -> str:
    r"""Return a path of Windows as one that places are known by: `C:\Users\u` is `/Users/u`."""
    text = _VARIABLE.sub(
        lambda found: _KNOWN.get((found[1] or found[2]).lower(), f"{HOLE}{found[1] or found[2]}{HOLE}"), text
    )
    if "\\" in text or _DRIVE.match(text):
        text = _FOLDER.sub(_spell, _DRIVE.sub("", text).replace("\\", "/")) or "/"
    return text


def _spell(found: re.Match[str]) -> str:
    """Return the name of a folder as places write it: Windows does not tell upper from lower case."""
    return _FOLDERS.get(found[0].lower(), found[0])


_FOLDER = late(r"^/[^/]+")
_FOLDERS = {
    name.lower(): name for name in ("/Windows", "/Users", "/Program Files", "/Program Files (x86)", "/ProgramData")
}


_PATH = late(r"(?:[A-Za-z]:|\.{1,2}|~|\\\\[\w.?-]+|[\w.@-]+)?(?:\\[\w.*?@ ()\[\]{}$~+-]*)+", re.ASCII)


def is_path(text: str) -> bool:
    r"""Whether a word that a program is given is a path of Windows, and no text with backslashes in it.

    >>> is_path(r".\src\a.cs"), is_path(r"C:\x"), is_path(r"\d+|\w"), is_path("a b")
    (True, True, False, False)
    """
    return _DRIVE.match(text) is not None or ("\\" in text and _PATH.fullmatch(text.replace(HOLE, "")) is not None)

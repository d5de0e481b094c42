"""Paths of Windows, as places are known by: without drives, with slashes."""

from __future__ import annotations

import re

from interlock.analyse.paths import HOLE
from interlock.patterns import late

_DRIVE = late(r"^[A-Za-z]:(?=[\\/]|$)|^\\\\(?=[.?]\\)")
_VARIABLE = late(r"%(\w+(?:\(x86\))?)%|\$env:(\w+)", re.IGNORECASE)
_KNOWN = {
    "temp": "/tmp",
    "tmp": "/tmp",
    "userprofile": "~",
    "homepath": "~",
    "appdata": "~/AppData/Roaming",
    "localappdata": "~/AppData/Local",
    "systemroot": "/Windows",
    "windir": "/Windows",
    "systemdrive": "/",
    "programfiles": "/Program Files",
    "programdata": "/ProgramData",
    "public": "/Users/Public",
    "home": "~",
}


def unix_path(text: str) -> str:
    r"""Return a path of Windows as one that places are known by: `C:\Users\u` is `/Users/u`."""
    text = _VARIABLE.sub(
        lambda found: _KNOWN.get((found[1] or found[2]).lower(), f"{HOLE}{found[1] or found[2]}{HOLE}"), text
    )
    if "\\" in text or _DRIVE.match(text):
        text = _DRIVE.sub("", text).replace("\\", "/") or "/"
    return text

"""Makefiles: recipes are shell texts, and so is what `$(shell …)` holds."""

from __future__ import annotations

import re

from interlock.analyse.reading import UNKNOWN, Flow, Reading, Site
from interlock.analyse.scripts.strings import matching
from interlock.patterns import late

_SHELL = late(r"\$[({]shell\s+")
_SET = late(r"^\s*(?:export\s+|override\s+)?([A-Za-z_]\w*)\s*(!?)[:?+]{0,2}=\s*(.*)$")
_USE = late(r"\$[({](\w+)[)}]|\$\$")
MAX_LINES = 2_000


def read_make(reading: Reading, text: str, site: Site, _stdin: Flow) -> Flow:
    """Read a makefile: every recipe counts, whichever target is made."""
    site = site._replace(base=-1)
    values: dict[str, str] = {}
    for line in text.replace("\\\n", " ").split("\n", MAX_LINES)[:MAX_LINES]:
        reading.spend()
        for found in _SHELL.finditer(line):
            end = matching(line, found.end(), line[found.start() + 1], {"(": ")", "{": "}"}[line[found.start() + 1]])
            reading.nest("shell", _spelled(line[found.end() : end if end >= 0 else None], values), site.behind("make"))
            if end < 0:
                break
        setting = _SET.match(line) if line[:1] != "\t" else None
        if setting:
            values[setting[1]] = _spelled(setting[3], values)
            if setting[2]:
                reading.nest("shell", values[setting[1]], site.behind("make"))
        recipe = line[1:] if line[:1] == "\t" else line.partition(";")[2] if _is_rule(line) else ""
        if recipe.strip():
            reading.nest("shell", _spelled(recipe.lstrip(" \t@+-"), values), site.behind("make"))
    return UNKNOWN


def _is_rule(line: str) -> bool:
    return re.match(r"[^\s#:=][^:=#]*:(?!=)", line) is not None


def _spelled(text: str, values: dict[str, str]) -> str:
    """Return a recipe as the shell is given it: variables of make filled in, `$$` a dollar."""
    spelled = _USE.sub(lambda found: "$" if found[0] == "$$" else values.get(found[1], "${" + found[1] + "}"), text)
    return spelled[:65_536]

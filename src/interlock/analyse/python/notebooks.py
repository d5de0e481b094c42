"""Commands in the cells of a notebook: `!ls`, `files = !ls`, `%system ls`, `%%bash`."""

from __future__ import annotations

import re

from interlock.analyse.reading import Reading, Site
from interlock.patterns import late

_COMMAND = late(r"(?m)^([ \t]*)(?:[A-Za-z_][\w, ]*=[ \t]*)?(?:!!?|%(?:sx|system|sc|bash)\b)[ \t]*(.*(?:(?<=\\)\n.*)*)$")
_MAGIC = late(r"(?m)^([ \t]*)(?:[A-Za-z_]\w*[ \t]*=[ \t]*)?%[A-Za-z].*$")
_CELL = late(r"\s*%%(\w+)([^\n]*)\n(.*)", re.DOTALL)
_SHELLS = frozenset({"bash", "sh", "system", "sx", "zsh", "!"})


def read_notebook(reading: Reading, text: str, site: Site) -> str:
    """Analyse the shell commands of a cell; return what is left of it, which is Python."""
    cell = _CELL.fullmatch(text)
    if cell:
        if cell[1] in _SHELLS or (cell[1] == "script" and not {"bash", "sh"}.isdisjoint(cell[2].split())):
            reading.nest("shell", cell[3], site.behind(f"%%{cell[1]}"))
            return ""
        text = cell[3]
    for found in _COMMAND.finditer(text):
        reading.nest("shell", found[2], site.behind("!"))
    return _MAGIC.sub(r"\1pass", _COMMAND.sub(r"\1pass", text))


def is_notebook(text: str) -> bool:
    """Whether a text that is no Python has commands as cells of a notebook have them."""
    return ("!" in text or "%" in text) and (_COMMAND.search(text) or _CELL.fullmatch(text)) is not None

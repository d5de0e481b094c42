"""Code that is written to a file: nothing runs yet, but what it would do is worth knowing before it is saved."""

from __future__ import annotations

import re

from interlock.analyse.code import read_code
from interlock.analyse.languages import LANGUAGES
from interlock.analyse.payloads.payload import clean
from interlock.analyse.reading import Reading, Site

#: How the names of files end that hold code, and in which language.
ENDINGS = {
    ".py": "python",
    ".pyw": "python",
    ".sh": "shell",
    ".bash": "shell",
    ".zsh": "shell",
    ".ksh": "shell",
    ".sql": "sql",
    ".pl": "perl",
    ".rb": "ruby",
    ".php": "php",
    ".lua": "lua",
    ".js": "node",
    ".mjs": "node",
    ".cjs": "node",
    ".ts": "node",
    ".ps1": "powershell",
    ".bashrc": "shell",
    ".zshrc": "shell",
    ".profile": "shell",
}
_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*(?:\S*/)?)?([A-Za-z]+)")
_INTERPRETERS = {"sh": "shell", "bash": "shell", "zsh": "shell", "dash": "shell", "ksh": "shell", "js": "node"}


def language_of(path: str, text: str) -> str | None:
    """Return the language of a file, by its ending or its first line, or None if it holds no code.

    >>> language_of("clean.sh", "rm -rf x"), language_of("hook", "#!/usr/bin/env python3"), language_of("x.md", "")
    ('shell', 'python', None)
    """
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    found = ENDINGS.get(name[dot:]) if dot >= 0 else None
    if found is None and (shebang := _SHEBANG.match(text)):
        found = _INTERPRETERS.get(shebang[1], shebang[1])
    return found if found in LANGUAGES else None


def read_written(reading: Reading, path: str, text: str) -> None:
    """Read what is written to a file as the code that it is; its effects are kept apart, since none happens now."""
    language = language_of(path, text)
    if language is None:
        return
    effects, opaque = len(reading.effects), len(reading.opaque)
    files, taints = dict(reading.files), dict(reading.taints)
    read_code(reading, clean(text), language)
    site = Site((0, len(path)), (f"written to {path.rpartition('/')[2]}",))
    reading.keep_written(effects, site)
    del reading.opaque[opaque:]
    reading.files, reading.taints = files, taints

"""The language of `cmd.exe`: commands joined by `&` and `|`, variables in percent signs, `^` before what is plain."""

from __future__ import annotations

import re

from interlock.analyse.reading import Flow, Reading, Site
from interlock.analyse.scripts.values import shell_text
from interlock.patterns import late

_PIECE = late(r"\"[^\"]*\"?|\^.|&&|\|\||[&|<>]+|\s+|[^\s\"^&|<>]+", re.DOTALL)
_PREFIX = late(r"^\s*(?:@|call\s+|start\s+(?:/\w+\s+|\"\"\s+)*)", re.IGNORECASE)
_LOOP = late(r"\bfor\b.*?\bdo\b|\bif\b\s+(?:not\s+)?(?:exist|defined|errorlevel)?\s*\S+", re.IGNORECASE)
MAX_CHARS = 64_000


def read_batch(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    """Read a batch text as the shell text that says the same."""
    reading.spend(len(text) // 32)
    lines = []
    for line in text[:MAX_CHARS].split("\n"):
        line = _LOOP.sub("", _PREFIX.sub("", line)) if not re.match(r"\s*(?:rem\b|::)", line, re.IGNORECASE) else ""
        lines.append(_spelled(line.strip("()")))
    return reading.nest("shell", "\n".join(lines), site._replace(base=-1), stdin)


def _spelled(line: str) -> str:
    words: list[str] = []
    parts: list[str] = []

    def end_word() -> None:
        if parts:
            words.append(shell_text(["".join(parts)]))
            parts.clear()

    for found in _PIECE.finditer(line):
        piece = found[0]
        if piece.isspace() or piece[0] in "&|<>":
            end_word()
            words.append(";" if piece == "&" else piece.strip())
        else:
            parts.append(piece[1:] if piece[0] == "^" else piece.strip('"'))
    end_word()
    return " ".join(words)

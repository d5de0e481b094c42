"""TOML documents that know the line of each key, so that an error can name it."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from interlock.errors import ConfigError
from interlock.patterns import late

Path = tuple[str | int, ...]

_HEADER = late(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = late(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = late(r"""[\w-]+|"[^"]*"|'[^']*'""")
_ONE_LINE = late(r"""#.*$|"(?!"")(?:[^"\\\\]|\\\\.)*"|'(?!'')[^']*'""")
_AT = late(r"\(at line (\d+), column (\d+)\)")


class Document:
    """A TOML text, its values, and the line of each key."""

    def __init__(self, text: str, file: str) -> None:
        import tomllib  # by those alone who have a file

        self.file, self.text = file, text
        try:
            self.values: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            found = _AT.search(str(error))
            message = str(error).removesuffix(found.group(0) if found else "(at end of document)").strip()
            line = int(found.group(1)) if found else max(text.rstrip().count("\n") + 1, 1)
            raise ConfigError(f"this is no TOML: {message[:1].lower()}{message[1:]}", file=file, line=line) from None
        except (RecursionError, ValueError) as error:
            raise ConfigError(f"this is no TOML that can be read: {error}", file=file) from None
        self._lines = _lines(text)
        self.digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()

    def line(self, path: Path) -> int | None:
        """Return the line of a key, or of the nearest table around it."""
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path[:-1]
        return None

    def error(self, message: str, *path: str | int) -> ConfigError:
        """Return an error that stands at a key."""
        return ConfigError(message, file=self.file, line=self.line(path))


def _lines(text: str) -> dict[Path, int]:
    lines: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    quote = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if quote:
            quote = "" if quote in line else quote
            continue
        header = _HEADER.match(line)
        if header:
            table = _table(header, counts)
            lines.setdefault(table, number)
            continue
        key = _KEY.match(line)
        if key:
            lines.setdefault((*table, *_parts(key.group(1))), number)
        bare = _ONE_LINE.sub("", line)  # a mark in a comment or a short text opens nothing
        quote = next((mark for mark in ('"""', "'''") if bare.count(mark) % 2), "")
    return lines


def _table(header: re.Match[str], counts: dict[Path, int]) -> Path:
    path: Path = ()
    parts = _parts(header.group(2))
    for position, part in enumerate(parts):
        path = (*path, part)
        last = position == len(parts) - 1
        if last and header.group(1) == "[[":
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _parts(text: str) -> Path:
    return tuple(part.strip("\"'") for part in _PART.findall(text))

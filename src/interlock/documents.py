"""TOML documents that know the line of each key, so that an error can name it."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import msgspec

from interlock.errors import ConfigError
from interlock.patterns import late

KeyPath = tuple[str | int, ...]

_HEADER = late(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = late(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = late(r"""[\w-]+|"[^"]*"|'[^']*'""")
_ONE_LINE = late(r"""#.*$|"(?!"")(?:[^"\\\\]|\\\\.)*"|'(?!'')[^']*'""")
_AT = late(r"\(at line (\d+), column (\d+)\)")


#: What to do about an error of the TOML parser.
_ADVICE = {
    "Invalid value": "text stands in quotes",
    "Expected newline or end of document after a statement": "text stands in quotes",
    "Cannot overwrite a value": "this key or table is there twice",
    "Unescaped '\\' in a string": "write the string in single quotes",
    "Illegal character '\\n'": "a quote is not closed on its line",
    "Invalid initial character for a key part": "a table in braces stands on one line",
}
_TWICE = late(r"Cannot declare \((.+)\) twice")


def _explain(message: str) -> str:
    """Return an error of the TOML parser as a person reads it.

    >>> _explain("Cannot declare ('commands', 'deploy') twice"), _explain("Invalid value")
    ('the table `commands.deploy` is there twice', 'invalid value; text stands in quotes')
    """
    twice = _TWICE.fullmatch(message)
    if twice:
        parts = re.findall(r"'([^']*)'", twice[1])
        return f"the table `{'.'.join(parts)}` is there twice"
    advice = _ADVICE.get(message)
    return f"{message[:1].lower()}{message[1:]}" + (f"; {advice}" if advice else "")


#: What some editors on Windows put before a text.
_BYTE_ORDER_MARK = "\ufeff"


class Document:
    """A TOML text, its values, and the line of each key."""

    def __init__(self, text: str, file: str) -> None:
        import tomllib  # needed only if there is a file

        self.file, self.text = file, text
        try:
            self.values: dict[str, Any] = tomllib.loads(text.removeprefix(_BYTE_ORDER_MARK))
        except tomllib.TOMLDecodeError as error:
            found = _AT.search(str(error))
            message = _explain(str(error).removesuffix(found.group(0) if found else "(at end of document)").strip())
            line = int(found.group(1)) if found else max(text.rstrip().count("\n") + 1, 1)
            raise ConfigError(f"this is not TOML: {message}", file=file, line=line) from None
        except RecursionError:
            raise ConfigError("this TOML cannot be read: it is nested too deeply", file=file) from None
        except ValueError as error:
            raise ConfigError(f"this TOML cannot be read: {error}", file=file) from None
        self._lines = _lines(text.removeprefix(_BYTE_ORDER_MARK))
        self.digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()

    def line(self, path: KeyPath) -> int | None:
        """Return the line of a key, or of the nearest table around it."""
        inside = next((line for key, line in self._lines.items() if key[: len(path)] == path), None) if path else None
        if inside is not None:  # the key, or the first table in it: `[comands.deploy]` for `comands`
            return self._lines.get(path, inside)
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path[:-1]
        return None

    def error(self, message: str, *path: str | int) -> ConfigError:
        """Return an error with the file and the line of a key."""
        return ConfigError(message, file=self.file, line=self.line(path), path=path)

    def without(self, path: KeyPath) -> Document:
        """Return the document without the item at a path, or without the nearest table around it.

        An item of a list goes as a whole. The lines of everything else stay known.
        """
        kept = object.__new__(type(self))
        kept.__dict__ = {**self.__dict__, "values": _copy(self.values)}
        around: Any = kept.values
        found: KeyPath = path[:1]
        for name in path[1:]:
            inside = around[found[-1]]
            if isinstance(found[-1], int) or not _holds(inside, name):
                break
            around, found = inside, (*found, name)
        del around[found[-1]]
        if isinstance(found[-1], int):
            kept._lines = _renumber(self._lines, found)
        return kept


def _copy(value: Any) -> Any:
    """Return a copy of a table or a list, and of everything in it."""
    if isinstance(value, dict):
        return {name: _copy(item) for name, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _holds(value: Any, name: str | int) -> bool:
    """Whether a table or a list has an item of this name or number."""
    if isinstance(name, int):
        return isinstance(value, list) and name < len(value)
    return isinstance(value, dict) and name in value


def _renumber(lines: dict[KeyPath, int], removed: KeyPath) -> dict[KeyPath, int]:
    """Return the lines of a document after an item of a list was removed."""
    *around, index = removed
    depth, kept = len(around), dict[KeyPath, int]()
    for path, line in lines.items():
        number = path[depth] if path[:depth] == tuple(around) and len(path) > depth else None
        if not isinstance(number, int) or not isinstance(index, int) or number < index:
            kept[path] = line
        elif number > index:
            kept[(*path[:depth], number - 1, *path[depth + 1 :])] = line
    return kept


class Layer(msgspec.Struct, frozen=True):
    """A document, and what of it is in force: under an outer layer, looser settings are left out."""

    document: Document
    kept: Document
    is_bundle: bool = False

    def has(self, path: KeyPath) -> bool:
        """Whether the document has a value at a path."""
        return _at(self.document, path) is not _MISSING

    def sets(self, path: KeyPath) -> bool:
        """Whether the document has a value at a path, and it was not left out."""
        return self.has(path) and _at(self.kept, path) is not _MISSING

    def completes(self, path: KeyPath) -> bool:
        """Whether an outer layer supplies the value at a path."""
        return not self.has(path) and _at(self.kept, path) is not _MISSING

    def value_at(self, path: KeyPath) -> Any:
        """Return the value at a path as it is written."""
        return _at(self.document, path)


_MISSING = object()


def _at(document: Document, path: KeyPath) -> Any:
    found: Any = document.values
    for part in path:
        if not isinstance(found, dict) or part not in found:
            return _MISSING
        found = found[part]
    return found


def _lines(text: str) -> dict[KeyPath, int]:
    lines: dict[KeyPath, int] = {}
    counts: dict[KeyPath, int] = {}
    table: KeyPath = ()
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
        bare = _ONE_LINE.sub("", line)  # quotes in a comment or a one-line string do not open a multi-line string
        quote = next((mark for mark in ('"""', "'''") if bare.count(mark) % 2), "")
    return lines


def _table(header: re.Match[str], counts: dict[KeyPath, int]) -> KeyPath:
    path: KeyPath = ()
    parts = _parts(header.group(2))
    for position, part in enumerate(parts):
        path = (*path, part)
        last = position == len(parts) - 1
        if last and header.group(1) == "[[":
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _parts(text: str) -> KeyPath:
    return tuple(part.strip("\"'") for part in _PART.findall(text))

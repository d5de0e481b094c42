"""Checks of single values: each returns the value with the right type, or raises an error with its line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from interlock.documents import Document, KeyPath
from interlock.errors import ConfigError, nearest

Found = TypeVar("Found")


def expect(document: Document, value: Any, kind: type | tuple[type, ...], what: str, *path: str | int) -> Any:
    """Return a value of the expected type. `what` describes it in the error."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise document.error(f"`{path[-1]}` must be {what}, found `{value!r}`", *path)
    return value


def choice(document: Document, value: Any, allowed: list[str], *path: str | int) -> str:
    """Return a value that is one of the allowed words."""
    if value not in allowed:
        raise document.error(f"unknown {path[-1]} `{value}`{nearest(value, allowed)}", *path)
    return str(value)


def texts(document: Document, key: str, value: Any, *around: str) -> tuple[str, ...]:
    """Return a list of strings. `around` are the tables in which the key is."""
    expect(document, value, list, "a list of strings", *around, key)
    for item in value:
        if not isinstance(item, str):
            raise document.error(f"`{key}` must contain only strings, found `{item!r}`", *around, key)
    return tuple(value)


def tables(document: Document, key: str, value: Any) -> list[dict[str, Any]]:
    """Return an array of tables."""
    expect(document, value, list, f"written as `[[{key}]]` tables", key)
    for index, item in enumerate(value):
        expect(document, item, dict, f"written as `[[{key}]]` tables", key, index)
    return list(value)


def read_at(document: Document, path: KeyPath, read: Callable[[Any], Found], value: Any) -> Found:
    """Return the result of `read` for a value; an error gets the line of the value's key."""
    try:
        return read(value)
    except ConfigError as error:
        raise error.at(document.file, document.line(path), path) from None

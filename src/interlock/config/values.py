"""Checking what stands in a document: each reader returns a value of the right shape, or an error with its line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from interlock.documents import Document, Path
from interlock.errors import ConfigError, nearest

Found = TypeVar("Found")


def expect(document: Document, value: Any, kind: type | tuple[type, ...], what: str, *path: str | int) -> Any:
    """Return a value of the kind that is wanted."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise document.error(f"`{path[-1]}` must be {what}, found `{value!r}`", *path)
    return value


def choice(document: Document, value: Any, allowed: list[str], *path: str | int) -> str:
    """Return one of the words that are allowed."""
    if value not in allowed:
        raise document.error(f"unknown {path[-1]} `{value}`{nearest(value, allowed)}", *path)
    return str(value)


def texts(document: Document, key: str, value: Any) -> tuple[str, ...]:
    """Return a list of texts."""
    expect(document, value, list, "a list of texts", key)
    for item in value:
        if not isinstance(item, str):
            raise document.error(f"`{key}` holds texts, found `{item!r}`", key)
    return tuple(value)


def tables(document: Document, key: str, value: Any) -> list[dict[str, Any]]:
    """Return an array of tables."""
    expect(document, value, list, f"written as `[[{key}]]` tables", key)
    for index, item in enumerate(value):
        expect(document, item, dict, f"written as `[[{key}]]` tables", key, index)
    return list(value)


def at(document: Document, path: Path, read: Callable[[Any], Found], value: Any) -> Found:
    """Return what a reader makes of a value; its error gets the line of the value's key."""
    try:
        return read(value)
    except ConfigError as error:
        raise error.at(document.file, document.line(path)) from None

"""What an expression of PowerShell is known to be: a text (with holes), a number, a list, a hash, a type, an object."""

from __future__ import annotations

from typing import Any, NamedTuple

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.powershell.source import PowerShellSource
from interlock.analyse.scripts.values import MAX_ITEMS, MAX_TEXT, Choice, choices, unknown


class ScriptBlock(NamedTuple):
    """A script block: where its statements stand."""

    source: PowerShellSource
    node: Node


class Type(NamedTuple):
    """A type of .NET, by its name in lower case and without `System.`."""

    name: str


class Instance(NamedTuple):
    """An object of a type, and what it was made of."""

    type: str
    arguments: tuple[Any, ...] = ()


class TextBuilder(NamedTuple):
    """A text that is put together step by step."""

    parts: list[str]


def text_of(value: Any, depth: int = 6) -> str:
    """Return a value as part of a text, with holes where it is not known."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, ScriptBlock):
        return value.source.slice(value.node.start_byte, value.node.end_byte) if value is not None else ""
    if isinstance(value, (bool, int, float)):
        return _number(value)
    if isinstance(value, Choice):
        return text_of(value.values[0], depth - 1)
    if isinstance(value, Type):
        return value.name
    if isinstance(value, TextBuilder):
        return "".join(value.parts)[:MAX_TEXT]
    if not depth:
        return unknown()
    if isinstance(value, Instance):
        return text_of(list(value.arguments), depth - 1) + unknown(value.type)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return " ".join(text_of(part, depth - 1) for part in list(parts)[:MAX_ITEMS])[:MAX_TEXT]


def _number(value: float) -> str:
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, float) and not value.is_integer():
        return str(value)
    return str(int(value)) if abs(value) < 10**30 else unknown("number")


def items_of(value: Any) -> list[Any]:
    """Return what a pipeline would carry: the items of a list, else the value itself; nothing for `$null`."""
    if isinstance(value, list):
        return value[:MAX_ITEMS]
    return [] if value is None else [value]


def texts_of(value: Any) -> list[str]:
    """Return the texts of a value: of each item, and of each value that it could be."""
    return [text_of(one) for item in items_of(value) for way in choices(item) for one in items_of(way)]


def lines_of(value: Any) -> str | None:
    """Return what a value is as lines of text, or None where a part of it is not known."""
    text = "\n".join(text_of(item) for item in items_of(value))
    return None if HOLE in text else text


def is_known(value: Any) -> bool:
    """Whether a value is a text or number without holes, or a list of such."""
    if isinstance(value, list):
        return len(value) <= MAX_ITEMS and all(is_known(item) for item in value)
    return HOLE not in value if isinstance(value, str) else isinstance(value, (int, float))

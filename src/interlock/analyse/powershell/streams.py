"""Readers and writers of files: `[IO.StreamReader]::new("in.txt")`, `[IO.StreamWriter]::new("out.txt")`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tree_sitter import Node

from interlock.analyse.files.paths import is_hole
from interlock.analyse.powershell.files import read_file, write_file
from interlock.analyse.powershell.values import Instance, text_of

if TYPE_CHECKING:
    from interlock.analyse.powershell.expressions import Expressions

_WRITER = "io.streamwriter"
#: How the names of types end whose objects hold content, and not the path of a file.
HOLDING = "stream"


def open_reader(reader: Expressions, given: list[Any], node: Node) -> Any:
    """Return what a file holds, or the stream that is read."""
    first = given[0] if given else ""
    if not isinstance(first, str) or is_hole(first) or first in reader.state.streams:
        return first
    return read_file(reader.state, first, reader.state.at(node))


def open_writer(reader: Expressions, given: list[Any], node: Node) -> Any:
    """Begin a file, or go on with it; return its writer."""
    first = given[0] if given else ""
    if isinstance(first, str) and not is_hole(first):
        write_file(reader.state, first, "", reader.state.at(node), append=given[1:2] == [True])
    return Instance(_WRITER, (first,))


def write(reader: Expressions, owner: Any, given: list[Any], node: Node) -> Any:
    """Write a text into the file of a writer; `NotImplemented` where it is no file."""
    path = owner.arguments[0] if isinstance(owner, Instance) and owner.type == _WRITER and owner.arguments else None
    if not isinstance(path, str) or is_hole(path):
        return NotImplemented
    write_file(reader.state, path, text_of(given[0]) if given else "", reader.state.at(node), append=True)
    return None


OPENERS: dict[str, Any] = {"io.streamreader": open_reader, _WRITER: open_writer}
STREAMS: dict[str, Any] = {f"{_WRITER}.write": write, f"{_WRITER}.writeline": write}

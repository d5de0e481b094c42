"""A command about to be read: its arguments, what comes through the pipe, and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tree_sitter import Node

from interlock.analyse.flow import Flow
from interlock.analyse.powershell.binding import CmdletArgument
from interlock.analyse.powershell.state import PowerShellState
from interlock.analyse.powershell.values import lines_of, text_of
from interlock.analyse.reading import Site

if TYPE_CHECKING:
    from interlock.analyse.powershell.walk import Interpreter


class Invocation(NamedTuple):
    """A command with its arguments and its input."""

    reader: Interpreter
    node: Node
    arguments: list[CmdletArgument]
    given: Any = None
    piped: bool = False

    @property
    def state(self) -> PowerShellState:
        """The session that it runs in."""
        return self.reader.state

    @property
    def site(self) -> Site:
        """Where it stands."""
        return self.reader.state.at(self.node)

    def flow(self) -> Flow:
        """Return what comes through the pipe, as a program reads it."""
        text = lines_of(self.given)
        return self.state.flow(self.given, None if text is None else text + "\n")

    def marks(self) -> frozenset[str]:
        """Return where the unknown parts of its arguments and its input came from."""
        values = [argument.value for argument in self.arguments]
        return self.state.reading.marks(text_of(values)) | self.state.reading.marks(text_of(self.given))

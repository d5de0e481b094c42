"""Commands and calls that the walk did not come to: in blocks that something not described will run.

A block may be handed to a method, kept in a class, or stand where only the grammar knows what it means. Whatever runs
it, it can run; so what has not been read when the text ends is read as it stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.analyse.powershell.source import PowerShellSource

if TYPE_CHECKING:
    from interlock.analyse.powershell.walk import Interpreter

#: Nodes that do something.
ACTING = frozenset({"command", "invokation_expression"})


def read_unseen(reader: Interpreter, source: PowerShellSource) -> None:
    """Read what does something in a source and has not been read."""
    state, outer = reader.state, reader.state.source
    state.source = source
    left = [source.root]
    count = 0
    try:
        while left:
            node = left.pop()
            count += 1
            if node.type in ACTING and not state.has_seen(source, node):
                reader.statements(node)
            left += reversed(node.named_children)
    finally:
        state.source = outer
        state.reading.spend(count // 16)

"""How a language is read by its grammar: which node is read by which function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tree_sitter import Node

if TYPE_CHECKING:
    from interlock.analyse.scripts.trees.walker import Walker

Span = tuple[int, int]
Handler = Callable[["Walker", Node], Any]
AssignTarget = Callable[["Walker", Node, str, Any], None]


class Language(NamedTuple):
    """How the nodes of a grammar are read."""

    grammars: tuple[str, ...]  # the first that takes the text is used
    nodes: Mapping[str, Handler]
    targets: Mapping[str, AssignTarget]  # nodes that may be assigned to
    functions: Mapping[str, str]  # nodes that are functions without a name, and the field that holds their body
    runs: frozenset[str]  # nodes that run something: calls, commands in quotes, code that is loaded
    hole: str = ""  # what stands before the name of a variable
    arguments: str = ""  # the name of the list that holds what a function is called with
    heredocs: tuple[tuple[str, ...], str] = ((), "")  # where a here-document is announced, and its text


def span(node: Node) -> Span:
    """Return where a node stands in its text."""
    return (node.start_byte, node.end_byte)

"""Assignments to variables, arrays and items of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from interlock.analyse.flow import NOTHING, Flow
from interlock.analyse.reading import Site
from interlock.analyse.shell.expansion.words import expand, read_subscript, truncate_text, value
from interlock.analyse.shell.parsing.grammar import ShellSource
from interlock.analyse.shell.scope import ShellScope
from interlock.lazy import LazyModule

if TYPE_CHECKING:
    from interlock.analyse import variables
    from interlock.analyse.shell.expansion import arrays, braces
else:
    arrays = LazyModule("interlock.analyse.shell.expansion.arrays")
    braces = LazyModule("interlock.analyse.shell.expansion.braces")
    variables = LazyModule("interlock.analyse.variables")  # most commands set none


def assign(node: Node, scope: ShellScope, _stdin: Flow) -> Flow:
    """Carry out an assignment to a variable, an array or one item of an array."""
    source = scope.source
    plain: tuple[str, Node, bool] | None = source.parts.get(node.id)
    if plain is None:
        plain = _split_plain(node, source)
        if plain is None:
            return _assign_item(node, scope)
        source.parts[node.id] = plain
    name, given, appends = plain
    text = value(given, scope)
    set_variable(scope, name, truncate_text(scope.value(name) + text, scope) if appends else text, node)
    return NOTHING


def _split_plain(node: Node, source: ShellSource) -> tuple[str, Node, bool] | None:
    """Return the name and the value of an assignment to a variable, and whether it appends, or None for any other."""
    children = node.named_children
    if len(children) < 2 or children[0].type == "subscript" or children[1].type == "array":
        return None
    end = children[0].end_byte
    return source.of(children[0]), children[1], source.slice(end, end + 2) == "+="


def _assign_item(node: Node, scope: ShellScope) -> Flow:
    """Carry out an assignment to an array or one item of it, or of no value."""
    children = node.named_children
    name = scope.source.of(children[0]) if children else ""
    key = None
    if children and children[0].type == "subscript":
        name, key = read_subscript(children[0], scope)
    if len(children) < 2:
        set_variable(scope, name, "", node)
        return NOTHING
    if children[1].type == "array":
        items = [word for child in children[1].named_children for word in expand(child, scope)]
        known = scope.variables.get(name)
        if isinstance(known, list) and scope.source.slice(children[0].end_byte, children[0].end_byte + 2) == "+=":
            items = known + items
        arrays.set_all(scope, name, items[: braces.MAX_EXPANSIONS])
        scope.reading.spend(len(items))
        return NOTHING
    if key is not None:
        arrays.set_item(scope, name, key, value(children[1], scope))
    return NOTHING


def set_variable(scope: ShellScope, name: str, text: str, node: Node) -> None:
    """Set a variable, and report the effect if it is one that changes what programs do (`LD_PRELOAD`, `PATH`)."""
    name = scope.resolve_name(name)
    scope.set(name, text)
    known = variables.find_variable(name)
    if known is not None and (known.names or _reaches_programs(node, scope)):
        variables.read_variable(scope.reading, name, text, scope.site(scope.source.span(node)))


def declare_variable(scope: ShellScope, name: str, text: str, site: Site) -> None:
    """Set a variable that programs get, as `set_variable` does."""
    name = scope.resolve_name(name)
    scope.set(name, text)
    if variables.find_variable(name) is not None:
        variables.read_variable(scope.reading, name, text, site)


def _reaches_programs(node: Node, scope: ShellScope) -> bool:
    """Whether an assignment is one that programs see: in front of a command, or exported here or later."""
    parent = node.parent
    if parent is not None and parent.type in ("command", "declaration_command"):
        return True
    return any(word in scope.source.text for word in ("export", "set -a", "allexport", "declare", "typeset"))

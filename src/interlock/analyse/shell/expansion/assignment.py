"""Assignments to variables, arrays and items of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from interlock.analyse.flow import NOTHING, Flow
from interlock.analyse.shell.expansion.arrays import set_all, set_item
from interlock.analyse.shell.expansion.braces import MAX_EXPANSIONS
from interlock.analyse.shell.expansion.words import expand, read_subscript, truncate_text, value
from interlock.analyse.shell.scope import ShellScope
from interlock.lazy import LazyModule

if TYPE_CHECKING:
    from interlock.analyse import variables
else:
    variables = LazyModule("interlock.analyse.variables")  # most commands set none


def assign(node: Node, scope: ShellScope, _stdin: Flow) -> Flow:
    """Carry out an assignment to a variable, an array or one item of an array."""
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
        set_all(scope, name, items[:MAX_EXPANSIONS])
        scope.reading.spend(len(items))
        return NOTHING
    text = value(children[1], scope)
    if key is not None:
        set_item(scope, name, key, text)
        return NOTHING
    if scope.source.slice(children[0].end_byte, children[0].end_byte + 2) == "+=":
        text = truncate_text(scope.value(name) + text, scope)
    set_variable(scope, name, text, node)
    return NOTHING


def set_variable(scope: ShellScope, name: str, text: str, node: Node) -> None:
    """Set a variable, and report the effect if it is one that changes what programs do (`LD_PRELOAD`, `PATH`)."""
    name = scope.resolve_name(name)
    scope.set(name, text)
    known = variables.find_variable(name)
    if known is not None and (known.names or _reaches_programs(node, scope)):
        variables.read_variable(scope.reading, name, text, scope.site(scope.source.span(node)))


def _reaches_programs(node: Node, scope: ShellScope) -> bool:
    """Whether an assignment is one that programs see: in front of a command, or exported here or later."""
    parent = node.parent
    if parent is not None and parent.type in ("command", "declaration_command"):
        return True
    return any(word in scope.source.text for word in ("export", "set -a", "allexport", "declare", "typeset"))

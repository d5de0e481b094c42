"""Names of Perl: scalars, lists and hashes, and what is assigned to them."""

from __future__ import annotations

from typing import Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.scripts.trees import node_readers as m
from interlock.analyse.scripts.trees.walker import Walker
from interlock.analyse.scripts.values import MAX_ITEMS, Ref, as_text, flat, unknown
from interlock.patterns import late

ARGUMENTS = "@_"
#: The package that names belong to which say no other.
_MAIN = late(r"^(?:main)?::")


def variable_name(walker: Walker, node: Node) -> str:
    """Return the name of a variable, or nothing where that is computed."""
    text = walker.of(node)
    if HOLE in text:
        return text
    inner = next((child for child in node.named_children if child.type == "varname"), None)
    if inner is None or inner.named_child_count:
        return ""
    if text[1:2].isspace():  # `$ x` is `$x`, but the grammar has ideas of its own about what follows
        walker.whole = False
    name = _MAIN.sub("", walker.of(inner).strip("{}^ "))
    return ARGUMENTS if name == "_" and node.type in ("array", "array_element") else name


def read_variable(walker: Walker, node: Node) -> Any:
    name = variable_name(walker, node)
    if not name:  # `$$x`, `@{…}`, `${\ …}`
        return walker.mix(walker.block(node)) if node.type == "block" else read_inside(walker, node)
    return look_up(walker, name)


def read_inside(walker: Walker, node: Node) -> Any:
    value: Any = ""
    for child in node.named_children:
        value = walker.block(child) if child.type == "varname" else walker.evaluate(child)
    return value


def look_up(walker: Walker, name: str) -> Any:
    value = m.look_up(walker, name)
    return unknown(name.strip("@")) if value == Ref(name) and name != "ENV" else value


def read_element(walker: Walker, node: Node) -> Any:
    """`$h{key}`, `$a[0]`, `$r->{key}`."""
    owner, key = owner_and_key(walker, node)
    return m.pick(walker, owner, key)


def owner_and_key(walker: Walker, node: Node) -> tuple[Any, Any]:
    index = node.child_by_field_name("key") or node.child_by_field_name("index")
    owner = next((child for child in node.named_children if child != index), None)
    value: Any = ""
    if owner is not None:
        name = variable_name(walker, owner) if owner.type == "container_variable" else None
        if name == "_" and node.type == "array_element_expression":
            name = ARGUMENTS
        value = look_up(walker, name) if name else walker.resolve(owner)
        if isinstance(value, str) and name == "ENV":
            value = Ref("ENV")
    return value, walker.evaluate(index) if index is not None else ""


def arguments_of(walker: Walker, node: Node | None) -> list[Any]:
    """Return what a call is given: one value, or a list; `=>` and `,` are the same."""
    if node is None:
        return []
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    nodes = node.named_children if node.type in ("list_expression", "parenthesized_expression") else [node]
    found: list[Any] = []
    for child in nodes:
        if child.type != "comment":
            value = walker.literal(child)
            found.append(value if value is not None else walker.evaluate(child))
    return found[:MAX_ITEMS]


def read_hash(walker: Walker, node: Node) -> Any:
    """`{a => 1, b => 2}`."""
    values = [value for child in node.named_children for value in arguments_of(walker, child)]
    return {as_text(key)[:100]: value for key, value in zip(values[::2], values[1::2], strict=False)}


def read_array(walker: Walker, node: Node) -> Any:
    return flat([value for child in node.named_children for value in arguments_of(walker, child)])


def read_list(walker: Walker, node: Node) -> Any:
    if node.type == "parenthesized_expression" and node.named_child_count == 1:
        inner = node.named_children[0]
        return read_list(walker, inner) if inner.type == "list_expression" else walker.resolve(inner)
    return arguments_of(walker, node)


def read_declaration(walker: Walker, node: Node) -> Any:
    value: Any = ""
    for child in node.named_children:
        if child.type in ("scalar", "array", "hash"):
            value = unknown(variable_name(walker, child))
    return value

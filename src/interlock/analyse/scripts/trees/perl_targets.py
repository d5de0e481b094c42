"""What is assigned to in Perl: variables, elements, lists of them."""

from __future__ import annotations

from functools import reduce
from typing import Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.scripts.changes import change_same
from interlock.analyse.scripts.trees import node_readers as m
from interlock.analyse.scripts.trees.perl_names import ARGUMENTS, owner_and_key, read_inside, variable_name
from interlock.analyse.scripts.trees.perl_references import to_referenced
from interlock.analyse.scripts.trees.walker import Walker
from interlock.analyse.scripts.values import Choice, Ref, as_text, either, flat


def to_variable(walker: Walker, node: Node, mark: str, value: Any) -> None:
    name = variable_name(walker, node)
    if not name:
        to_referenced(walker, node, mark, value)
    elif HOLE in name:
        read_inside(walker, node)
    elif node.type == "hash" and isinstance(value, list):
        pairs = zip(value[::2], value[1::2], strict=False)
        walker.assign_name(name, mark, {as_text(key)[:100]: one for key, one in pairs})
    elif node.type == "array" and value is not None and not isinstance(value, list) and HOLE not in as_text(value):
        walker.assign_name(name, mark, [value])
    else:
        walker.assign_name(name, mark, value)


def to_each(walker: Walker, nodes: list[Node], mark: str, value: Any) -> None:
    for index, child in enumerate(nodes):
        if isinstance(value, Choice):
            parts = [_part(walker, child, one, index) for one in value.values]
            one = reduce(either, parts) if None not in parts else None
        else:
            one = _part(walker, child, value, index)
        walker.assign_to(child, mark, one)


def _part(walker: Walker, target: Node, value: Any, index: int) -> Any:
    """Return what one of several targets is given of a value; None for what is not known."""
    if not isinstance(value, list):
        return walker.mix(value) if value is not None and walker.marks(value) else None
    if target.type in ("array", "hash"):
        return value[index:]
    return value[index] if index < len(value) else None


def to_list(walker: Walker, node: Node, mark: str, value: Any) -> None:
    while node.named_child_count == 1 and node.named_children[0].type == "list_expression":
        node = node.named_children[0]
    to_each(walker, node.named_children, mark, value if isinstance(value, (Choice, list)) or value is None else [value])


def to_element(walker: Walker, node: Node, mark: str, value: Any) -> None:
    """`$h{key} = value`, `$a[0] = value`."""
    owner, key = owner_and_key(walker, node)
    container = next((child for child in node.named_children if child.type == "container_variable"), None)
    if container is not None and not isinstance(owner, (list, dict, Ref)):
        name = variable_name(walker, container)
        if name and HOLE not in name and name not in walker.names:
            owner = walker.names[name] = {} if node.type.startswith("hash") else []
    if owner is walker.names.get(ARGUMENTS):  # which are the variables of the caller
        change_same(walker, m.pick(walker, owner, key), value)
    if mark == "=":
        walker.store(owner, key, value)


def to_slice(walker: Walker, node: Node, _mark: str, value: Any) -> None:
    """`@h{qw(a b)} = (…)`, `@a[0, 1] = (…)`."""
    container = next(iter(node.named_children), None)
    owner = m.look_up(walker, variable_name(walker, container)) if container is not None else ""
    keys = flat([walker.evaluate(child) for child in node.named_children[1:]])
    values = value if isinstance(value, list) else [value]
    if not isinstance(owner, (list, dict)):
        owner = {} if node.child_by_field_name("hash") is not None else []
        if container is not None and variable_name(walker, container):
            walker.names[variable_name(walker, container)] = owner
    for index, key in enumerate(keys):
        walker.store(owner, key, values[index] if index < len(values) else values[-1] if values else None)

"""What is assigned to in any language: names, elements, several names at once, defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tree_sitter import Node

from interlock.analyse.scripts.trees.language import AssignTarget, Handler, span
from interlock.analyse.scripts.trees.node_readers import SPREADS, pick
from interlock.analyse.scripts.trees.walker import Walker
from interlock.analyse.scripts.values import Ref

#: Nodes of names under which a value is followed, also where they stand in a pattern.
NAMES = frozenset(
    "array_pattern constant global_variable identifier instance_variable object_pattern scalar variable_declaration "
    "variable_name".split()
)


def assignment(walker: Walker, node: Node) -> Any:
    """`left = right`, and with an operator before the equals sign."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    value: Any = ""
    if right is not None:
        is_named = left is not None and left.type in NAMES
        value = walker.evaluate_named(right) if is_named else walker.evaluate(right)
    if left is not None:
        walker.assign_to(left, walker.of(operator) if operator is not None else "=", value)
    return value


def declarator(left: str, right: str) -> Handler:
    """Return the handler of `var left = right`."""

    def read(walker: Walker, node: Node) -> Any:
        target, given = node.child_by_field_name(left), node.child_by_field_name(right)
        if target is not None and given is not None:
            is_named = target.type in NAMES
            walker.assign_to(target, "=", walker.evaluate_named(given) if is_named else walker.evaluate(given))
        elif target is not None and target.named_child_count:
            walker.resolve(target)  # a name that is computed
        return ""

    return read


def to_name(walker: Walker, node: Node, mark: str, value: Any) -> None:
    """A name is assigned to."""
    walker.assign_name(walker.of(node), mark, value)


def to_element(read_owner: Callable[[Walker, Node], tuple[Any, Any]]) -> AssignTarget:
    """Return the target of `owner.key = value` and `owner[key] = value`."""

    def assign(walker: Walker, node: Node, mark: str, value: Any) -> None:
        owner, key = read_owner(walker, node)
        if mark in ("=", ":="):
            walker.store(owner, key, value)

    return assign


def owner_of(walker: Walker, node: Node | None) -> Any:
    """Return the value whose element or member is assigned to; the environment itself is not read then."""
    value = walker.resolve(node) if node is not None else ""
    if isinstance(value, Ref) and not walker.is_environment(value):
        return walker.property(value, span(node)) if node is not None else value
    return value


def to_items(walker: Walker, node: Node, mark: str, value: Any) -> None:
    """Several names are assigned to, each an element of the value."""
    inner = node.named_children[0] if node.named_child_count == 1 else None
    if inner is not None and inner.type == "destructured_left_assignment":  # `(a, (b, c)) = …`
        walker.assign_to(inner, mark, value)
        return
    for index, child in _places(node):
        if isinstance(value, list) and child.type not in SPREADS and child.type != "rest_pattern":
            one = value[index] if index < len(value) else None
        elif isinstance(value, list):
            one = value[index:]
        else:
            one = None if value is None else pick(walker, value, index)
        walker.assign_to(child, mark, one)


def _places(node: Node) -> Iterator[tuple[int, Node]]:
    """Yield what stands between commas, with its place: `[, b]` has nothing at its first one."""
    index = 0
    for child in node.children:
        if child.type == ",":
            index += 1
        elif child.is_named and child.type != "comment":
            yield index, child


def to_inside(field: str = "") -> AssignTarget:
    """Return the target that stands inside a node: a default, a type, brackets."""

    def assign(walker: Walker, node: Node, mark: str, value: Any) -> None:
        inner = node.child_by_field_name(field) if field else next(iter(node.named_children), None)
        for child in node.named_children:
            if child != inner and value is None and child.type not in _TYPES:
                value = walker.evaluate(child)  # a default
        if inner is not None:
            walker.assign_to(inner, mark, value)

    return assign


_TYPES = frozenset({"type_annotation", "accessibility_modifier", "primitive_type", "named_type", "reference_modifier"})

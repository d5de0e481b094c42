"""All nodes of a statement's tree, faster than the parser's own `walk`, which is three generators within each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from interlock.lazy import LazyModule

if TYPE_CHECKING:
    from sqlglot import exp

    Node = TypeVar("Node", bound=exp.Expr)
else:
    exp = LazyModule("sqlglot.expressions")


def nodes_in(node: exp.Expr) -> list[exp.Expr]:
    """Return a node and everything below it, level by level."""
    kind, found = exp.Expr, [node]
    for one in found:
        for value in one.args.values():
            if isinstance(value, kind):
                found.append(value)
            elif isinstance(value, list):
                found += [item for item in value if isinstance(item, kind)]
    return found


def nodes_of(node: exp.Expr, *kinds: type[Node]) -> list[Node]:
    """Return those nodes of some kinds that are a node or below it, level by level."""
    return [one for one in nodes_in(node) if isinstance(one, kinds)]

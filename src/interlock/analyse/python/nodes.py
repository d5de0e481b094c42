"""All nodes of a syntax tree, faster than `ast.walk`, which looks at contexts and at fields that hold no nodes too."""

from __future__ import annotations

import ast
from collections.abc import Callable
from operator import attrgetter
from typing import Any

#: Fields that hold no nodes, in any kind of node.
_PLAIN = frozenset(
    (
        "ctx id attr kind type_comment conversion level lineno tag name arg asname module is_async simple rest "
        "kwd_attrs"
    ).split()
)
#: Fields with a list that has None in it for what is left out: `{**rest}`, `def f(*, name)`.
_WITH_GAPS = frozenset({"keys", "kw_defaults"})
#: Kinds of nodes in which fields that usually hold nodes hold texts and constants.
_WITHOUT_NODES = frozenset({ast.Constant, ast.MatchSingleton, ast.Global, ast.Nonlocal})
_Parts = Callable[[Any], tuple[Any, ...]]  # of a node → what its fields hold that may hold nodes
_PARTS: dict[type[ast.AST], _Parts] = {}
#: The same for kinds of nodes with a list that has gaps.
_PARTS_WITH_GAPS: dict[type[ast.AST], _Parts] = {}


def _fields_of(kind: type[ast.AST]) -> tuple[str, ...]:
    """Return the fields of a kind of node that hold nodes, the name in `type Pair = tuple[int, int]` included."""
    if kind.__name__ == "TypeAlias":
        return kind._fields
    return () if kind in _WITHOUT_NODES else tuple(name for name in kind._fields if name not in _PLAIN)


def _add_kind(kind: type[ast.AST]) -> None:
    """Put a kind of node into the tables."""
    fields = _fields_of(kind)
    table = _PARTS if _WITH_GAPS.isdisjoint(fields) else _PARTS_WITH_GAPS
    if len(fields) > 1:
        table[kind] = attrgetter(*fields)
    elif fields:
        get = attrgetter(*fields)  # which gives a single field without a tuple
        table[kind] = lambda node: (get(node),)
    else:
        table[kind] = lambda _node: ()


def nodes_in(node: ast.AST) -> list[ast.AST]:
    """Return a node and everything below it, from the outside in; without `ast.Load` and its like.

    >>> [type(node).__name__ for node in nodes_in(ast.parse("a.b(1)").body[0])]
    ['Expr', 'Call', 'Attribute', 'Constant', 'Name']
    """
    found = [node]
    add = found.append
    for one in found:
        kind = one.__class__
        if kind is ast.Name or kind is ast.Constant:  # most nodes are of these four kinds
            continue
        if kind is ast.Attribute:
            add(one.value)  # type: ignore[attr-defined]
        elif kind is ast.Call:
            add(one.func)  # type: ignore[attr-defined]
            found += one.args  # type: ignore[attr-defined]
            found += one.keywords  # type: ignore[attr-defined]
        else:
            _add_parts(one, kind, found)
    return found


def _add_parts(node: ast.AST, kind: type[ast.AST], found: list[ast.AST]) -> None:
    """Add the nodes in the fields of a node."""
    parts = _PARTS.get(kind)
    if parts is None:
        if kind not in _PARTS_WITH_GAPS:
            _add_kind(kind)
            _add_parts(node, kind, found)
            return
        for value in _PARTS_WITH_GAPS[kind](node):
            found += [item for item in (value if value.__class__ is list else (value,)) if item is not None]
        return
    for value in parts(node):
        if value.__class__ is list:
            found += value
        elif value is not None:
            found.append(value)

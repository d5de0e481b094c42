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
#: Kinds with a list that has None in it for what is left out: `{**rest}`, `def f(*, name)`.
_WITH_GAPS = frozenset({ast.Dict, ast.arguments})


#: In these kinds, fields that usually hold nodes hold texts and constants.
_WITHOUT_NODES = frozenset({ast.Constant, ast.MatchSingleton, ast.Global, ast.Nonlocal})

Reader = Callable[[ast.AST], tuple[Any, ...]]


def _fields_of(kind: type[ast.AST]) -> tuple[str, ...]:
    """Return the fields of a kind of node that hold nodes, the name in `type Pair = tuple[int, int]` included."""
    if kind in _WITHOUT_NODES:
        return ()
    if kind.__name__ == "TypeAlias":
        return kind._fields
    return tuple(name for name in kind._fields if name not in _PLAIN)


def _reader_of(kind: type[ast.AST]) -> Reader:
    """Return a function that reads the fields of a kind of node that hold nodes."""
    fields = _fields_of(kind)
    if len(fields) > 1:
        return attrgetter(*fields)
    return (lambda node: (getattr(node, fields[0]),)) if fields else (lambda _: ())


class _Readers(dict[type[ast.AST], Reader]):
    """Kind of node → what reads the fields that hold nodes."""

    def __missing__(self, kind: type[ast.AST]) -> Reader:
        """Return the reader of a kind that occurs for the first time."""
        self[kind] = found = _reader_of(kind)
        return found


_READERS = _Readers()


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
            for value in _READERS[kind](one):
                if value.__class__ is not list:
                    if value is not None:
                        add(value)
                elif value:
                    found += [item for item in value if item is not None] if kind in _WITH_GAPS else value
    return found

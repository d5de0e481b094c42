"""Functions of Python's own that call what they are given: `functools.reduce`, `next`, `operator.methodcaller`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from interlock.analyse.python.evaluation.values import Partial, Ref, either_of, is_list

if TYPE_CHECKING:
    from interlock.analyse.python.evaluation.call_evaluation import Calls

MAX_FOLDED = 1_024
MAX_NEXT = 16

#: Returns the result of a call, or None if it cannot be told.
HigherOrder = Callable[["Calls", ast.expr, list[Any], dict[str, Any]], Any]


def _reduce(calls: Calls, node: ast.expr, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    """`functools.reduce(function, items, start)`."""
    if len(arguments) < 2 or not (is_list(arguments[1]) or isinstance(arguments[1], str)):
        return None
    function, items = arguments[0], [*arguments[2:3], *arguments[1]]
    if not items or len(items) > MAX_FOLDED:
        return None
    found = items[0]
    for item in items[1:]:
        found = calls.apply(node, function, [found, item], {}, None, "")
    return found


def _next(_calls: Calls, _node: ast.expr, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    """`next(items)`: which of the items is the next one is not followed, so it could be any."""
    if not arguments or not is_list(arguments[0]) or not 0 < len(arguments[0]) <= MAX_NEXT:
        return None
    return either_of(list(arguments[0]))


def _make_caller(name: str) -> HigherOrder:
    def maker(_calls: Calls, _node: ast.expr, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        known = bool(arguments) and isinstance(arguments[0], str)
        return Partial(Ref(name), tuple(arguments), keywords) if known else None

    return maker


def _call_method(calls: Calls, node: ast.expr, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """What `operator.methodcaller(name, …)` gives, called with an object."""
    name, *given, owner = arguments
    return calls.call_method(node, owner, name, given, keywords)


def _get_attribute(calls: Calls, node: ast.expr, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    """What `operator.attrgetter(name)` gives, called with an object."""
    found = arguments[-1]
    for name in str(arguments[0]).split(".")[:8]:
        found = calls.member(node, found, name)
    return calls.report_detour(node, found)


def _get_item(calls: Calls, _node: ast.expr, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    """What `operator.itemgetter(key)` gives, called with a container."""
    return calls.item(arguments[-1], arguments[0])


def _star_map(calls: Calls, node: ast.expr, arguments: list[Any], _keywords: dict[str, Any]) -> Any:
    """`itertools.starmap(function, lists)`."""
    if len(arguments) < 2 or not is_list(arguments[1]):
        return None
    rows = [list(row) for row in arguments[1][:MAX_NEXT] if is_list(row)]
    return [calls.apply(node, arguments[0], row, {}, None, "") for row in rows]


HIGHER_ORDER: dict[str, HigherOrder] = {
    "functools.reduce": _reduce,
    "reduce": _reduce,
    "next": _next,
    "operator.methodcaller": _make_caller("operator.methodcaller.call"),
    "operator.attrgetter": _make_caller("operator.attrgetter.call"),
    "operator.itemgetter": _make_caller("operator.itemgetter.call"),
    "operator.methodcaller.call": _call_method,
    "operator.attrgetter.call": _get_attribute,
    "operator.itemgetter.call": _get_item,
    "itertools.starmap": _star_map,
}

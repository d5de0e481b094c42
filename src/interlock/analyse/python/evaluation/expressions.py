"""Expressions, evaluated as far as they are known; the calls in them emit effects."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, ClassVar

from interlock.analyse.python.evaluation.bindings import Bindings
from interlock.analyse.python.evaluation.constant_folding import combine, join_texts
from interlock.analyse.python.evaluation.marks import mixture, sources
from interlock.analyse.python.evaluation.scope import PythonScope
from interlock.analyse.python.evaluation.values import (
    MAX_CHOICES,
    MAX_CONSTANT,
    UNKNOWN,
    Choice,
    Instance,
    Object,
    Ref,
    Unknown,
    as_text,
    either,
    either_of,
    is_list,
    limit_size,
    size_of,
)
from interlock.analyse.python.state import PythonState
from interlock.analyse.reading import Reading, Site

MAX_DEPTH = 60
SUBCLASSES = "__subclasses__"


class Expressions(Bindings):
    """Reads expressions: what its names stand for, and where effects go."""

    __slots__ = ("_depth", "_readers")

    readers: ClassVar[dict[type, Callable[[Any, Any], Any]]] = {}

    def __init__(self, reading: Reading, text: str, site: Site, scope: PythonScope, state: PythonState) -> None:
        super().__init__(reading, text, site, scope, state)
        self._depth = 0
        self._readers = self.readers  # found faster than what belongs to the class

    def value(self, node: ast.expr | None) -> Any:
        """Return what an expression is known to be; its calls put their effects into the reading."""
        kind = type(node)
        if kind is ast.Name:
            name, names = node.id, self.scope.names  # type: ignore[union-attr]
            return names[name] if name in names else self.look_up_name(name)
        if kind is ast.Constant:
            return node.value  # type: ignore[union-attr]
        try:
            handler = self._readers[kind]
        except KeyError:
            return self._read_other(node)
        depth = self._depth
        if depth >= MAX_DEPTH:
            self._depth = 0
            raise RecursionError
        self._depth = depth + 1
        result = handler(self, node)
        self._depth = depth
        return result

    def _read_other(self, node: ast.expr | None) -> Any:
        """Read an expression whose own value does not matter, if there is one."""
        if node is None:
            return None
        self.read_parts(node)
        return UNKNOWN

    def _attribute(self, node: ast.Attribute) -> Any:
        name = node.attr
        if name == SUBCLASSES:
            self.report_climb(node)
        return self.member(node, self.value(node.value), name)

    def report_climb(self, node: ast.Attribute) -> None:
        """Report `__subclasses__` of `object`: every class can be reached from there, under no name of its own."""
        if _climbs_to_object(node.value):
            self.reading.emit("code.eval", self.at(node), SUBCLASSES, frozenset({"detour"}))

    def _f_string(self, node: ast.JoinedStr) -> Any:
        parts = []
        size = 128 * len(node.values)
        for part in node.values:
            if type(part) is ast.FormattedValue:
                if part.format_spec is not None:
                    self.value(part.format_spec)
                value = self._as_text_part(self.value(part.value))
            else:
                value = part.value  # type: ignore[attr-defined]
            size += len(value) if type(value) is str else size_of(value)
            parts.append(value)
        if size >= 1_024:
            self.reading.spend(size // 1_024)
        return join_texts(parts)

    def _as_text_part(self, value: Any) -> Any:
        """Return a value as part of a text: a container or object becomes an unknown value with its marks."""
        kind = type(value)
        if kind is str or kind is Unknown or not self.reading.taints:
            return value
        if kind is Ref or kind is Object or isinstance(value, (list, tuple, dict)):
            found = sources(self.reading, value)
            return Unknown(found[0]) if found else value
        return value

    def _binary(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        if type(left) is Instance and isinstance(node.op, ast.Div) and left.kind == "pathlib.Path":
            text = as_text(right)
            return Instance(
                "pathlib.Path", text if text[:1] == "/" else f"{left.text.rstrip('/')}/{text}"[:MAX_CONSTANT]
            )
        return self.apply_operator(node.op, left, right)

    def apply_operator(self, op: ast.operator, left: Any, right: Any) -> Any:
        """Return `left op right`, with the marks of both."""
        if self.reading.taints and isinstance(op, (ast.Add, ast.Mod)):
            left, right = (
                self._as_text_part(left),
                right if isinstance(right, (list, dict)) else self._as_text_part(right),
            )
        many = MAX_CHOICES if type(left) is Choice or type(right) is Choice else 1
        size = many * (size_of(left) + size_of(right))
        if size >= 1_024:
            self.reading.spend(size // 1_024)
        result = combine(op, left, right)
        if type(result) is Unknown:
            return mixture(self.reading, result.name, (left, right))
        if self.state.decoded and isinstance(result, (str, bytes)):
            hidden = max((len(x) for x in (left, right) if self.is_decoded(x)), default=0)
            if 2 * hidden > len(result):
                self.state.decoded.add(result)
        return result

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set) -> Any:
        return limit_size(self.items(node.elts))

    def items(self, nodes: list[ast.expr]) -> list[Any]:
        """Return the values of expressions, those behind a star one by one."""
        if not nodes:
            return []
        if len(nodes) >= 8:
            self.reading.spend(len(nodes) // 8)
            self.state.precise_steps -= len(nodes) // 4
        items: list[Any] = []
        names = self.scope.names
        for element in nodes:
            kind = type(element)
            if kind is ast.Constant:
                items.append(element.value)  # type: ignore[attr-defined]
            elif kind is ast.Name:
                name = element.id  # type: ignore[attr-defined]
                items.append(names[name] if name in names else self.look_up_name(name))
            elif type(element) is ast.Starred:
                value = self.value(element.value)
                if not is_list(value):
                    items.append(value)
                    continue
                items += value[:MAX_CONSTANT]
                self.reading.spend(len(value) // 64)
            else:
                items.append(self.value(element))
        return items

    def _dict(self, node: ast.Dict) -> Any:
        if len(node.keys) >= 2:
            self.reading.spend(len(node.keys) // 8)
            self.state.precise_steps -= len(node.keys) // 2
        found: dict[Any, Any] = {}
        for key_node, value_node in zip(node.keys, node.values, strict=True):
            key, value = self.value(key_node), self.value(value_node)
            if key_node is None and isinstance(value, dict):
                self.reading.spend(len(value) // 64)
                found |= value
            else:
                found[key if isinstance(key, (str, int)) else as_text(key)] = value
        return limit_size(found)

    def _subscript(self, node: ast.Subscript) -> Any:
        owner, place = self.value(node.value), node.slice
        index = place.value if type(place) is ast.Constant else self.index_of(place)
        if type(owner) is Choice:
            return either_of([self.item(one, index) for one in owner.values])
        found = self.item(owner, index)
        return self.report_detour(node, found) if type(owner) is Ref else found

    def _unary(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        return -value if isinstance(node.op, ast.USub) and isinstance(value, (int, float)) else UNKNOWN

    def _compare(self, node: ast.Compare) -> Any:
        for part in (node.left, *node.comparators):
            if type(part) not in _PASSIVE:
                self.value(part)
        return UNKNOWN

    def _bool_operation(self, node: ast.BoolOp) -> Any:
        return either_of([self.value(part) for part in node.values])

    def _conditional(self, node: ast.IfExp) -> Any:
        self.value(node.test)
        return either(self.value(node.body), self.value(node.orelse))

    def _walrus(self, node: ast.NamedExpr) -> Any:
        value = self.value(node.value)
        self.bind(node.target, value)
        return value

    def _inner_value(self, node: ast.Await | ast.Starred) -> Any:
        return self.value(node.value)

    def keywords(self, nodes: list[ast.keyword]) -> dict[str, Any]:
        """Return the keyword arguments of a call."""
        keywords: dict[str, Any] = {}
        if not nodes:
            return keywords
        for keyword in nodes:
            value = self.value(keyword.value)
            if keyword.arg is None and isinstance(value, dict):
                self.reading.spend(len(value) // 64)
                keywords |= {str(name): item for name, item in value.items()}
            else:
                keywords[keyword.arg or "**"] = value
        return keywords

    def read_parts(self, node: ast.AST) -> None:
        """Read the expressions below a node whose own value does not matter."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
            else:
                self.read_parts(child)

    def read_annotation(self, node: ast.expr) -> None:
        """Read an annotation: its value does not matter, and a union of names does nothing."""
        while type(node) is ast.BinOp and type(node.op) is ast.BitOr:
            self.read_annotation(node.left)
            node = node.right
        if type(node) not in _PASSIVE:
            self.value(node)


#: Expressions that do nothing by themselves.
_PASSIVE = frozenset({ast.Constant, ast.Name})
_CLIMBING = frozenset({"__class__", "__base__", "__bases__", "__mro__", "mro"})


def _climbs_to_object(node: ast.expr) -> bool:
    """Whether an expression climbs to `object`, from which every class can be reached."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        if isinstance(node, ast.Attribute) and node.attr in _CLIMBING:
            return True
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name) and node.id in ("object", "type")


Expressions.readers = {
    ast.Attribute: Expressions._attribute,
    ast.JoinedStr: Expressions._f_string,
    ast.BinOp: Expressions._binary,
    ast.List: Expressions._sequence,
    ast.Tuple: Expressions._sequence,
    ast.Set: Expressions._sequence,
    ast.Dict: Expressions._dict,
    ast.Subscript: Expressions._subscript,
    ast.UnaryOp: Expressions._unary,
    ast.Compare: Expressions._compare,
    ast.BoolOp: Expressions._bool_operation,
    ast.IfExp: Expressions._conditional,
    ast.NamedExpr: Expressions._walrus,
    ast.Await: Expressions._inner_value,
    ast.Starred: Expressions._inner_value,
}

"""Expressions: what they are known to be, and the effects of the calls in them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from interlock.analyse.python.calling import call_effects, has_effects
from interlock.analyse.python.folding import combine, compute
from interlock.analyse.python.locating import Locator
from interlock.analyse.python.values import (
    ABSTRACT,
    COMPUTE_ERRORS,
    MAX_CONSTANT,
    METHODS,
    PURE,
    UNKNOWN,
    Choice,
    Instance,
    Ref,
    Unknown,
    as_text,
    bounded,
    either,
    method,
    words_of,
)
from interlock.analyse.reading import Reading, Site

MAX_DEPTH = 60


class Expressions(Locator):
    """Reads expressions: what its names stand for, and where effects go."""

    __slots__ = ("_depth", "names", "reading", "stars")

    def __init__(self, reading: Reading, text: str, site: Site) -> None:
        super().__init__(text, site)
        self.reading = reading
        self.names: dict[str, Any] = {}
        self.stars: list[str] = []  # modules of which everything was imported
        self._depth = 0

    def value(self, node: ast.expr | None) -> Any:
        """Return what an expression is known to be; its calls put their effects into the reading."""
        if node is None:
            return None
        if type(node) is ast.Constant:
            return node.value
        handler = _EXPRESSIONS.get(type(node))
        if handler is None:
            self.parts(node)
            return UNKNOWN
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._depth = 0
            raise RecursionError
        result = handler(self, node)
        self._depth -= 1
        return result

    def _name(self, node: ast.Name) -> Any:
        found = self.names.get(node.id)
        if found is not None or node.id in self.names:
            return found
        starred = (f"{module}.{node.id}" for module in self.stars)
        return Ref(next((name for name in starred if has_effects(name)), node.id))

    def _attribute(self, node: ast.Attribute) -> Any:
        return self._member(node, self.value(node.value))

    def _member(self, node: ast.Attribute, owner: Any) -> Any:
        if isinstance(owner, Ref):
            if owner.name == "os" and node.attr == "environ":
                self.reading.emit("env.read", self.at(node))
            return owner if node.attr == "__dict__" else Ref(f"{owner.name}.{node.attr}")
        if isinstance(owner, Instance):
            return Ref(f"{owner.kind}.{node.attr}")
        if isinstance(owner, Unknown) and owner.name in self.reading.taints:
            return owner  # part of it comes from where all of it came
        return Unknown(node.attr)

    def _joined(self, node: ast.JoinedStr) -> Any:
        self.reading.spend(len(node.values) // 8)
        parts = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.value(part.format_spec)
                part = part.value
            parts.append(as_text(self.value(part)))
        return bounded("".join(parts))

    def _binary(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Div) and isinstance(left, Instance) and left.kind == "pathlib.Path":
            return Instance("pathlib.Path", f"{left.text.rstrip('/')}/{as_text(right)}"[:MAX_CONSTANT])
        return combine(node.op, left, right)

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set) -> Any:
        return bounded(self._items(node.elts))

    def _items(self, nodes: list[ast.expr]) -> list[Any]:
        self.reading.spend(len(nodes) // 8)
        items: list[Any] = []
        for element in nodes:
            value = self.value(element.value if isinstance(element, ast.Starred) else element)
            if (
                isinstance(element, ast.Starred)
                and isinstance(value, (list, tuple))
                and not isinstance(value, ABSTRACT)
            ):
                items += value[:MAX_CONSTANT]
                self.reading.spend(len(value) // 64)
            else:
                items.append(value)
        return items

    def _dict(self, node: ast.Dict) -> Any:
        keys = [self.value(key) for key in node.keys]
        values = [self.value(value) for value in node.values]
        self.reading.spend(len(keys) // 8)
        if all(isinstance(key, (str, int)) for key in keys):
            return dict(zip(keys, values, strict=True))
        return UNKNOWN

    def _subscript(self, node: ast.Subscript) -> Any:
        owner, index = self.value(node.value), self._index(node.slice)
        if isinstance(owner, Ref) and isinstance(index, str) and owner.name == "sys.modules":
            return Ref(index)
        if isinstance(owner, Ref) and isinstance(index, str) and has_effects(f"{owner.name}.{index}"):
            return Ref(f"{owner.name}.{index}")
        if isinstance(owner, Ref) and isinstance(index, str):
            return (
                Ref(f"{owner.name}.{index}")
                if owner.name.endswith(("__dict__", "__builtins__", "sys.modules"))
                else Unknown(index)
            )
        if isinstance(owner, (str, bytes, list, tuple, dict)) and not isinstance(owner, ABSTRACT):
            try:
                return owner[index]
            except COMPUTE_ERRORS:
                return UNKNOWN
        return UNKNOWN

    def _index(self, node: ast.expr) -> Any:
        if not isinstance(node, ast.Slice):
            return self.value(node)
        parts = [self.value(part) if part else None for part in (node.lower, node.upper, node.step)]
        if not all(part is None or isinstance(part, int) for part in parts):
            return UNKNOWN
        return slice(*parts)

    def _unary(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        return -value if isinstance(node.op, ast.USub) and isinstance(value, (int, float)) else UNKNOWN

    def _conditional(self, node: ast.IfExp) -> Any:
        self.value(node.test)
        return either(self.value(node.body), self.value(node.orelse))

    def _named(self, node: ast.NamedExpr) -> Any:
        value = self.value(node.value)
        self.bind(node.target, value)
        return value

    def _await(self, node: ast.Await) -> Any:
        return self.value(node.value)

    def _lambda(self, node: ast.Lambda) -> Any:
        for default in (*node.args.defaults, *(part for part in node.args.kw_defaults if part)):
            self.value(default)
        self.value(node.body)
        return UNKNOWN

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Any:
        for generator in node.generators:
            self.value(generator.iter)
            self.bind(generator.target, UNKNOWN)
            for test in generator.ifs:
                self.value(test)
        if isinstance(node, ast.DictComp):
            self.value(node.key)
            self.value(node.value)
        else:
            self.value(node.elt)
        return UNKNOWN

    def _call(self, node: ast.Call) -> Any:
        self.reading.spend(1 + len(node.args) // 8)
        owner = self.value(node.func.value) if isinstance(node.func, ast.Attribute) else None
        function = self._member(node.func, owner) if isinstance(node.func, ast.Attribute) else self.value(node.func)
        arguments = self._items(node.args)
        keywords = self._keywords(node.keywords)
        if isinstance(owner, (str, bytes)) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            return self._method(owner, node.func.attr, arguments, keywords)
        if isinstance(function, Ref):
            if function.name in PURE:
                self.reading.spend(sum(len(value) for value in arguments if isinstance(value, (str, bytes))) // 256)
                return compute(PURE[function.name], arguments, keywords)
            if function.name in ("vars", "globals", "locals"):
                return arguments[0] if arguments else Ref("builtins")
        self._handed_on(node, arguments, keywords)
        if isinstance(function, Unknown) and function.name in self.reading.taints:
            return function
        return self._each(node, function, arguments, keywords, owner)

    def _each(self, node: ast.Call, function: Any, arguments: list[Any], keywords: dict[str, Any], owner: Any) -> Any:
        """Make a call with every value that its first argument, or its function, could have."""
        result: Any = UNKNOWN
        functions = function.values if isinstance(function, Choice) else (function,)
        firsts = arguments[0].values if arguments and isinstance(arguments[0], Choice) else arguments[:1] or (None,)
        for one in functions:
            for first in firsts:
                given = [first, *arguments[1:]] if arguments else []
                result = call_effects(self.reading, self.at(node), one, given, keywords, owner)
        return result

    def _handed_on(self, node: ast.Call, arguments: list[Any], keywords: dict[str, Any]) -> None:
        """A function that is handed to another one will be called: with the items that follow, or with anything."""
        for position, value in enumerate((*arguments, *keywords.values())):
            if isinstance(value, Ref) and has_effects(value.name):
                after = arguments[position + 1] if position + 1 < len(arguments) else UNKNOWN
                items = after if words_of(after) is not None else [after]
                for item in list(items)[:16] or [UNKNOWN]:
                    call_effects(self.reading, self.at(node), value, [item], {}, None)

    def _keywords(self, nodes: list[ast.keyword]) -> dict[str, Any]:
        keywords: dict[str, Any] = {}
        for keyword in nodes:
            value = self.value(keyword.value)
            if keyword.arg is None and isinstance(value, dict):
                keywords |= {str(name): item for name, item in value.items()}
            else:
                keywords[keyword.arg or "**"] = value
        return keywords

    def _method(self, owner: str | bytes, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Return what a method of a constant gives (`"{}".format(x)`, `"".join(…)`)."""
        self.reading.spend(len(owner) // 256)
        if name == "format":
            arguments = [as_text(argument) for argument in arguments]
            keywords = {key: as_text(value) for key, value in keywords.items()}
        if name == "join" and arguments:
            words = words_of(arguments[0])
            if words is None or isinstance(owner, bytes):
                return Unknown(name)
            arguments = [words]
        try:
            return bounded(method(owner, name, arguments, keywords))
        except COMPUTE_ERRORS:
            return Unknown(name)

    def parts(self, node: ast.AST) -> None:
        """Read the expressions below a node whose own value does not matter."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
            else:
                self.parts(child)

    def bind(self, target: ast.expr, value: Any) -> None:
        """Give a name, or several, what they stand for."""
        if isinstance(target, ast.Name):
            anonymous = isinstance(value, Unknown) and value.name not in self.reading.taints
            self.names[target.id] = Unknown(target.id) if anonymous else value
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = value if words_of(value) is not None else ()
            for index, part in enumerate(target.elts):
                self.bind(part, items[index] if index < len(items) else UNKNOWN)
        else:
            self.value(target)


_EXPRESSIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.JoinedStr: Expressions._joined,
    ast.BinOp: Expressions._binary,
    ast.List: Expressions._sequence,
    ast.Tuple: Expressions._sequence,
    ast.Set: Expressions._sequence,
    ast.Dict: Expressions._dict,
    ast.Subscript: Expressions._subscript,
    ast.UnaryOp: Expressions._unary,
    ast.IfExp: Expressions._conditional,
    ast.NamedExpr: Expressions._named,
    ast.Await: Expressions._await,
    ast.Lambda: Expressions._lambda,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.Call: Expressions._call,
}

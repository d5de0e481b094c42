"""The walk through Python: statements in order, names through imports and assignments, calls by the table."""

from __future__ import annotations

import ast
import textwrap
import warnings
from collections.abc import Callable
from typing import Any

from interlock.analyse.python.calling import call_effects, has_effects
from interlock.analyse.python.folding import combine, compute
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
    is_known,
    method,
    words_of,
)
from interlock.analyse.reading import NOTHING, Flow, Reading, Site
from interlock.analyse.reading import UNKNOWN as UNKNOWN_FLOW
from interlock.model import Span

MAX_CHARS = 64_000
MAX_DEPTH = 60
_CAP = frozenset({"cap"})


def analyse_python(reading: Reading, text: str, site: Site, stdin: Flow = NOTHING) -> Flow:  # noqa: ARG001 - the common shape
    """Read Python text and put its effects into `reading`."""
    if len(text) > MAX_CHARS:
        reading.unread(f"python text longer than {MAX_CHARS} characters", site, flags=_CAP)
        return UNKNOWN_FLOW
    tree = parse(text)
    if tree is None:
        reading.unread("python text that does not parse", site)
        return UNKNOWN_FLOW
    try:
        Walker(reading, text, site).block(tree.body)
    except RecursionError:
        reading.unread("python text nested too deep", site, flags=_CAP)
    return UNKNOWN_FLOW


def parse(text: str) -> ast.Module | None:
    """Return the syntax tree of Python text, or None if it is not Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a wrong escape in the agent's text is not our warning
        for candidate in (text, textwrap.dedent(text)):
            try:
                return ast.parse(candidate)
            except (SyntaxError, ValueError, MemoryError, RecursionError):
                continue
    return None


class Walker:
    """One text being read: what its names stand for, and where its effects go."""

    __slots__ = ("_columns", "_depth", "_lines", "_stars", "names", "reading", "site", "text")

    def __init__(self, reading: Reading, text: str, site: Site) -> None:
        self.reading, self.text, self.site = reading, text, site
        self.names: dict[str, Any] = {}
        self._lines: list[int] | None = None
        self._columns: dict[int, list[int]] = {}
        self._stars: list[str] = []
        self._depth = 0

    # --- where -----------------------------------------------------------------------------------------------

    def at(self, node: ast.expr | ast.stmt) -> Site:
        """Return where a node stands in the action."""
        if self.site.base < 0:
            return self.site
        return self.site._replace(span=self._span(node), base=-1)

    def _span(self, node: ast.expr | ast.stmt) -> Span:
        if self._lines is None:
            self._lines = [0]
            for line in self.text.splitlines(keepends=True):
                self._lines.append(self._lines[-1] + len(line))
        start = self._offset(node.lineno, node.col_offset)
        end = self._offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        return (start, end)

    def _offset(self, line: int, column: int) -> int:
        starts = self._lines or [0]
        start = starts[min(line - 1, len(starts) - 1)]
        if not self.text.isascii():  # columns are counted in bytes
            if line not in self._columns:
                text = self.text[start : starts[min(line, len(starts) - 1)]]
                self._columns[line] = [at for at, char in enumerate(text) for _ in char.encode("utf-8", "replace")]
            columns = self._columns[line]
            column = columns[column] if column < len(columns) else (columns[-1] + 1 if columns else 0)
        return self.site.base + start + column

    # --- statements ------------------------------------------------------------------------------------------

    def block(self, statements: list[ast.stmt]) -> None:
        """Walk statements in order."""
        for statement in statements:
            self.reading.spend()
            handler = _STATEMENTS.get(type(statement))
            if handler:
                handler(self, statement)
            else:
                self._children(statement)

    def _children(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
            elif isinstance(child, ast.stmt):
                self.block([child])
            else:
                self._children(child)

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self.names[name] = Ref(alias.name if alias.asname else name)

    def _import_from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*":
                self._stars.append(node.module or "")
            self.names[alias.asname or alias.name] = Ref(f"{node.module or ''}.{alias.name}")

    def _assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.bind(target, value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        self.value(node.annotation)
        if node.value is not None:
            self.bind(node.target, self.value(node.value))

    def _augmented(self, node: ast.AugAssign) -> None:
        value = self.value(node.value)
        if not isinstance(node.target, ast.Name):
            self.value(node.target)
        else:
            before = self.names.get(node.target.id, UNKNOWN)
            self.names[node.target.id] = combine(node.op, before, value)

    def bind(self, target: ast.expr, value: Any) -> None:
        """Give a name, or several, what they stand for."""
        if isinstance(target, ast.Name):
            self.names[target.id] = Unknown(target.id) if isinstance(value, Unknown) else value
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = value if isinstance(value, (list, tuple)) and is_known(value) else ()
            for index, part in enumerate(target.elts):
                self.bind(part, items[index] if index < len(items) else UNKNOWN)
        else:
            self.value(target)

    def _branches(self, node: ast.If | ast.While | ast.Try) -> None:
        """Walk everything that a condition guards; a name that it sets could be either afterwards."""
        before = dict(self.names)
        self._children(node)
        for name, value in self.names.items():
            if name in before and before[name] is not value:
                self.names[name] = either(before[name], value)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
        self.block(node.body)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        items = self.value(node.iter)
        known = items if isinstance(items, (list, tuple)) and is_known(items) and len(items) <= 16 else None
        for item in known if known is not None else [UNKNOWN]:
            self.bind(node.target, item)
            self.block(node.body)
        self.block(node.orelse)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Read a function where it is defined: whoever calls it, its body is what it does."""
        arguments = node.args
        self._children_of([*arguments.defaults, *(default for default in arguments.kw_defaults if default)])
        self._decorators(node)
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            self.value(argument.annotation)
        self.value(node.returns)
        outer = dict(self.names)
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            self.names[argument.arg] = Unknown(argument.arg)
        self.block(node.body)
        self.names = outer
        self.names[node.name] = Unknown(node.name)

    def _decorators(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        for decorator in node.decorator_list:
            function = self.value(decorator)
            if isinstance(function, Ref) and has_effects(function.name):
                call_effects(self.reading, self.at(decorator), function, [UNKNOWN], {}, None)

    def _class(self, node: ast.ClassDef) -> None:
        self._decorators(node)
        self._children_of([*node.bases, *(keyword.value for keyword in node.keywords)])
        self.block(node.body)

    def _children_of(self, nodes: list[ast.expr]) -> None:
        for node in nodes:
            self.value(node)

    # --- expressions -----------------------------------------------------------------------------------------

    def value(self, node: ast.expr | None) -> Any:
        """Return what an expression is known to be; its calls put their effects into the reading."""
        if node is None:
            return None
        if type(node) is ast.Constant:
            return node.value
        handler = _EXPRESSIONS.get(type(node))
        if handler is None:
            self._children(node)
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
        starred = (f"{module}.{node.id}" for module in self._stars)
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


_STATEMENTS: dict[type, Callable[[Any, Any], None]] = {
    ast.Import: Walker._import,
    ast.ImportFrom: Walker._import_from,
    ast.Assign: Walker._assign,
    ast.AnnAssign: Walker._annotated,
    ast.AugAssign: Walker._augmented,
    ast.With: Walker._with,
    ast.AsyncWith: Walker._with,
    ast.For: Walker._for,
    ast.AsyncFor: Walker._for,
    ast.FunctionDef: Walker._function,
    ast.AsyncFunctionDef: Walker._function,
    ast.ClassDef: Walker._class,
    ast.If: Walker._branches,
    ast.While: Walker._branches,
    ast.Try: Walker._branches,
}
_EXPRESSIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Name: Walker._name,
    ast.Attribute: Walker._attribute,
    ast.JoinedStr: Walker._joined,
    ast.BinOp: Walker._binary,
    ast.List: Walker._sequence,
    ast.Tuple: Walker._sequence,
    ast.Set: Walker._sequence,
    ast.Dict: Walker._dict,
    ast.Subscript: Walker._subscript,
    ast.UnaryOp: Walker._unary,
    ast.IfExp: Walker._conditional,
    ast.NamedExpr: Walker._named,
    ast.Await: Walker._await,
    ast.Lambda: Walker._lambda,
    ast.ListComp: Walker._comprehension,
    ast.SetComp: Walker._comprehension,
    ast.GeneratorExp: Walker._comprehension,
    ast.DictComp: Walker._comprehension,
    ast.Call: Walker._call,
}

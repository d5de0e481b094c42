"""The walk through Python: statements in order, names through imports and assignments, calls by the table."""

from __future__ import annotations

import ast
import textwrap
import threading
import warnings
from collections.abc import Callable
from typing import Any

from interlock.analyse.python.calling import call_effects, has_effects
from interlock.analyse.python.expressions import Expressions
from interlock.analyse.python.folding import combine
from interlock.analyse.python.values import UNKNOWN, Ref, Unknown, either, is_known
from interlock.analyse.reading import NOTHING, Flow, Reading, Site
from interlock.analyse.reading import UNKNOWN as UNKNOWN_FLOW

MAX_CHARS = 64_000
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
    for candidate in dict.fromkeys((text, textwrap.dedent(text))):
        try:
            with _QUIET, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a wrong escape in the agent's text is not our warning
                return ast.parse(candidate)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
    return None


_QUIET = threading.Lock()  # what warnings do belongs to the whole process


class Walker(Expressions):
    """Walks statements in order."""

    __slots__ = ()

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
                self.stars.append(node.module or "")
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

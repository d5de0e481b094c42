"""The walk through Python: statements in order, both ways of a branch, names through imports and assignments."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from interlock.analyse.python.call import Call
from interlock.analyse.python.library_calls import call_effects, has_effects
from interlock.analyse.python.function_calls import is_marked
from interlock.analyse.python.package_setup import flag_effects
from interlock.analyse.python.call_evaluation import Invocations
from interlock.analyse.python.marks import ENVIRONMENT, marked, mixture
from interlock.analyse.python.parse import parse as parse
from interlock.analyse.python.parse import tree_of
from interlock.analyse.python.pure_functions import NAMED
from interlock.analyse.python.dynamic_code import run_script
from interlock.analyse.python.scope import MISSING, Scope
from interlock.analyse.python.state import State
from interlock.analyse.python.file_calls import held_by
from interlock.analyse.python.summaries import is_fork
from interlock.analyse.python.values import UNKNOWN, Choice, Class, Function, Property, Ref, Unknown, either
from interlock.analyse.reading import NOTHING, Flow, Reading, Site
from interlock.analyse.reading import UNKNOWN as UNKNOWN_FLOW

MAX_ROUNDS = 16  # of one loop, followed one by one
MAX_SMALL_ROUNDS = 1_024  # of a loop of a few plain statements: such ones spell texts out
SMALL = 4
_CAP = frozenset({"cap"})


def analyse_python(reading: Reading, text: str, site: Site, stdin: Flow = NOTHING) -> Flow:  # noqa: ARG001 - the common shape
    """Read Python text and put its effects into `reading`."""
    tree = tree_of(reading, text, site)
    if tree is None:
        return UNKNOWN_FLOW
    first = len(reading.effects)
    walker = Walker(reading, text, site, Scope(), State(reading))
    try:
        walker.block(tree.body)
        walker.read_uncalled()
    except RecursionError:
        reading.unread("python text nested too deep", site, flags=_CAP)
    finally:
        if walker.state.setup:
            flag_effects(reading, first)
    return UNKNOWN_FLOW


def _is_small(body: list[ast.stmt]) -> bool:
    return len(body) <= SMALL and all(isinstance(part, (ast.Assign, ast.AugAssign, ast.Expr)) for part in body)


def _grown(body: list[ast.stmt]) -> tuple[list[str], bool]:
    """Return the names that a loop makes out of themselves, and whether it does so letter by letter."""
    names: dict[str, None] = {}
    hiding = False
    for part in (part for statement in body for part in ast.walk(statement)):
        if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
            names[part.target.id] = None
        elif isinstance(part, ast.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], ast.Name):
            own = part.targets[0].id
            if any(isinstance(inner, ast.Name) and inner.id == own for inner in ast.walk(part.value)):
                names[own] = None
        elif (isinstance(part, ast.Name) and part.id == "chr") or isinstance(part, ast.BitXor):
            hiding = True
    return list(names), hiding


_TAKING = frozenset("append extend write start Thread Process Popen fork add".split())
_LEAVING = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await, ast.Assert)


def _only_takes(node: ast.While) -> bool:
    """Whether a loop without an end only takes memory, disk or processes, and never waits or stops."""
    names = []
    for part in ast.walk(node):
        if isinstance(part, _LEAVING):
            return False
        if isinstance(part, ast.Call):
            names.append(part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", ""))
    return bool(names) and _TAKING.issuperset(names)


class Walker(Invocations):
    """Walks statements in order."""

    __slots__ = ()

    def block(self, statements: list[ast.stmt]) -> None:
        """Walk statements in order."""
        spend = self.reading.spend
        for statement in statements:
            spend()
            handler = _STATEMENTS.get(type(statement))
            if handler:
                handler(self, statement)
            else:
                self._children(statement)

    def run(self, text: str, site: Site, name: str) -> Any:
        """Read text as Python that runs here, with the names of here; return what it gives."""
        reading = self.reading
        if reading.depth >= reading.MAX_DEPTH:
            reading.unread(f"code nested more than {reading.MAX_DEPTH} deep", site, flags=_CAP)
            return UNKNOWN
        text = reading.spelled(text, "python")
        reading.spend(len(text) // 16 + 1)
        tree = tree_of(reading, text.strip(), site)
        if tree is None:
            return UNKNOWN
        inner = Walker(reading, text, site.behind(name)._replace(base=-1), self.scope, self.state)
        inner.stars, inner._calling = self.stars, self._calling
        reading.depth += 1
        try:
            inner.block(tree.body[:-1])
            last = tree.body[-1:]
            if last and isinstance(last[0], ast.Expr):
                return self.detour(last[0].value, inner.value(last[0].value))
            inner.block(last)
        finally:
            reading.depth -= 1
        return UNKNOWN

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
            self._import_written(node, alias.name)
            name = alias.asname or alias.name.partition(".")[0]
            self.scope.set(name, Ref(alias.name if alias.asname else name))

    def _import_written(self, node: ast.stmt, module: str) -> None:
        """Read a module that this text has written itself."""
        if self.reading.files:
            call = Call(self, self.reading, self.at(node), "import", [], {})
            path = f"{module.replace('.', '/')}.py"
            if held_by(call, path) is not None:
                run_script(call, path)

    def _import_from(self, node: ast.ImportFrom) -> None:
        self._import_written(node, node.module or "")
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(node.module or "")
            module = "" if node.module in ("builtins", "__builtin__") else f"{node.module or ''}."
            full = f"{module}{alias.name}"
            if full == "os.environ":
                marked(self.reading, ENVIRONMENT, "environment")
            self.scope.set(alias.asname or alias.name, NAMED.get(full) or Ref(full))

    def _expression(self, node: ast.Expr) -> None:
        self.value(node.value)

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
        if isinstance(node.target, ast.Name):
            before = self.scope.get(node.target.id)
            self.bind(node.target, self.combined(node.op, UNKNOWN if before is MISSING else before, value))
        else:
            self.bind(node.target, self.combined(node.op, self.value(node.target), value))

    def _declare(self, node: ast.Global | ast.Nonlocal) -> None:
        frame = self.state.tracker.frame
        for name in node.names:
            scope = self.scope.declare(name, whole=isinstance(node, ast.Global))
            if frame is not None and scope is not None and scope.birth < frame.birth:
                frame.record(scope, name, scope.get(name))

    def _return(self, node: ast.Return) -> None:
        self.returned(self.value(node.value))

    def _fork(self, *ways: list[ast.stmt]) -> None:
        """Walk each of several ways from the same start; a name could be what any of them made of it."""
        scope = self.scope
        outer = scope.log
        before: dict[str, Any] = {}
        made = []
        for way in ways:
            scope.log = {}
            try:
                self.block(way)
            finally:
                before = scope.log | before
                made.append(scope.take_back(scope.log))
                scope.log = outer
        for name, was in before.items():
            values = [way.get(name, was) for way in made]
            found = MISSING
            for value in values:
                if value is not MISSING:
                    found = value if found is MISSING else either(found, value)
            scope.set(name, found)

    def _once(self, body: list[ast.stmt]) -> None:
        """Walk the body of a loop that goes round who knows how often; what grows in it is not known afterwards."""
        self._fork(body, [])
        grown, hiding = _grown(body)
        for name in grown:
            value = self.scope.get(name)
            if not isinstance(value, (int, float, Unknown, list, dict)) and value is not MISSING:
                known = value.values if isinstance(value, Choice) else (value,)
                marks = ("decoded",) if hiding else ()
                self.scope.set(name, mixture(self.reading, name, known, *marks))

    def _if(self, node: ast.If) -> None:
        self.value(node.test)
        self._fork(node.body, node.orelse)

    def _while(self, node: ast.While) -> None:
        self.value(node.test)
        first = len(self.reading.effects)
        self._once(node.body)
        self.block(node.orelse)
        if isinstance(node.test, ast.Constant) and node.test.value:
            forks = any(is_fork(effect) for effect in self.reading.effects[first:])
            if forks or _only_takes(node):
                self.reading.emit("machine.exhaust", self.at(node), "a loop without an end")

    def _try(self, node: ast.Try) -> None:
        """Walk what may fail, then as if it had, each way of catching it."""
        if node.handlers:
            self._fork(node.body, [])
            self._fork(node.orelse, *(handler.body for handler in node.handlers))
        else:
            self.block(node.body)
        self.block(node.finalbody)

    def _match(self, node: ast.Match) -> None:
        self.value(node.subject)
        for case in node.cases:
            self.value(case.guard)
        self._fork(*(case.body for case in node.cases), [])

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
        self.block(node.body)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        items = self.value(node.iter)
        known = self.rounds(items, MAX_SMALL_ROUNDS if _is_small(node.body) else MAX_ROUNDS)
        if known is not None:
            for item in known:
                self.bind(node.target, item)
                self.block(node.body)
        else:
            self.bind(node.target, self.each(items))
            self._once(node.body)
        self.block(node.orelse)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        function = self.define(node, self.scope, None)
        self._annotations(node)
        self._decorate(node, function)
        self.scope.set(node.name, function)

    def _annotations(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        arguments = node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            if argument.annotation is not None:
                self.value(argument.annotation)
        self.value(node.returns)

    def _decorate(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, made: Any) -> None:
        for decorator in node.decorator_list:
            function = self.value(decorator)
            if isinstance(function, Ref) and has_effects(function.name):
                call_effects(self, self.at(decorator), function, [UNKNOWN], {}, None)
            elif isinstance(function, Function):
                self.call_function(function, [made], {}, None)

    def _class(self, node: ast.ClassDef) -> None:
        bases = [self.value(base) for base in node.bases]
        for keyword in node.keywords:
            self.value(keyword.value)
        made = Class(node.name, bases, self.state.tracker.births)
        outer = self.scope
        self.scope.set(node.name, made)
        self.scope = Scope(outer)
        try:
            for statement in node.body:
                if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self._method_of(statement, outer, made)
                else:
                    self.block([statement])
        finally:
            made.attributes |= self.scope.names
            self.scope = outer
        self._decorate(node, made)

    def _method_of(self, node: ast.FunctionDef | ast.AsyncFunctionDef, outer: Scope, owner: Class) -> None:
        self._annotations(node)
        for decorator in node.decorator_list:
            self.value(decorator)
        function = self.define(node, outer, owner)
        self.scope.set(node.name, Property(function) if is_marked(node, "property", "cached_property") else function)


_STATEMENTS: dict[type, Callable[[Any, Any], None]] = {
    ast.Expr: Walker._expression,
    ast.Import: Walker._import,
    ast.ImportFrom: Walker._import_from,
    ast.Assign: Walker._assign,
    ast.AnnAssign: Walker._annotated,
    ast.AugAssign: Walker._augmented,
    ast.Global: Walker._declare,
    ast.Nonlocal: Walker._declare,
    ast.Return: Walker._return,
    ast.With: Walker._with,
    ast.AsyncWith: Walker._with,
    ast.For: Walker._for,
    ast.AsyncFor: Walker._for,
    ast.FunctionDef: Walker._function,
    ast.AsyncFunctionDef: Walker._function,
    ast.ClassDef: Walker._class,
    ast.If: Walker._if,
    ast.While: Walker._while,
    ast.Try: Walker._try,
    ast.TryStar: Walker._try,
    ast.Match: Walker._match,
}

"""Functions and classes where the text defines them, and the modules that it imports."""

from __future__ import annotations

import ast
from typing import Any

from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.calls.dynamic_code import run_script
from interlock.analyse.python.calls.file_calls import contents_of
from interlock.analyse.python.calls.library_calls import call_effects, has_effects
from interlock.analyse.python.evaluation.call_evaluation import Calls
from interlock.analyse.python.evaluation.marks import environment_of, unknown_from
from interlock.analyse.python.evaluation.pure_functions import NAMED
from interlock.analyse.python.evaluation.scope import PythonScope
from interlock.analyse.python.evaluation.values import UNKNOWN, Class, Module, Property, PythonFunction, Ref
from interlock.analyse.python.own_modules import find_module, parse_at, place_module

#: What web frameworks call the request that is being answered.
_WEB_REQUESTS = frozenset(f"{name}.request" for name in "flask quart bottle sanic web cherrypy".split())


class Definitions(Calls):
    """Walks definitions and imports."""

    __slots__ = ()

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._import_written(node, alias.name)
            name = alias.asname or alias.name.partition(".")[0]
            linked = self._link(node, alias.name)
            if linked is not None and not alias.asname:
                linked = place_module(self.scope.names.get(name), alias.name, linked, self.tracker.births)
            self.scope.set(name, linked or Ref(alias.name if alias.asname else name))

    def _import_written(self, node: ast.stmt, module: str) -> None:
        """Read a module that this text has written itself."""
        importing = self.reading.importing
        if self.reading.files and module not in importing:
            call = PythonCall(self, node, "import", [], {})
            path = f"{module.replace('.', '/')}.py"
            if contents_of(call, path) is not None:
                importing.add(module)
                try:
                    run_script(call, path, imported=True)
                finally:
                    importing.discard(module)

    def _link(self, node: ast.stmt, module: str) -> Module | None:
        """Return a module that this run has written with the names in it, so that calls into it can be followed.

        What it does when it is imported is read elsewhere.
        """
        reading, state = self.reading, self.state
        path = find_module(reading.files, reading.places.resolve(".", self.site.cwd), module) if reading.files else ""
        if not path or path in state.linked or reading.depth >= reading.MAX_DEPTH:
            return state.linked.get(path)
        tree = parse_at(reading.files[path].text or "", node)
        if tree is None:
            return None
        linked = state.linked[path] = Module(module, [], self.tracker.births)
        effects, pending = len(reading.effects), len(state.pending)
        inner = type(self)(reading, self.text, self.site, PythonScope(), state)
        reading.depth += 1
        try:
            inner.block(tree.body)
        finally:
            reading.depth -= 1
            linked.attributes |= inner.scope.names
            del reading.effects[effects:], state.pending[pending:]
        return linked

    def _import_from(self, node: ast.ImportFrom) -> None:
        self._import_written(node, node.module or "")
        origin = self._link(node, node.module or "")
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(node.module or "")
                self.scope.names.update(origin.attributes if origin is not None else {})
            module = "" if node.module in ("builtins", "__builtin__") else f"{node.module or ''}."
            full = f"{module}{alias.name}"
            if full == "os.environ":
                environment_of(self.reading)
            if full in _WEB_REQUESTS:  # whoever reaches the server decides what it holds
                self.scope.set(alias.asname or alias.name, unknown_from(self.reading, "a web request", "download"))
                continue
            found = origin.attributes.get(alias.name) if origin is not None else None
            if found is None and self.reading.files:
                self._import_written(node, full.strip("."))
                found = self._link(node, full.strip("."))
            known = found or self.state.members.get(full) or NAMED.get(full)
            self.scope.set(alias.asname or alias.name, known or Ref(full))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        function = self.define(node, self.scope, None)
        self._read_annotations(node)
        self._decorate(node, function)
        self.scope.set(node.name, function)

    def _read_annotations(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        arguments = node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            if argument.annotation is not None:
                self.read_annotation(argument.annotation)
        if node.returns is not None:
            self.read_annotation(node.returns)

    def _decorate(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, made: Any) -> None:
        for decorator in node.decorator_list:
            function = self.value(decorator)
            if isinstance(function, Ref) and has_effects(self.reading, function.name):
                call_effects(self, decorator, function, [UNKNOWN], {}, None)
            elif isinstance(function, PythonFunction):
                self.call_function(function, [made], {}, None)

    def _class(self, node: ast.ClassDef) -> None:
        bases = [self.value(base) for base in node.bases]
        for keyword in node.keywords:
            self.value(keyword.value)
        made = Class(node.name, bases, self.tracker.births)
        outer = self.scope
        self.scope.set(node.name, made)
        self.scope = PythonScope(outer)
        try:
            for statement in node.body:
                if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self._define_method(statement, outer, made)
                else:
                    self.block([statement])
        finally:
            made.attributes |= self.scope.names
            self.scope = outer
        self._decorate(node, made)

    def _define_method(self, node: ast.FunctionDef | ast.AsyncFunctionDef, outer: PythonScope, owner: Class) -> None:
        self._read_annotations(node)
        for decorator in node.decorator_list:
            self.value(decorator)
        function = self.define(node, outer, owner)
        is_property = function.has_decorator("property", "cached_property")
        self.scope.set(node.name, Property(function) if is_property else function)

"""Calls of functions and classes of the text: the body is walked with the arguments, or its summary is used."""

from __future__ import annotations

import ast
from abc import abstractmethod
from typing import Any

from interlock.analyse.python.clients.service_clients import answers_requests, stands_in
from interlock.analyse.python.evaluation.comprehensions import Comprehensions
from interlock.analyse.python.evaluation.marks import mixture
from interlock.analyse.python.evaluation.scope import PythonScope
from interlock.analyse.python.evaluation.values import (
    MAX_PARTS,
    Class,
    Object,
    PythonFunction,
    Ref,
    Unknown,
    either_of,
    is_list,
)
from interlock.analyse.python.functions.widening import widen_numbers
from interlock.analyse.python.nodes import nodes_in
from interlock.analyse.python.state import PythonState
from interlock.analyse.reading import Reading, Site

MAX_CALLS = 16  # functions within each other
MAX_CALLS_UNCALLED = 4
MAX_SMALL = 3  # statements
SUMMARY_STEPS = 3  # that keeping and comparing summaries costs, for each call
MAX_NAMED = 2  # times that a text has `name(`: where a function is defined, and where it is called
MAX_READINGS = 6  # of one function, in functions that nobody calls
_CAP = frozenset({"cap"})
_PLAIN = frozenset({ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr, ast.Pass})
_CALLING = frozenset(
    {ast.Call, ast.Lambda, ast.Yield, ast.YieldFrom, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp}
)

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Functions(Comprehensions):
    """Reads functions and classes of the text."""

    __slots__ = ("_calling", "_given", "_yielded")

    def __init__(self, reading: Reading, text: str, site: Site, scope: PythonScope, state: PythonState) -> None:
        super().__init__(reading, text, site, scope, state)
        self._calling: list[ast.AST] = []
        self._given: list[Any] = []  # what the function that is being read returns
        self._yielded: list[Any] = []

    @abstractmethod
    def block(self, statements: list[ast.stmt]) -> None:
        """Walk statements in order."""

    @abstractmethod
    def run(self, text: str, site: Site, name: str) -> Any:
        """Read text as Python that runs here, with the names of here; return what it gives."""

    def define(self, node: Definition, scope: PythonScope, owner: Class | None) -> PythonFunction:
        """Return a function of the text, to be called, or else to be read at the end."""
        arguments = node.args
        defaults: dict[str, Any] = {}
        if arguments.defaults:
            named = [*arguments.posonlyargs, *arguments.args]
            values = [self.value(default) for default in arguments.defaults]
            defaults = {argument.arg: value for argument, value in zip(reversed(named), reversed(values), strict=False)}
        if arguments.kwonlyargs:
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
                if default is not None:
                    defaults[argument.arg] = self.value(default)
        function = PythonFunction(node, scope, owner, defaults)
        self.state.defined.append(function)
        if node not in self.state.read:
            self.state.pending.append(function)
        return function

    def _lambda(self, node: ast.Lambda) -> Any:
        return self.define(node, self.scope, None)

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> Any:
        value = self.value(node.value)
        if isinstance(node, ast.YieldFrom) and is_list(value):
            self._yielded += value[:MAX_PARTS]
        else:
            self._yielded.append(value)
        return Unknown("sent")

    def add_result(self, value: Any) -> None:
        """Record a return value of the function that is being walked."""
        self._given.append(value)

    def call_function(
        self,
        function: PythonFunction,
        arguments: list[Any],
        keywords: dict[str, Any],
        this: Any,
        *,
        makes: bool = False,
    ) -> Any:
        """Return the result of a call of a function of the text; with `makes`, the object that `__init__` fills."""
        node, state = function.node, self.state
        summaries = state.summaries
        limit = MAX_CALLS if summaries is None else MAX_CALLS_UNCALLED
        if node in self._calling or len(self._calling) >= limit or state.called <= 0:
            return self._cut_call(function, (*arguments, *keywords.values()))
        if summaries is not None and node in summaries:
            times, result = summaries[node]
            if times >= MAX_READINGS or self._are_unknown(arguments, keywords):
                return result
        inner = PythonScope(function.scope, self.tracker.births)
        self._bind_parameters(function, inner, arguments, keywords, this)
        if state.precise_steps < 0:
            widen_numbers(inner.names)
        made = this if makes else None
        if function.is_wrapped:
            result = self._call_decorated(function, inner, made)
        else:
            result = self._summarise(function, inner, made)
        if summaries is not None:
            times = summaries.get(node, (0, None))[0]
            summaries[node] = (times + 1, None if makes else result)
        return result

    def _cut_call(self, function: PythonFunction, values: tuple[Any, ...]) -> Any:
        """Return what a call gives that is not followed: of a function that is being read, or nested too deep."""
        within = function.node in self._calling
        if self.state.summaries is None and not within:
            self._report_too_many_calls(function)
        if self.tracker.frame is not None:
            self.tracker.frame.cuts.add(function.node if within else None)
        return mixture(self.reading, function.name, values)

    def _call_decorated(self, function: PythonFunction, inner: PythonScope, made: Object | None) -> Any:
        """Return what a call gives during which a library may answer requests: `@responses.activate`."""
        answered = any(answers_requests(self.value(_callee(mark))) for mark in function.decorators)
        self.state.answered += answered
        try:
            return self._summarise(function, inner, made)
        finally:
            self.state.answered -= answered

    def _summarise(self, function: PythonFunction, inner: PythonScope, made: Object | None) -> Any:
        """Return what a call gives, by a summary if there is one, else by reading the body.

        `made` is the object that the body initialises: the result of the call is then that object.
        """
        if self._is_read_directly(function):
            result = self.read_body(function, inner)
            return result if made is None else made
        tracker = self.tracker
        self.state.precise_steps -= SUMMARY_STEPS
        context = (self.site, self.reading.depth, made is not None, self.state.answered > 0)
        call = tracker.describe(function, tuple(inner.names.values()), context, self.version())
        known = tracker.replay(call, self._calling)
        if known is not None:
            return known[0]
        frame = tracker.begin(call)
        inner.birth = frame.birth
        if made is not None:
            made.birth = frame.birth
        try:
            result = self.read_body(function, inner)
        except BaseException:
            tracker.abandon(frame)
            raise
        tracker.end(frame, self.version(), result if made is None else made)
        return result if made is None else made

    def _is_read_directly(self, function: PythonFunction) -> bool:
        """Whether a summary would cost more than to read the body: it is small, or it is called once."""
        node, state = function.node, self.state
        small = state.small.get(node)
        if small is None:
            small = state.small[node] = is_small(node)
        if small or state.repeating or node in state.read:
            return small
        return self.text.count(f"{function.name}(") <= MAX_NAMED

    def version(self) -> tuple[int, ...]:
        """Return counters of the changes that any function body may depend on."""
        return (len(self.stars), self.state.patches, len(self.reading.sinks))

    def _are_unknown(self, arguments: list[Any], keywords: dict[str, Any]) -> bool:
        """Whether every argument of a call is unknown and without marks."""
        return all(
            isinstance(value, Unknown) and value.name not in self.reading.taints
            for value in (*arguments, *keywords.values())
        )

    def _report_too_many_calls(self, function: PythonFunction) -> None:
        if not self.state.said:
            self.state.said = True
            self.reading.unread("more calls of functions than may be followed", self.at(function.node), flags=_CAP)

    def _bind_parameters(
        self, function: PythonFunction, inner: PythonScope, arguments: list[Any], keywords: dict[str, Any], this: Any
    ) -> None:
        named, names, given = function.named, inner.names, arguments
        if this is not None and not (function.decorators and function.has_decorator("staticmethod")):
            given = [this, *arguments]
        names.update(zip(named, given))  # noqa: B905 - there may be fewer or more than named
        if function.is_plain and len(given) >= len(named):
            return
        parameters, defaults = function.node.args, function.defaults
        keyword_only = [parameter.arg for parameter in parameters.kwonlyargs]
        for name in (*named[len(given) :], *keyword_only):
            if name in keywords:
                names[name] = keywords[name]
            else:
                names[name] = defaults[name] if name in defaults else Unknown(name)
        if parameters.vararg:
            names[parameters.vararg.arg] = given[len(named) :]
        if parameters.kwarg:
            known = {*named, *keyword_only}
            names[parameters.kwarg.arg] = {name: value for name, value in keywords.items() if name not in known}

    def read_body(self, function: PythonFunction, inner: PythonScope) -> Any:
        """Walk the body of a function whose parameters are bound; return what it gives."""
        node = function.node
        self.state.read.add(node)
        outer = self.scope, self._given, self._yielded, self._depth
        self.scope, self._given, self._yielded, self._depth = inner, [], [], 0
        self._calling.append(node)
        try:
            if isinstance(node, ast.Lambda):
                return self.value(node.body)
            state = self.state
            if state.summaries is None and state.called > 0:
                state.called = max(state.called - len(node.body), 0)
            if function.is_wrapped:
                self._walk_decorated(node)
            else:
                self.block(node.body)
            if self._yielded:
                return self._yielded
            return either_of(self._given) if self._given else None
        finally:
            self._calling.pop()
            self.scope, self._given, self._yielded, self._depth = outer

    def _walk_decorated(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Walk the body of a function, in which a decorator such as `@mock_aws` may stand in for services."""
        mocked = 0
        for mark in node.decorator_list:
            mocked += stands_in(self.value(mark))
        self.state.mocked += mocked
        self.block(node.body)
        self.state.mocked -= mocked

    def instantiate(self, kind: Class, arguments: list[Any], keywords: dict[str, Any]) -> Object:
        """Return an object of a class of the text; its `__init__` is followed."""
        tracker = self.tracker
        made = Object(kind, tracker.births, tracker)
        if kind.sample is None:
            kind.sample = made
        started = kind.find("__init__")
        if isinstance(started, PythonFunction):
            result = self.call_function(started, arguments, keywords, made, makes=True)
            return result if isinstance(result, Object) else made
        return made

    def super_object(self) -> Any:
        """Return the result of `super()`: the current object, viewed as one of its base class."""
        scope: PythonScope | None = self.scope
        while scope is not None:
            first = next(iter(scope.names), None)
            this = scope.names[first] if first is not None else None
            frame = self.tracker.frame
            if first is not None and frame is not None and scope.birth < frame.birth:
                frame.record(scope, first, this)
            if isinstance(this, Object):
                bases = [base for base in this.kind.bases if isinstance(base, Class)]
                if bases:
                    return Object(bases[0], this.birth, this.tracker, this.viewed)
                known = [base for base in this.kind.bases if isinstance(base, Ref)]
                return known[0] if known else Unknown("super")
            scope = scope.parent
        return Unknown("super")


def _callee(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def is_small(node: Definition) -> bool:
    """Whether a body is a few plain statements without calls."""
    if isinstance(node, ast.Lambda):
        return True
    if len(node.body) > MAX_SMALL or not _PLAIN.issuperset(map(type, node.body)):
        return False
    if not _CALLING.isdisjoint([getattr(part, "value", None).__class__ for part in node.body]):
        return False
    return all(_CALLING.isdisjoint(map(type, nodes_in(part))) for part in node.body)


Functions.readers = Comprehensions.readers | {
    ast.Lambda: Functions._lambda,
    ast.Yield: Functions._yield,
    ast.YieldFrom: Functions._yield,
}

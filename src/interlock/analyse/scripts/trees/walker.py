"""The walk through a script's syntax tree: functions that the script defines, and calls of them."""

from __future__ import annotations

from functools import partial
from typing import Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.scripts.callables import (
    INVOKERS,
    LIST_INVOKERS,
    call_callbacks,
    only_shows,
    report_unknown_callee,
)
from interlock.analyse.scripts.changes import change_by_call, gives_itself
from interlock.analyse.scripts.loops import report_loop
from interlock.analyse.scripts.trees.assumed_calls import AssumedCalls, key_of, stays_inside
from interlock.analyse.scripts.trees.language import Span
from interlock.analyse.scripts.trees.local_names import holds_functions, is_local
from interlock.analyse.scripts.trees.tree_script import TreeScript, TreeText
from interlock.analyse.scripts.values import (
    CLIENTS,
    MAX_CHOICES,
    MAX_ITEMS,
    Choice,
    Ref,
    ScriptFunction,
    alternatives,
    as_text,
    either,
    is_unknown,
    unknown,
)
from interlock.analyse.scripts.written_files import is_open
from interlock.model import Effect
from interlock.patterns import late

#: How many calls deep functions of the script are followed, and how often each is read again for what it is given.
MAX_FOLLOWED = 4
MAX_READINGS = 8
MAX_ELEMENTS = 8
MAX_DEFERRED = 64


class Walker(TreeScript):
    """A script being read by its tree."""

    __slots__ = ("_active", "_assumed", "_deferred", "_readings", "_unread", "returned")

    def __init__(self, given: TreeText) -> None:
        super().__init__(given)
        self.returned: list[Any] = []  # what the function that is read returns
        self._active: list[ScriptFunction] = []
        self._assumed = AssumedCalls()
        self._deferred: list[tuple[ScriptFunction, list[Any], dict[str, Any]]] = []
        self._readings: dict[int, int] = {}
        self._unread: dict[tuple[int, int], ScriptFunction] = {}

    def define(self, name: str, parameters: Node | None, body: Node | None) -> ScriptFunction:
        """Make a function of the script, and read its body once with parameters that are not known."""
        function = ScriptFunction(name, parameters, body, self.source)
        if name:
            self.functions[name] = function
            self.branches = True
        began: list[int] = []
        self.read_body(function, [], began)
        self._assumed.add(function, self.reading.effects[began[0] if began else len(self.reading.effects) :])
        return function

    def leave_out_assumed(self) -> None:
        unneeded = self._assumed.find_unneeded(self)
        effects = self.reading.effects
        effects[:] = [effect for effect in effects if id(effect) not in unneeded]

    def is_assumed(self, effect: Effect) -> bool:
        return id(effect) in self._assumed.ids

    def literal(self, node: Node | None) -> ScriptFunction | None:
        """Return the function that a node writes down, without reading it yet; None for anything else."""
        while node is not None and node.type in ("parenthesized_expression", "parenthesized_statements"):
            node = node.named_children[0] if node.named_child_count == 1 else None
        if node is None or node.type not in self.language.functions:
            return None
        body = node.child_by_field_name(self.language.functions[node.type])
        if body is not None and body.type in self.language.functions:  # `-> { … }`
            body = body.child_by_field_name(self.language.functions[body.type]) or body
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        function = ScriptFunction("", parameters, body, self.source)
        if body is not None:
            self._unread.setdefault((id(self.source), body.id), function)
        return function

    def read_rest(self) -> None:
        """Read the functions that were written down and that nothing seems to call: something may."""
        while self._unread:
            self.read_body(next(iter(self._unread.values())), [])

    def read_deferred(self) -> None:
        """Read functions again that a call was handed, and that may run when names have other values."""
        for function, given, before in self._deferred:
            names = set(_WORD.findall(function.source.text)) & before.keys()
            if any(self.names.get(name) != before[name] for name in names):
                self.read_again(partial(self.read_body, function, given))
        self._deferred.clear()

    def read_body(self, function: ScriptFunction, arguments: list[Any], began: list[int] | None = None) -> Any:
        """Read a function's body with what it is given; return what it returns, and where its effects begin."""
        if function.body is not None:
            self._unread.pop((id(function.source), function.body.id), None)
        if function in self._active:
            return unknown(f"{function.name}()")
        outer = (self.source, self.returned, self._bound)
        before = dict(self.names)
        self.source, self.returned, self._bound = function.source, [], []
        self._active.append(function)
        self._assumed.given.append(arguments)
        try:
            self._bind_parameters(function, arguments)
            if began is not None:
                began.append(len(self.reading.effects))
            last = self.evaluate(function.body) if function.body is not None else unknown(f"{function.name}()")
            values = [*self.returned, last] if not self.returned or self._gives_last(last) else self.returned
            for name in self._bound:
                if name in before:
                    self.names[name] = before[name]
                else:
                    self.names.pop(name, None)
            self._forget_local(function, before)
        finally:
            self._active.pop()
            self._assumed.given.pop()
            self.source, self.returned, self._bound = outer
        return values[0] if len(values) == 1 else _one_of(self, values)

    def _forget_local(self, function: ScriptFunction, before: dict[str, Any]) -> None:
        """Forget the names that end with a call."""
        made = self.names.keys() - before.keys()
        if made and function.name and function.body is not None and not holds_functions(function, self.language):
            for name in made:
                if is_local(function, self.syntax.name, name):
                    del self.names[name]

    def _gives_last(self, last: Any) -> bool:
        """Whether a function also gives the value of its last statement, and that is known."""
        return (
            self.syntax.name in _IMPLICIT
            and bool(as_text(last))
            and (HOLE not in as_text(last) or bool(self.marks(last)))
        )

    def _bind_parameters(self, function: ScriptFunction, arguments: list[Any]) -> None:
        """Give a function's parameters what it is called with."""
        node = function.parameters
        if self.language.arguments and not _shares_arguments(function):
            self.assign_name(self.language.arguments, "bind", list(arguments) or unknown("arguments"))
        if node is None:
            return
        nodes = node.named_children if node.type.endswith(("parameters", "parameter_list")) else [node]
        for index, child in enumerate(nodes):
            rest = child.type in _REST
            value: Any = arguments[index:] if rest else arguments[index] if index < len(arguments) else None
            if child.type == "keyword_parameter":
                value = self._find_named(child, arguments)
            self.assign_to(child, "bind", value if arguments else None)

    def _find_named(self, parameter: Node, arguments: list[Any]) -> Any:
        """Return what a parameter is given by its name; None where that is not known."""
        name = parameter.child_by_field_name("name")
        given = arguments[-1] if arguments and isinstance(arguments[-1], dict) else {}
        return given.get(self.of(name)) if name is not None else None

    def invoke(self, function: ScriptFunction, arguments: list[Any]) -> Any:
        """Call a function of the script: read its body again with what it is given, as far as that is bounded."""
        self.reading.call += 1
        key = id(function.body)
        count = self._readings.get(key, 0)
        if function in self._active:
            if not stays_inside(self._assumed.given[self._active.index(function)], arguments):
                self._assumed.unfollowed.add(key_of(function))
            return unknown(f"{function.name}()")
        if len(self._active) >= MAX_FOLLOWED or count >= MAX_READINGS:
            self._assumed.unfollowed.add(key_of(function))
            call_callbacks(self, "", None, None, arguments, (0, 0))
            return self.mix(*arguments) if arguments else unknown(f"{function.name}()")
        self._readings[key] = count + 1
        self._assumed.read.add(key_of(function))
        result = self.read_body(function, arguments)
        for argument in arguments:  # what it may call, though it was not seen to
            if isinstance(argument, ScriptFunction) and argument in self._unread.values():
                self.read_body(argument, [])
        return result

    def call(self, value: Any, arguments: list[Any], start: Any) -> Any:
        """Call a function: one of the script, or one that the tables know; return what it gives."""
        if isinstance(value, Choice):
            values = [self.call(one, arguments, start) for one in value.values[:MAX_CHOICES]]
            return Choice(tuple(values))
        if isinstance(value, ScriptFunction):
            return self.invoke(value, arguments)
        given = [argument for argument in arguments if type(argument) is not ScriptFunction]
        site = self.site
        first, *others = alternatives(given)
        result: Any = super().call(value, first, start)
        for way in others:
            result = either(result, super().call(value, way, start))
        if isinstance(value, Ref):
            self._note_invoked(value)
            change_by_call(self, value.name, value.owner, arguments)
            if gives_itself(self, value.name, value.owner):
                result = value.owner
            if HOLE in value.name:
                self._call_any(value, start)
                if not only_shows(value):
                    report_unknown_callee(self, value.name, given, start)
            own = self.functions.get(value.name.rpartition(".")[2])
            if own is not None:
                self._assumed.note_call(self, own, value, (self.source, start), self._active)
                returned = self.invoke(own, arguments)
                result = returned if not self.knows(value) else result
        if len(given) < len(arguments):
            functions = [one for one in arguments if isinstance(one, ScriptFunction)]
            result = self._call_back(value, functions, result, start)
            self.site = site  # a folder is entered for the function alone
        return result

    def _note_invoked(self, value: Ref) -> None:
        """`f.call(object, …)`, `f.apply(object, […])`: what the function is given is not what stands there."""
        holder, _, last = value.name.rpartition(".")
        own = self.functions.get(holder.rpartition(".")[2]) if last in INVOKERS or last in LIST_INVOKERS else None
        if own is not None:
            self._assumed.unfollowed.add(key_of(own))

    def call_unknown(self, value: str, arguments: list[Any], start: Any) -> Any:
        """Call something that the text does not tell: it may be any function of the script."""
        if HOLE in value:
            self._assumed.any_called = True
        return super().call_unknown(value, arguments, start)

    def _call_any(self, value: Ref, start: Any) -> None:
        """Say that a function of a module is called whose name is not known, if it may be one that runs something."""
        module = value.name.partition(HOLE)[0].removeprefix("globalThis.").rstrip(".")
        self.report_computed_member(Ref(module), value.name, start)

    def _call_back(self, value: Any, functions: list[ScriptFunction], result: Any, start: Span) -> Any:
        """Read functions that are handed to a call, with what they will be given: what the call has, or gives."""
        owner = value.owner if isinstance(value, Ref) else None
        if isinstance(value, Ref) and owner is None and "." in value.name:
            owner = Ref(value.name.rpartition(".")[0])
        elements = owner if isinstance(owner, list) and 0 < len(owner) <= MAX_ELEMENTS else [None]
        repeats = isinstance(value, Ref) and value.name.rpartition(".")[2] in REPEATING
        self.loops += repeats
        first = len(self.reading.effects)
        returned: list[Any] = []
        for function in functions:
            for element in elements:
                given = [element] if element is not None else self._given_back(value, owner, result, repeats)
                returned.append(self.read_body(function, given))
            if not repeats and not self._active and len(self._deferred) < MAX_DEFERRED:
                self._deferred.append((function, given, self.copy_names()))
        self.loops -= repeats
        if repeats:
            report_loop(self.reading, self.source.text[start[0] : start[1]], first, self.where(start))
        if isinstance(value, Ref) and value.name.endswith((".then", ".tap", ".catch")):
            return returned[0] if returned else result
        if elements[0] is not None and isinstance(value, Ref) and value.name.endswith((".map", ".collect")):
            return returned[:MAX_ITEMS]
        if len(returned) == 1 and type(returned[0]) is str and isinstance(value, Ref) and value.name.endswith(_MAPPING):
            return returned if not is_unknown(returned[0]) else result
        return result

    def _given_back(self, value: Any, owner: Any, result: Any, repeats: bool) -> list[Any]:
        """Return what a function is given that a call was handed, where the elements are not known."""
        held = client_item(value, result)
        if held is not None:
            return [held] * 4
        is_next = isinstance(value, Ref) and value.name.endswith(".then")
        if is_next or (repeats and isinstance(owner, str) and "*" in owner):
            return [owner]
        if is_open(self, result):
            return [result]
        return [result] * 4 if self.marks(result) else []


#: Languages in which the last value is what a function gives.
_IMPLICIT = frozenset({"perl", "ruby"})
_WORD = late(r"[\w$@]+")
_MAPPING = (".collect", ".map")
_REST = frozenset({"forward_parameter", "rest_pattern", "splat_parameter", "vararg_expression", "variadic_parameter"})


def _shares_arguments(function: ScriptFunction) -> bool:
    """Whether a function has no list of arguments of its own: an arrow function."""
    parent = function.body.parent if function.body is not None else None
    return parent is not None and parent.type == "arrow_function"


#: Methods that call a function again and again.
REPEATING = frozenset(
    "forEach map flatMap each each_with_index each_line each_slice each_pair collect times upto find_each cycle loop "
    "every filter reduce for_each foreach walk".split()
)


def client_item(value: Any, result: Any) -> Ref | None:
    """Return what a function is given that is handed to a client: one of its objects, or what it gives."""
    if not isinstance(value, Ref) or not value.name.startswith(CLIENTS):
        return None
    if value.name.rpartition(".")[2] in REPEATING:
        return Ref(f"{value.name.rpartition('.')[0]}.[]", value.owner)
    return result if isinstance(result, Ref) else None


def _one_of(walker: Walker, values: list[Any]) -> Any:
    if len(values) <= MAX_CHOICES and not any(isinstance(value, Choice) for value in values):
        return Choice(tuple(values))
    return walker.mix(*values)

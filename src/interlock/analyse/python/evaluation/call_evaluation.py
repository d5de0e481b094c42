"""Call evaluation: decides what is called (a method of a constant, a pure function, the text's own, a library's)."""

from __future__ import annotations

import ast
from typing import Any

from interlock.analyse.python.call import PythonCall
from interlock.analyse.python.calls.disclosures import disclose
from interlock.analyse.python.calls.library_calls import call_effects, has_effects, is_alike_for_all
from interlock.analyse.python.evaluation import containers
from interlock.analyse.python.evaluation.expressions import SUBCLASSES
from interlock.analyse.python.evaluation.marks import decodes, mixture
from interlock.analyse.python.evaluation.pure_calls import PureCalls
from interlock.analyse.python.evaluation.pure_functions import (
    METHODS,
    PURE,
)
from interlock.analyse.python.evaluation.values import (
    UNKNOWN,
    Choice,
    Class,
    Object,
    Partial,
    PythonFunction,
    Ref,
    Unknown,
    either_of,
    is_list,
)
from interlock.analyse.python.functions.higher_order import HIGHER_ORDER
from interlock.analyse.python.interlock_patches import is_own, report_replaced
from interlock.analyse.python.package_setup import SETUPS, read_setup
from interlock.analyse.reading import TooMuch

MAX_HANDED = 16
_IMPORTS = frozenset({"__import__", "importlib.import_module", "importlib.__import__", "builtins.__import__"})
_GETTERS = frozenset(
    {"getattr", "inspect.getattr_static", "__getattribute__", "__getattr__", "object.__getattribute__"}
)


_REFLECTING = _IMPORTS | _GETTERS | frozenset({"vars", "globals", "locals", "dir", "setattr"})
_SORTING = frozenset({"sorted", "min", "max"})
_LOOKUPS = frozenset({"__getattribute__", "get", "__getitem__"})
#: Functions whose result is computed here, or that call or find others.
_COMPUTED = frozenset(
    {*PURE, *_REFLECTING, *_SORTING, *HIGHER_ORDER, *SETUPS, "map", "filter", "functools.partial", "super"}
)
#: Kind of a value that is known → the methods that are called on it here.
_HELD_METHODS: dict[type, frozenset[str]] = {
    **dict.fromkeys((str, bytes), frozenset(METHODS)),
    **dict.fromkeys((list, dict), containers.METHODS),
}
_PASSED = frozenset({PythonFunction, Partial, Ref})


def _is_namespace(node: ast.expr) -> bool:
    """Whether a method is called on the names of a module rather than on the module: `vars(os).get(…)`."""
    owner = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    if isinstance(owner, ast.Call):
        return isinstance(owner.func, ast.Name) and owner.func.id in ("vars", "globals", "locals")
    return isinstance(owner, ast.Attribute) and owner.attr == "__dict__"


class Calls(PureCalls):
    """Reads calls."""

    __slots__ = ()

    def _call(self, node: ast.Call) -> Any:
        target, given, named = node.func, node.args, node.keywords
        reading = self.reading
        reading.steps_left -= 1 + len(given) // 8
        if reading.steps_left < 0:
            raise TooMuch
        self.state.precise_steps -= 1
        if type(target) is not ast.Attribute:
            owner, name, function = None, "", self.value(target)
            arguments, keywords = self.items(given) if given else [], self.keywords(named) if named else {}
        else:
            name = target.attr
            if name == SUBCLASSES:
                self.report_climb(target)
            owner = self.value(target.value)
            arguments, keywords = self.items(given) if given else [], self.keywords(named) if named else {}
            kind = type(owner)
            if kind in _HELD_METHODS and name in _HELD_METHODS[kind]:
                return self._call_held_method(owner, name, arguments, keywords)
            if kind is Choice:
                return self._call_each_owner(node, owner, name, arguments, keywords)
            function = self.member(node, owner, name)
        if type(function) is not Choice:
            return self.apply(node, function, arguments, keywords, owner, name)
        return self._call_any(node, function, arguments, keywords, owner, name)

    def _call_each_owner(
        self, node: ast.Call, owner: Choice, name: str, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """Call a method of every object that a value could be; return what any of them gives."""
        return either_of([self.call_method(node, one, name, arguments, keywords) for one in owner.values])

    def call_method(self, node: ast.expr, owner: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Call a method of one object."""
        if name in _HELD_METHODS.get(type(owner), ()):
            return self._call_held_method(owner, name, arguments, keywords)
        return self._call_any(node, self.member(node, owner, name), arguments, keywords, owner, name)

    def _call_held_method(self, owner: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Call a method of a text or a container that is known."""
        if isinstance(owner, (str, bytes)):
            return self.call_text_method(owner, name, arguments, keywords)
        if name in containers.CHANGING:
            self.tracker.kinds.note_change()
        return containers.call_method(self.reading, owner, name, arguments, keywords)

    def _call_any(
        self, node: ast.expr, function: Any, arguments: list[Any], keywords: dict[str, Any], owner: Any, name: str
    ) -> Any:
        """Call every function that a value could be; return what any of them gives."""
        if type(function) is not Choice:
            return self.apply(node, function, arguments, keywords, owner, name)
        return either_of([self.apply(node, one, arguments, keywords, owner, name) for one in function.values])

    def apply(
        self, node: ast.expr, function: Any, arguments: list[Any], keywords: dict[str, Any], owner: Any, name: str
    ) -> Any:
        """Make one call; `name` is the method, if it is one."""
        kind = type(function)
        if kind is Ref:
            if function.name in _COMPUTED or (type(owner) is Ref and name in _LOOKUPS):
                return self._call_computed(node, function, arguments, keywords, owner, name)
            return self._call_library(node, function, arguments, keywords, owner)
        if kind is not Unknown:
            return self._call_known(node, function, arguments, keywords, owner)
        if keywords or not _PASSED.isdisjoint(map(type, arguments)):
            self._call_callbacks(node, arguments, keywords)
        if function.name in self.reading.taints:
            return disclose(PythonCall(self, node, name or function.name, arguments, keywords, owner), function)
        result = call_effects(self, node, function, arguments, keywords, owner)
        return self.mark_decoded(function, result, arguments) if decodes(function.name) else result

    def _call_known(
        self, node: ast.expr, function: Any, arguments: list[Any], keywords: dict[str, Any], owner: Any
    ) -> Any:
        """Call a function or class of the text, an object, or a value that is no function."""
        kind = type(function)
        if kind is PythonFunction:
            return self.call_function(function, arguments, keywords, None)
        if kind is Partial:
            return self._call_partial(node, function, arguments, keywords)
        if kind is Class:
            return self.instantiate(function, arguments, keywords)
        if kind is Object:
            called = function.kind.find("__call__")
            return (
                self.call_function(called, arguments, keywords, function)
                if isinstance(called, PythonFunction)
                else UNKNOWN
            )
        self._call_callbacks(node, arguments, keywords)
        return self.mark_decoded(function, call_effects(self, node, function, arguments, keywords, owner), arguments)

    def read_unpickling(self, function: PythonFunction, maker: Any, arguments: list[Any]) -> None:
        """Read the call that unpickling an object makes."""
        node = function.node.body if isinstance(function.node, ast.Lambda) else ast.Constant(None)
        if not isinstance(function.node, ast.Lambda):
            ast.copy_location(node, function.node)
        self.apply(node, maker, arguments, {}, None, "")

    def _call_partial(self, node: ast.expr, partial: Partial, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        function = partial.function
        given, named = [*partial.arguments, *arguments], {**partial.keywords, **keywords}
        if isinstance(function, PythonFunction):
            return self.call_function(function, given, named, partial.this)
        return self.apply(node, function, given, named, None, "")

    def _call_computed(
        self,
        node: ast.expr,
        function: Ref,
        arguments: list[Any],
        keywords: dict[str, Any],
        owner: Any,
        method_name: str,
    ) -> Any:
        """Call a function whose result is computed, or that calls or finds another one."""
        name = function.name
        if "key" in keywords and arguments and name in _SORTING:
            self._map(node, name, [keywords["key"], arguments[0]])
        if name in PURE:
            return self.call_pure(name, arguments, keywords)
        if name in _REFLECTING or (type(owner) is Ref and method_name in _LOOKUPS):
            found = self._reflect(node, name, arguments, owner, method_name)
            if found is not None:
                return found
        if name in HIGHER_ORDER:
            found = HIGHER_ORDER[name](self, node, arguments, keywords)
            if found is not None:
                return found
        if name in ("map", "filter") and len(arguments) > 1:
            return self._map(node, name, arguments)
        if name == "functools.partial" and arguments:
            return Partial(arguments[0], tuple(arguments[1:]), keywords)
        if name == "super":
            return self.super_object()
        if name in SETUPS:
            self.state.setup = True
            read_setup(self.reading, self.at(node), keywords)
        return self._call_library(node, function, arguments, keywords, owner)

    def _reflect(self, node: ast.expr, name: str, arguments: list[Any], owner: Any, method_name: str) -> Any:
        """Return the result of a reflective call: `__import__`, `getattr`, `vars`, `globals`; None if it is none."""
        if name in _IMPORTS:
            return Ref(arguments[0]) if arguments and isinstance(arguments[0], str) else None
        if name in ("vars", "globals", "locals", "dir"):
            return arguments[0] if arguments else Ref("builtins")
        if name in _GETTERS and len(arguments) >= 2:
            wanted = arguments[1]
            return (
                self.report_detour(node, self.member(node, arguments[0], wanted)) if isinstance(wanted, str) else None
            )
        if isinstance(owner, Ref) and method_name in _LOOKUPS and arguments:
            spaces = owner.name in ("builtins", "__builtins__", "sys.modules") or _is_namespace(node)
            if spaces and isinstance(arguments[0], str):
                return self.report_detour(node, self.item(owner, arguments[0]))
            if method_name == "__getattribute__" and isinstance(arguments[0], str):
                return self.report_detour(node, self.member(node, owner, arguments[0]))
        if name == "setattr" and len(arguments) > 2 and isinstance(arguments[1], str):
            if isinstance(arguments[0], Ref) and is_own(arguments[0].name):
                report_replaced(self.reading, self.at(node), arguments[0].name)
            self._bind_member(arguments[0], arguments[1], arguments[2])
            return Unknown("set")
        return None

    def _map(self, node: ast.expr, name: str, arguments: list[Any]) -> Any:
        """Call a function with each item of a list."""
        function, items = arguments[0], arguments[1]
        known = self.find_known_rounds(items, 1_024)
        results = [
            self.apply(node, function, [item], {}, None, "")
            for item in (known if known is not None else [self.any_item(items)])
        ]
        if name == "filter":
            return mixture(self.reading, name, (items,))
        return results if known is not None else mixture(self.reading, name, results)

    def _call_library(
        self, node: ast.expr, function: Ref, arguments: list[Any], keywords: dict[str, Any], owner: Any
    ) -> Any:
        """Call something with a dotted name, and the functions among its arguments."""
        if keywords or not _PASSED.isdisjoint(map(type, arguments)):
            self._call_callbacks(node, arguments, keywords)
        first = arguments[0] if arguments else None
        if type(first) is Choice and not is_alike_for_all(self, function.name, first, owner):
            return self._call_each_first(node, function, arguments, keywords, owner)
        result = call_effects(self, node, function, arguments, keywords, owner)
        return self.mark_decoded(function, result, arguments) if decodes(function.name) else result

    def _call_each_first(
        self, node: ast.expr, function: Ref, arguments: list[Any], keywords: dict[str, Any], owner: Any
    ) -> Any:
        """Make a call with every value that its first argument could have."""
        firsts = list(arguments[0].values)
        firsts = [one for one in firsts if one is not None] or firsts  # nothing is done with what is not there
        results = [call_effects(self, node, function, [first, *arguments[1:]], keywords, owner) for first in firsts]
        return self.mark_decoded(function, either_of(results), arguments)

    def _call_callbacks(self, node: ast.expr, arguments: list[Any], keywords: dict[str, Any]) -> None:
        """Call the functions among the arguments of a call: with the arguments that follow, or with unknown ones."""
        values = (*arguments, *keywords.values()) if keywords else arguments
        if _PASSED.isdisjoint(map(type, values)):
            return
        given = keywords.get("args")
        for position, value in enumerate(values):
            kind = type(value)
            if kind not in _PASSED:
                continue
            if kind is not Ref and given is not None and is_list(given):
                self.apply(node, value, list(given)[:MAX_HANDED], {}, None, "")
            elif kind is PythonFunction and position == 0 and len(arguments) > 1:
                self.call_function(value, arguments[1:], {}, None)
            elif kind is Ref and has_effects(self.reading, value.name):
                after: Any = arguments[position + 1] if position + 1 < len(arguments) else given or UNKNOWN
                for item in list(after if is_list(after) else [after])[:MAX_HANDED] or [UNKNOWN]:
                    call_effects(self, node, value, [item], {}, None)


Calls.readers = PureCalls.readers | {ast.Call: Calls._call}

"""Functions that the text defines and does not call: read once at the end, with unknown arguments."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from interlock.analyse.python.evaluation.scope import PythonScope
from interlock.analyse.python.evaluation.values import PythonFunction, Unknown, is_list
from interlock.analyse.python.functions.fixtures import fixtures_of
from interlock.analyse.python.functions.function_calls import Functions


class UncalledFunctions(Functions):
    """Reads functions without a call."""

    __slots__ = ()

    @abstractmethod
    def read_unpickling(self, function: PythonFunction, maker: Any, arguments: list[Any]) -> None:
        """Read the call that unpickling an object makes."""

    def read_uncalled(self) -> None:
        """Read the functions that nobody called, with arguments of which nothing is known."""
        pending = self.state.pending
        self.state.summaries = {}  # names no longer change what they stand for, so one reading is enough
        index = 0
        while index < len(pending):  # reading one may define others
            function = pending[index]
            index += 1
            if function.node not in self.state.read:
                self.reading.spend()
                inner = PythonScope(function.scope, self.tracker.births)
                self._bind_unknown(function, inner)
                result = self.read_body(function, inner)
                self.state.summaries[function.node] = (1, result)
                if function.name.startswith("__reduce") and is_list(result) and len(result) > 1 and is_list(result[1]):
                    self.read_unpickling(function, result[0], list(result[1]))
        pending.clear()

    def _bind_unknown(self, function: PythonFunction, inner: PythonScope) -> None:
        parameters = function.node.args
        named = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
        extra = [part for part in (parameters.vararg, parameters.kwarg) if part]
        for parameter in (*named, *extra):
            inner.names[parameter.arg] = Unknown(parameter.arg)
        if self.state.tested:
            inner.names |= fixtures_of(function)
        owner = function.owner
        if owner is None or not named or function.has_decorator("staticmethod"):
            return
        if owner.sample is None:
            owner.sample = self.instantiate(owner, [], {})
        inner.names[named[0].arg] = owner.sample

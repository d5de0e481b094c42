"""Comprehensions, and what a loop goes through: one by one where that is known, else any of it."""

from __future__ import annotations

import ast
from typing import Any

from interlock.analyse.python.calls.disclosures import narrows
from interlock.analyse.python.clients.service_clients import is_client
from interlock.analyse.python.clients.store_clients import STORE
from interlock.analyse.python.evaluation.expressions import Expressions
from interlock.analyse.python.evaluation.marks import marks_of, mixture, unknown_from
from interlock.analyse.python.evaluation.scope import PythonScope
from interlock.analyse.python.evaluation.values import MAX_PARTS, Instance, Ref, Unknown, is_known, is_list, limit_size
from interlock.analyse.python.functions.widening import is_counted


class Comprehensions(Expressions):
    """Reads comprehensions."""

    __slots__ = ()

    def find_known_rounds(self, items: Any, limit: int) -> list[Any] | None:
        """Return what a loop goes through one by one, if it is known and short enough."""
        if isinstance(items, dict):
            items = list(items)
        elif isinstance(items, (str, bytes)) and is_known(items):
            items = list(items) if len(items) <= limit else None
        if not is_list(items) or len(items) > limit or not self.state.may_repeat(len(items)):
            return None
        return None if items and self.must_widen(items) else list(items)

    def must_widen(self, value: Any) -> bool:
        """Whether the text has used up its precise steps, and a loop goes through a value by counting."""
        return self.state.precise_steps < 0 and is_counted(value)

    def any_item(self, items: Any) -> Any:
        """Return what any one of a loop's items is."""
        kind = type(items)
        if kind is Instance:
            if is_client(items):
                return items
            return Unknown(items.source) if items.source or items.kind == "file" else items
        if kind is Ref and items.name == "os.environ":
            return Unknown("name")
        if kind is Ref and items.name.startswith(STORE):
            return items
        return mixture(self.reading, "…", (items,))

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Any:
        before = self.scope
        self.scope = PythonScope(before)
        found: list[Any] = []
        self.state.repeating += 1
        try:
            whole = self._generate(node, 0, found)
        finally:
            self.state.repeating -= 1
            self.scope = before
        if isinstance(node, ast.DictComp):
            return mixture(self.reading, "…", found)
        return limit_size(found) if whole else mixture(self.reading, "…", found)

    def _tells_nothing(self, node: Any, mark: tuple[int, int]) -> bool:
        """Whether more rounds would add nothing: what they give is unknown, and none since `mark` has had effects."""
        unknown = isinstance(node, ast.DictComp) or isinstance(node.elt, ast.Compare)
        return unknown and self.state.precise_steps < 0 and not self.tracker.has_acted(mark)

    def _narrows_variable(self, tests: list[ast.expr], item: Any) -> bool:
        """Whether conditions leave out the secrets among variables that a comprehension goes through."""
        reading = self.reading
        return bool(reading.taints) and narrows(tests) and "variable" in marks_of(reading, item)

    def _generate(self, node: Any, depth: int, found: list[Any]) -> bool:
        """Go through one `for` of a comprehension; return whether every item is known."""
        if depth == len(node.generators):
            self.reading.spend()
            self.state.precise_steps -= 1
            found.append(self.value(node.elt if not isinstance(node, ast.DictComp) else node.value))
            if isinstance(node, ast.DictComp):
                self.value(node.key)
            return True
        generator = node.generators[depth]
        items = self.value(generator.iter)
        known = self.find_known_rounds(items, MAX_PARTS) if not generator.ifs else None
        whole = known is not None
        mark = self.tracker.mark()
        for number, item in enumerate(known if known is not None else [self.any_item(items)]):
            if known is not None and (self.must_widen(item) or (number and self._tells_nothing(node, mark))):
                item, known = self.any_item(items), None  # it stands for the rounds that are left
            if generator.ifs and self._narrows_variable(generator.ifs, item):
                item = unknown_from(self.reading, "some of the environment", "environment")
            self.bind(generator.target, item)
            for test in generator.ifs:
                self.value(test)
            whole = self._generate(node, depth + 1, found) and whole and known is not None
            if known is None:
                break
        return whole


Comprehensions.readers = Expressions.readers | dict.fromkeys(
    (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp), Comprehensions._comprehension
)

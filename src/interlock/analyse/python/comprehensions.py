"""Comprehensions, and what a loop goes through: one by one where that is known, else any of it."""

from __future__ import annotations

import ast
from typing import Any

from interlock.analyse.python.expressions import Expressions
from interlock.analyse.python.marks import mixture
from interlock.analyse.python.scope import Scope
from interlock.analyse.python.store_clients import STORE
from interlock.analyse.python.values import MAX_PARTS, Instance, Ref, Unknown, is_known, is_list, limit_size


class Comprehensions(Expressions):
    """Reads comprehensions."""

    __slots__ = ()

    def known_rounds(self, items: Any, limit: int) -> list[Any] | None:
        """Return what a loop goes through one by one, if it is known and short enough."""
        if isinstance(items, dict):
            items = list(items)
        elif isinstance(items, (str, bytes)) and is_known(items):
            items = list(items) if len(items) <= limit else None
        if not is_list(items) or len(items) > limit or not self.state.may_repeat(len(items)):
            return None
        return list(items)

    def any_item(self, items: Any) -> Any:
        """Return what any one of a loop's items is."""
        if isinstance(items, Instance):
            return Unknown(items.source) if items.source or items.kind == "file" else items
        if isinstance(items, Ref) and items.name.startswith(STORE):
            return items
        return mixture(self.reading, "…", (items,))

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Any:
        before = self.scope
        self.scope = Scope(before)
        found: list[Any] = []
        try:
            whole = self._generate(node, 0, found)
        finally:
            self.scope = before
        if isinstance(node, ast.DictComp):
            return mixture(self.reading, "…", found)
        return limit_size(found) if whole else mixture(self.reading, "…", found)

    def _generate(self, node: Any, depth: int, found: list[Any]) -> bool:
        """Go through one `for` of a comprehension; return whether every item is known."""
        if depth == len(node.generators):
            self.reading.spend()
            found.append(self.value(node.elt if not isinstance(node, ast.DictComp) else node.value))
            if isinstance(node, ast.DictComp):
                self.value(node.key)
            return True
        generator = node.generators[depth]
        items = self.value(generator.iter)
        known = self.known_rounds(items, MAX_PARTS) if not generator.ifs else None
        whole = known is not None
        for item in known if known is not None else [self.any_item(items)]:
            self.bind(generator.target, item)
            for test in generator.ifs:
                self.value(test)
            whole = self._generate(node, depth + 1, found) and whole
        return whole


Comprehensions.readers = Expressions.readers | dict.fromkeys(
    (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp), Comprehensions._comprehension
)

"""Branches and loops: each way is walked from the same names, and afterwards a name could be what either made of it."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Any

from interlock.analyse.clients.service_places import TRIAL
from interlock.analyse.python.clients.service_clients import answers_requests, is_client, is_stub, stands_in
from interlock.analyse.python.evaluation.marks import mixture
from interlock.analyse.python.evaluation.scope import MISSING
from interlock.analyse.python.evaluation.values import Choice, Unknown, either
from interlock.analyse.python.functions.definitions import Definitions
from interlock.analyse.python.functions.patches import find_patched_name
from interlock.analyse.python.functions.summaries import is_fork
from interlock.analyse.python.loops.bodies import (
    MAX_ROUNDS,
    find_grown_names,
    never_waits,
    only_consumes,
    only_formats_counter,
    round_limit,
    spells_letters,
    uses_name,
)
from interlock.analyse.python.loops.flooding import (
    counts_on,
    report_counting,
    report_crowd,
    report_endless,
    report_port_scan,
    round_count,
)
from interlock.analyse.python.own_modules import is_program_part
from interlock.analyse.python.state import has_any
from interlock.analyse.repetition import FLOOD

_NOT_GROWING = frozenset({int, float, bool, Unknown, list, dict})
_SETTLING = range(2, 9)  # rounds of a loop after which it is worth asking whether the others could differ
_REQUESTS = frozenset({"net.fetch", "net.send"})
_FLOOD = frozenset({"flood"})
_PATCH_WORDS = ("patch",)
_CONNECTING = ("connect",)
#: Words without which a text changes no name but by its own.
_NAMESPACE_WORDS = ("globals", "vars(", "locals", "setattr", "__dict__", "sys.modules", "exec", "eval", "run_name")
#: Words without which no loop ends processes or tries passwords.
_LOOP_WORDS = ("process_iter", "pids(", "passw", ".login(", "auth=")


class ControlFlow(Definitions):
    """Walks branches and loops."""

    __slots__ = ()

    def _fork(self, *ways: list[ast.stmt]) -> Collection[str]:
        """Walk each of several ways from the same start; return the names that one of them assigned."""
        scope = self.scope
        outer = scope.log
        before: dict[str, Any] = {}
        made: list[dict[str, Any]] = []
        for way in ways:
            if not way:
                made.append({})
                continue
            log = scope.log = {}
            try:
                self.block(way)
            finally:
                if log:
                    before = log | before
                made.append(scope.take_back(log) if log else {})
                scope.log = outer
        for name, was in before.items():
            found = MISSING
            for names in made:
                value = names.get(name, was)
                if value is not MISSING:
                    found = value if found is MISSING else either(found, value)
            scope.set(name, found)
        return before

    def _repeat(self, body: list[ast.stmt]) -> None:
        """Walk the body of a loop once, for any number of rounds; what grows in it is not known afterwards."""
        assigned = self._fork(body, [])
        scope = self.scope
        names = {name for name in (*assigned, *scope.declared) if type(scope.get(name)) not in _NOT_GROWING}
        grown = find_grown_names(body, names) if names else ()
        marks = ("decoded",) if grown and spells_letters(body) else ()
        for name in grown:
            value = scope.get(name)
            if value is not MISSING:
                known = value.values if isinstance(value, Choice) else (value,)
                scope.set(name, mixture(self.reading, name, known, *marks))

    def _if(self, node: ast.If) -> None:
        if self.state.imported and is_program_part(node.test) and self._keeps_name():
            self.block(node.orelse)
            return
        self.value(node.test)
        self._fork(node.body, node.orelse)

    def _keeps_name(self) -> bool:
        """Whether nothing in the text could have given the module another name than its own."""
        return self.scope.get("__name__") is MISSING and not self.state.has_words(_NAMESPACE_WORDS)

    def _while(self, node: ast.While) -> None:
        self.value(node.test)
        first = len(self.reading.effects)
        self._repeat(node.body)
        self.block(node.orelse)
        if isinstance(node.test, ast.Constant) and node.test.value:
            forks = any(is_fork(effect) for effect in self.reading.effects[first:])
            if forks or only_consumes(node):
                self.reading.emit("machine.exhaust", self.at(node), "a loop without an end")
            else:
                report_endless(self.reading, node, first, self.at(node))
            self._report_flood(node, first)

    def _report_flood(self, node: ast.While, first: int) -> None:
        """Report requests that a loop makes to another machine without an end and without a pause."""
        for effect in self.reading.effects[first:]:
            if effect.kind in _REQUESTS and "local" not in effect.flags and never_waits(node):
                host = effect.resource.name if effect.resource else None
                self.reading.emit("net.connect", self.at(node), host, _FLOOD)
                return

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
        mocked, answered, stubbed = 0, 0, dict[str, Any]()
        patched: list[str] = []
        for item in node.items:
            value = self.value(item.context_expr)
            if isinstance(item.context_expr, ast.Call) and self.state.has_words(_PATCH_WORDS):
                patched += find_patched_name(item.context_expr, self.value(item.context_expr.func))
            mocked += stands_in(value)
            if isinstance(item.context_expr, ast.Call):
                answered += answers_requests(self.value(item.context_expr.func))
            stubbed |= self._stub_client(item.context_expr, value)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
        self.state.mocked += mocked
        self.state.patched += patched
        self.state.answered += answered
        self.block(node.body)
        self.state.mocked -= mocked
        self.state.answered -= answered
        del self.state.patched[len(self.state.patched) - len(patched) :]
        for name, client in stubbed.items():
            self.scope.set(name, client)

    def _stub_client(self, node: ast.expr, value: Any) -> dict[str, Any]:
        """Take a client for one that reaches nothing while a stub answers for it; return it by its name."""
        given = node.args[0] if isinstance(node, ast.Call) and node.args else None
        if isinstance(given, ast.Name) and is_stub(value):
            client = self.value(given)
            if is_client(client):
                self.scope.set(given.id, client.replace(mode=TRIAL))
                return {given.id: client}
        return {}

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        items, first = self.value(node.iter), len(self.reading.effects)
        known = self.find_known_rounds(items, round_limit(node.body))
        if known is not None:
            self._follow_rounds(node, known)
        else:
            self.bind(node.target, self.any_item(items))
            self.state.loops += 1
            self._repeat(node.body)
            self.state.loops -= 1
        self.block(node.orelse)
        if self.reading.has_kind_since(first, "net.connect") or self._mentions(_CONNECTING):
            report_port_scan(self.reading, node, self.at(node))
        if counts_on(node.iter):
            report_counting(self.reading, node, first, self.at(node))
        if len(self.reading.effects) > first and round_count(node.iter) >= FLOOD:
            report_crowd(self.reading, first, self.at(node))
        if self.state.has_words(_LOOP_WORDS):
            from interlock.analyse.python.loops.meanings import report_loop_meaning

            report_loop_meaning(self.reading, node, first, self.at(node), self.text)

    def _mentions(self, words: tuple[str, ...]) -> bool:
        """Whether one of some words stands in the text that is being walked."""
        state = self.state
        return state.has_words(words) if self.text is state.text else has_any(self.text, words)

    def _follow_rounds(self, node: ast.For | ast.AsyncFor, items: list[Any]) -> None:
        """Walk a loop round by round, until the rounds that are left could only repeat the last one."""
        numbers = len(items) > MAX_ROUNDS and all(type(item) is int for item in items)
        if numbers and only_formats_counter(node.body, node.target):
            items = items[: MAX_ROUNDS - 1] + items[-1:]
        self.state.repeating += 1
        try:
            self._follow_items(node, items)
        finally:
            self.state.repeating -= 1

    def _follow_items(self, node: ast.For | ast.AsyncFor, items: list[Any]) -> None:
        for number, item in enumerate(items, 1):
            if self.must_widen(item):  # any number stands for those that are left
                self.bind(node.target, self.any_item(items))
                self._repeat(node.body)
                break
            before = self._state_of_names(node.target) if number in _SETTLING and number < len(items) else None
            self.bind(node.target, item)
            self.block(node.body)
            if before is not None and self._is_unchanged(before, self._state_of_names(node.target)):
                of = self.tracker.kinds.of
                kind = of(item)
                if all(of(other) == kind for other in items[number:]) or not uses_name(node.body, node.target):
                    self.bind(node.target, items[-1])
                    break

    def _state_of_names(self, target: ast.expr) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return what tells changes of everything that a round could change, and the names apart from its target."""
        names = dict(self.scope.names)
        if isinstance(target, ast.Name):
            names.pop(target.id, None)
        reading, state = self.reading, self.state
        changes = (
            self.tracker.kinds.mutations,
            self.version(),
            dict(reading.files),
            dict(reading.taints),
            len(state.decoded),
        )
        return changes, names

    def _is_unchanged(
        self, before: tuple[tuple[Any, ...], dict[str, Any]], after: tuple[tuple[Any, ...], dict[str, Any]]
    ) -> bool:
        """Whether a round changed no kind of anything: no container, no file, and no name."""
        (old_changes, old), (new_changes, new) = before, after
        if old_changes != new_changes or old.keys() != new.keys():
            return False
        of = self.tracker.kinds.of
        return all(value is old[name] or of(value) == of(old[name]) for name, value in new.items())

"""The walk through Python: statements in order, names through imports and assignments."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from interlock.analyse.flow import NONE, NOTHING, Flow
from interlock.analyse.flow import UNKNOWN as UNKNOWN_FLOW
from interlock.analyse.python.clients.store_clients import delete_item
from interlock.analyse.python.control_flow import ControlFlow
from interlock.analyse.python.evaluation.scope import MISSING, PythonScope
from interlock.analyse.python.evaluation.values import UNKNOWN
from interlock.analyse.python.functions.fixtures import keeps_fixtures
from interlock.analyse.python.functions.widening import without_numbers
from interlock.analyse.python.package_setup import flag_effects
from interlock.analyse.python.parse import parse_or_report, restore_holes
from interlock.analyse.python.state import PythonState, has_any
from interlock.analyse.reading import Reading, Site, TooMuch
from interlock.analyse.script_start import ScriptStart
from interlock.analyse.stack_room import with_stack_room
from interlock.patterns import late

LONG = 1_000  # characters of a text whose functions are likely to call each other
_CAP = frozenset({"cap"})
# What stands in a text that disguises something, see `hidden_text.py`.
_DISGUISES = ("0xE00", "0xe00", "proctitle", "prctl")
_ESCAPES = ("\\u", "\\U000")
_LETTERS = ("conversations", "with_subject", "/users/", "search.messages", "discovery", "delegate")
_PRIVATE_LIFE = frozenset({"private_life"})
# What stands in a text that does something in bulk, see `loops/brute_force.py`.
_BULK = (
    "0000000000", "pwd=", "auth=", "pin=", "pw=", "secret=", "hashlib", "iter(int", "count()", "repeat(", "cycle(",
)  # fmt: skip
#: The same, by a part that they share, which most texts do not have.
_BULK_BY_PART = {
    "connect": ("connect_ex", "create_connection", "open_connection"),
    "pass": ("password=", "passwd=", "passphrase="),
    "rypt": ("crypt", "Crypt"),
}
_POWER = late(r"\*\*[\s(\\]*(?:\d|int\b)")  # of a number: `10**12`, not `**options`
_GUARD = frozenset({"guard_config"})


def analyse_python(reading: Reading, text: str, site: Site, stdin: Flow = NOTHING) -> Flow:
    """Read Python text and put its effects into `reading`."""
    start, reading.script = reading.script, None  # what this text runs itself starts in another way
    if "person_request" in text:  # only the program that hears the person may pass their words on
        reading.emit("defence.disable", site, "the person's own words", _GUARD)
    tree = parse_or_report(reading, text, site)
    if tree is None:
        return UNKNOWN_FLOW
    restore_holes(reading, tree)
    first = len(reading.effects)
    walker = PythonWalker(reading, text, site, PythonScope(), PythonState(reading, text))
    walker.begin(start, stdin)
    try:
        (_walk_with_room if len(text) >= LONG else _walk)(walker, tree.body)
        if _may_act_in_bulk(text):
            from interlock.analyse.python.loops.brute_force import report_bulk

            report_bulk(reading, tree, site)
        if has_any(text, _DISGUISES) or ("\\" in text and has_any(text, _ESCAPES)):
            from interlock.analyse.python.hidden_text import report_hidden_text

            report_hidden_text(reading, text, site)
        if "mcp" in text or "MCP" in text:
            from interlock.analyse.python.clients.tool_servers import report_tool_servers

            report_tool_servers(reading, text, tree, site)
        if has_any(text, _LETTERS):
            from interlock.analyse.secrets.correspondence import reads_letters

            if reads_letters(text):
                reading.emit("system.read", site, "letters", _PRIVATE_LIFE)
        if "walk" in text or "glob" in text or "dir(" in text:
            from interlock.analyse.python.loops.searches import report_searches

            report_searches(reading, text, tree, site)
    except RecursionError:
        reading.unread("python text nested too deep", site, flags=_CAP)
    finally:
        if walker.state.setup:
            flag_effects(reading, first)
        walker.state.release()
    return UNKNOWN_FLOW


def _walk(walker: PythonWalker, statements: list[ast.stmt]) -> None:
    """Walk a whole text, then the functions that it does not call."""
    walker.block(statements)
    walker.read_uncalled()


_walk_with_room = with_stack_room(_walk)


def _may_act_in_bulk(text: str) -> bool:
    """Whether a text has a word or a number in it without which nothing is done in bulk."""
    if has_any(text, _BULK) or ("**" in text and _POWER.search(text)):
        return True
    return any(part in text and has_any(text, words) for part, words in _BULK_BY_PART.items())


class PythonWalker(ControlFlow):
    """Walks statements in order."""

    __slots__ = ()

    def begin(self, start: ScriptStart | None, stdin: Flow) -> None:
        """Let the names by which a file knows itself and its arguments stand for what they are."""
        if stdin is not NOTHING:
            self.state.input_marks = stdin.marks | (self.reading.marks(stdin.text) if stdin.text else NONE)
        if start is None:
            return
        self.scope.names["__file__"] = start.path
        self.state.imported = start.imported
        self.state.tested = start.tested and keeps_fixtures(self.text, self.reading.files)
        if start.arguments is not None and not start.imported:
            self.state.members["sys.argv"] = [start.path, *start.arguments]

    def block(self, statements: list[ast.stmt]) -> None:
        """Walk statements in order."""
        reading = self.reading
        self.state.precise_steps -= len(statements)
        for statement in statements:
            reading.steps_left -= 1
            if reading.steps_left < 0:
                raise TooMuch
            _STATEMENTS[type(statement)](self, statement)

    def run(self, text: str, site: Site, name: str) -> Any:
        """Read text as Python that runs here, with the names of here; return what it gives."""
        reading = self.reading
        if reading.depth >= reading.MAX_DEPTH:
            reading.unread(f"code nested more than {reading.MAX_DEPTH} deep", site, flags=_CAP)
            return UNKNOWN
        text = reading.substitute_holes(text, "python")
        reading.spend(len(text) // 16 + 1)
        tree = parse_or_report(reading, text.strip(), site)
        if tree is None:
            return UNKNOWN
        inner = PythonWalker(reading, text, site.behind(name).replace(base=-1), self.scope, self.state)
        inner.stars, inner._calling = self.stars, self._calling
        reading.depth += 1
        try:
            inner.block(tree.body[:-1])
            last = tree.body[-1:]
            if last and isinstance(last[0], ast.Expr):
                return self.report_detour(last[0].value, inner.value(last[0].value))
            inner.block(last)
        finally:
            reading.depth -= 1
        return UNKNOWN

    def _walk_children(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
            elif isinstance(child, ast.stmt):
                self.block([child])
            else:
                self._walk_children(child)

    def _expression(self, node: ast.Expr) -> None:
        value = node.value
        if type(value) is ast.Call:
            function = value.func
            if type(function) is ast.Name and function.id == "compile":
                self.state.discarded.add(value)
        self.value(value)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                delete_item(self, target, self.value(target.value))
            self.value(target)

    def _assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.bind(target, value)

    def _assign_annotated(self, node: ast.AnnAssign) -> None:
        self.read_annotation(node.annotation)
        if node.value is not None:
            self.bind(node.target, self.value(node.value))

    def _assign_augmented(self, node: ast.AugAssign) -> None:
        value = self.value(node.value)
        if isinstance(node.target, ast.Name):
            before = self.scope.get(node.target.id)
            self.bind(node.target, self.apply_operator(node.op, UNKNOWN if before is MISSING else before, value))
        else:
            result = self.apply_operator(node.op, self.value(node.target), value)
            if isinstance(node.target, ast.Attribute):  # a counter: how often it was raised is not known
                result = without_numbers(node.target.attr, result)
            self.bind(node.target, result)

    def _raise(self, node: ast.Raise) -> None:
        self.value(node.exc)
        self.value(node.cause)

    def _assert(self, node: ast.Assert) -> None:
        self.value(node.test)
        self.value(node.msg)

    def _skip(self, node: ast.Pass | ast.Break | ast.Continue) -> None:
        """Walk a statement that changes no names and calls nothing."""

    def _declare(self, node: ast.Global | ast.Nonlocal) -> None:
        frame = self.tracker.frame
        for name in node.names:
            scope = self.scope.declare(name, whole=isinstance(node, ast.Global))
            if frame is not None and scope is not None and scope.birth < frame.birth:
                frame.record(scope, name, scope.get(name))

    def _return(self, node: ast.Return) -> None:
        self.add_result(self.value(node.value))


_STATEMENTS: dict[type, Callable[[Any, Any], None]] = {
    **dict.fromkeys(ast.stmt.__subclasses__(), PythonWalker._walk_children),  # those that are not listed below
    ast.Expr: PythonWalker._expression,
    ast.Delete: PythonWalker._delete,
    ast.Import: PythonWalker._import,
    ast.ImportFrom: PythonWalker._import_from,
    ast.Assign: PythonWalker._assign,
    ast.AnnAssign: PythonWalker._assign_annotated,
    ast.AugAssign: PythonWalker._assign_augmented,
    ast.Global: PythonWalker._declare,
    ast.Nonlocal: PythonWalker._declare,
    ast.Return: PythonWalker._return,
    ast.Raise: PythonWalker._raise,
    ast.Assert: PythonWalker._assert,
    ast.Pass: PythonWalker._skip,
    ast.Break: PythonWalker._skip,
    ast.Continue: PythonWalker._skip,
    ast.With: PythonWalker._with,
    ast.AsyncWith: PythonWalker._with,
    ast.For: PythonWalker._for,
    ast.AsyncFor: PythonWalker._for,
    ast.FunctionDef: PythonWalker._function,
    ast.AsyncFunctionDef: PythonWalker._function,
    ast.ClassDef: PythonWalker._class,
    ast.If: PythonWalker._if,
    ast.While: PythonWalker._while,
    ast.Try: PythonWalker._try,
    ast.TryStar: PythonWalker._try,
    ast.Match: PythonWalker._match,
}

"""The walk through a PowerShell text: statements, pipelines, functions; what does not parse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE
from interlock.analyse.flow import Flow
from interlock.analyse.powershell.arguments import read_redirections
from interlock.analyse.powershell.commands import redirect, run_command
from interlock.analyse.powershell.control import parts_of, read_branches, read_foreach, read_loop
from interlock.analyse.powershell.error_recovery import pieces
from interlock.analyse.powershell.expressions import TooDeep
from interlock.analyse.powershell.functions import bind_parameters, bind_piped, parameters_of
from interlock.analyse.powershell.implicit_output import report_shown
from interlock.analyse.powershell.running import Runner
from interlock.analyse.powershell.source import PowerShellSource, effort, too_large
from interlock.analyse.powershell.state import PowerShellFunction, PowerShellState
from interlock.analyse.powershell.unwalked_blocks import read_unseen
from interlock.analyse.powershell.values import ScriptBlock, items_of, lines_of
from interlock.analyse.reading import Reading, Site
from interlock.analyse.scripts.values import MAX_ITEMS, unknown
from interlock.patterns import late

_CAP = frozenset({"cap"})
MAX_ENDED = 2_000  # a longer text is parsed once, not once for each way to end it
#: What may be missing at the end of a text that was cut off.
_ENDS = ('"', "'", "}", ")", '\n"@', "\n'@")
#: What another shell took for variables of its own.
_VARIABLES = late(f"{HOLE}([A-Za-z_]\\w*){HOLE}")


_USING = late(r"(?i)using\s+(?:namespace|module|assembly)\s+\S")


class Interpreter(Runner):
    """A PowerShell text being read: its statements and commands."""

    __slots__ = ()

    def statements(self, node: Node) -> Any:
        """Read the statements of a node; return what they give."""
        state = self.state
        state.depth += 1
        if state.depth > 96:
            raise TooDeep
        try:
            handler = _STATEMENTS.get(node.type)
            if handler is not None:
                state.reading.spend()
                return handler(self, node)
            if node.type in _TRANSPARENT:
                return self.each_statement(node)
            return self.evaluate(node)
        finally:
            state.depth -= 1

    def each_statement(self, node: Node) -> Any:
        """Read each statement of a node; return what all of them give."""
        given: list[Any] = []
        for child in node.named_children:
            value = self.statements(child)
            if value is not None and len(given) < MAX_ITEMS:
                given.append(value)
        if len(given) == 1:
            return given[0]
        return [one for value in given for one in items_of(value)][:MAX_ITEMS] if given else None

    # pipelines

    def _pipeline(self, node: Node) -> Any:
        """Read a pipeline, or several that `&&` and `||` join."""
        if node.type == "pipeline":
            value: Any = None
            for child in node.named_children:
                if child.type != "pipeline_chain_tail":
                    value = self.statements(child)
            return value
        given: Any = None
        stages = [child for child in node.named_children if child.type != "comment"]
        for at, child in enumerate(stages):
            if child.type in ("redirections", "redirection"):
                given = redirect(self, read_redirections(self, child), given, node)
            else:
                given = self._stage(child, given, at > 0)
        return given

    def _stage(self, node: Node, given: Any, piped: bool) -> Any:
        if node.type == "command":
            text = self.text(node)
            if _USING.match(text):
                return self._use(text, node)
            return run_command(self, node, given, piped)
        return self.statements(node)

    def _command(self, node: Node) -> Any:
        return run_command(self, node, None, False)

    def _use(self, text: str, node: Node) -> None:
        """`using namespace System.IO`, `using module ./a.psm1`, `using assembly ./a.dll`."""
        kind, _, name = text.strip().partition(" ")[2].strip().partition(" ")
        name = name.strip(" '\"")
        self.state.see(node)
        if kind.lower() == "namespace":
            self.state.namespaces.append(name.lower())
        elif not name.isidentifier():
            self.state.reading.file("code.run", self.state.at(node), name)

    def _assignment(self, node: Node) -> None:
        children = node.named_children
        operator = next((self.text(child).strip() for child in children if child.type == "assignement_operator"), "=")
        target = children[0]
        value = self.statements(children[-1])
        if operator != "=":
            before = self.evaluate(target)
            value = self._operate(operator[0], before, value)
        self.assign(target, value, node)

    # control

    def _flow(self, node: Node) -> Any:
        value: Any = None
        for child in node.named_children:
            if child.type != "label_expression":
                value = self.statements(child)
        return value

    # functions and blocks

    def _function(self, node: Node) -> None:
        named = next((child for child in node.named_children if child.type == "function_name"), None)
        name = self.text(named).lower().rpartition(":")[2] if named else ""
        function = PowerShellFunction(name, self.state.source, node)
        self.state.functions[name] = function
        self.state.uncalled[name] = function

    def _class(self, node: Node) -> None:
        """Read the methods of a class as they stand."""
        for child in parts_of(node):
            if child.type == "script_block":
                self.statements(child)

    def _parameters(self, node: Node) -> None:
        """Set the parameters of the text itself: to what stands there, or to nothing known."""
        for name, default, _ in parameters_of(self, node):
            if name not in self.state.variables:
                self.state.variables[name] = default if default is not None else unknown(name)

    def run_block(self, block: ScriptBlock, arguments: list[Any], item: Any = None, given: Flow | None = None) -> Any:
        """Run a script block; return what it gives."""
        state = self.state
        outer, state.source = state.source, block.source
        held, kept = state.variables.get("_"), state.arguments
        if item is not None:
            state.variables["_"] = state.variables["psitem"] = item
        state.arguments = arguments
        before, state.stdin = state.stdin, given or state.stdin
        try:
            for at, (name, default, _) in enumerate(parameters_of(self, block.node)):
                state.variables[name] = arguments[at] if at < len(arguments) else default
                if state.variables[name] is None:
                    state.variables[name] = unknown(name)
            bodies = [child for child in block.node.named_children if child.type != "param_block"]
            value: Any = None
            for body in bodies:
                value = self.statements(body)
            return value
        finally:
            state.source, state.arguments, state.stdin = outer, kept, before
            if item is not None:
                state.variables["_"] = held if held is not None else item

    def call_function(self, function: PowerShellFunction, arguments: list[Any], item: Any, node: Node) -> Any:
        """Call a function of the text; what it sets stays its own."""
        state = self.state
        state.uncalled.pop(function.name, None)
        if state.calling.count(function.name) > 0 or len(state.calling) > 12:
            state.reading.unread("a function that calls itself", state.at(node))
            return state.result(function.name)
        outer, variables, kept = state.source, dict(state.variables), state.arguments
        state.source, state.calling = function.source, (*state.calling, function.name)
        state.shared = {}
        try:
            state.arguments = bind_parameters(self, function.node, arguments)
            if item is not None:
                state.variables["_"] = state.variables["input"] = item
                bind_piped(self, function.node, item)
            bodies = [child for child in function.node.named_children if child.type in ("script_block", "ERROR")]
            value: Any = None
            for body in bodies:
                value = self.statements(body)
            return value
        finally:
            state.source, state.calling, state.arguments = outer, state.calling[:-1], kept
            state.variables = {**variables, **state.shared}

    def read_text(self, text: str, site: Site) -> Any:
        """Walk a text in this session; what the grammar does not take is read in pieces, and said."""
        state = self.state
        state.reading.spend(effort(text))
        state.source = source = _make_source(text, site, state)
        value = self.statements(source.root)
        if source.broken:
            state.reading.unread("powershell text that does not parse", site)
            for piece in pieces(source.text):
                state.source = source.inner(source.fill(piece))
                if not state.source.broken:
                    self.statements(state.source.root)
            state.source = source
        else:
            state.seen.setdefault(source, set())
        return value


_TRANSPARENT = frozenset(
    "program statement_list statement_block script_block script_block_body named_block_list named_block "
    "parenthesized_expression sub_expression array_expression finally_clause catch_clauses catch_clause "
    "try_statement trap_statement data_statement inlinescript_statement parallel_statement sequence_statement "
    "while_condition for_condition switch_body switch_clauses switch_clause ERROR redirections".split()
)


def _skip(_reader: Interpreter, _node: Node) -> None:
    return None


_STATEMENTS: dict[str, Callable[[Interpreter, Node], Any]] = {
    "pipeline": Interpreter._pipeline,
    "pipeline_chain": Interpreter._pipeline,
    "command": Interpreter._command,
    "assignment_expression": Interpreter._assignment,
    "if_statement": read_branches,
    "switch_statement": read_branches,
    "foreach_statement": read_foreach,
    "for_statement": read_loop,
    "while_statement": read_loop,
    "do_statement": read_loop,
    "flow_control_statement": Interpreter._flow,
    "function_statement": Interpreter._function,
    "class_statement": Interpreter._class,
    "param_block": Interpreter._parameters,
    **dict.fromkeys(("comment", "empty_statement", "enum_statement", "attribute_list", "block_name", "label"), _skip),
    **dict.fromkeys(("catch_type_list", "switch_parameters", "foreach_parameter", "data_name"), _skip),
}


def _make_source(text: str, site: Site, state: PowerShellState) -> PowerShellSource:
    """Return the source of a text; one that was cut off is ended."""
    source = PowerShellSource(text, site)
    if not source.broken or len(text) > MAX_ENDED:
        return source
    for end in _ENDS:
        if text.count(end.strip()[0]) % 2 == 0 and end.strip() in "\"'":
            continue
        state.reading.spend(len(text) // 8)
        again = PowerShellSource(text + end, site)
        if not again.broken:
            state.reading.unread("powershell text that does not end", site)
            return again
    return source


def read_powershell(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    """Read a PowerShell text and put its effects into `reading`."""
    if HOLE in text:
        site = site.replace(base=-1)
        text = _VARIABLES.sub(lambda found: f"${found[1]}" if found[1] not in reading.taints else found[0], text)
    why = too_large(text)
    if why:
        reading.unread(f"powershell text {why}", site, flags=_CAP)
        head = text[:2_000]
        text = head[: head.rfind("\n") + 1] or head
    reading.spend(len(text) // 32)
    state = PowerShellState(reading, PowerShellSource("", site), site.replace(base=-1), stdin)
    reader = Interpreter(state)
    first = len(reading.effects)
    value: Any = None
    try:
        value = reader.read_text(text, site)
        _read_uncalled(reader)
        for source in list(state.seen):
            if not source.broken:
                read_unseen(reader, source)
    except (TooDeep, RecursionError):
        reading.unread("powershell text nested too deep", site, flags=_CAP)
    if "nv" in text:
        report_shown(reading, text, state.site)
    ran = any(effect.kind in ("code.eval", "code.opaque") for effect in reading.effects[first:])
    if state.shells or ran:
        for host in state.sockets[:4]:
            reading.url("net.connect", state.site, host, frozenset({"shell", "socket"}))
    printed = lines_of(value)
    return Flow(printed + "\n" if printed else None, state.marks(value), state.origin(value))


def _read_uncalled(reader: Interpreter) -> None:
    """Read functions that are defined and not called: a later command may call them."""
    reader.state.assumed = True
    while reader.state.uncalled:
        name = next(iter(reader.state.uncalled))
        function = reader.state.uncalled.pop(name)
        reader.call_function(function, [], None, function.node)
    reader.state.assumed = False

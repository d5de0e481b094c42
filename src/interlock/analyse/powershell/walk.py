"""The walk through a PowerShell text: statements, pipelines, functions; what does not parse."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from interlock.analyse.paths import HOLE, is_hole
from interlock.analyse.powershell.arguments import read_redirections
from interlock.analyse.powershell.commands import redirect, run_command
from interlock.analyse.powershell.drives import is_path, unix_path
from interlock.analyse.powershell.expressions import Expressions, TooDeep
from interlock.analyse.powershell.functions import bind_parameters, parameters_of
from interlock.analyse.powershell.pieces import pieces
from interlock.analyse.powershell.source import Source, effort, too_large
from interlock.analyse.powershell.state import Function, State
from interlock.analyse.powershell.values import Block, Instance, items_of, lines_of, text_of, texts_of
from interlock.analyse.reading import Flow, Reading, Site
from interlock.analyse.scripts.shells import opens_shell
from interlock.analyse.scripts.values import MAX_ITEMS, Choice, choices, shell_text, unknown
from interlock.analyse.shell.readers.windows import SLASHED
from interlock.patterns import late

_CAP = frozenset({"cap"})
MAX_LOOP = 8
MAX_ENDED = 2_000  # a longer text is parsed once, not once for each way to end it
#: What may be missing at the end of a text that was cut off.
_ENDS = ('"', "'", "}", ")", '\n"@', "\n'@")
#: What another shell took for variables of its own.
_VARIABLES = late(f"{HOLE}([A-Za-z_]\\w*){HOLE}")
_ENDLESS = late(
    r"(?:while\s*\(\s*(?:\$true|1)\s*\)|for\s*\(\s*;\s*;\s*\)|do\b.*while\s*\(\s*(?:\$true|1)\s*\))",
    re.IGNORECASE | re.DOTALL,
)
_PAUSE = late(r"\b(?:Start-Sleep|sleep|Wait-\w+|Read-Host|break|exit|return|Test-\w+)\b", re.IGNORECASE)


class Interpreter(Expressions):
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
                return self._each_statement(node)
            return self.evaluate(node)
        finally:
            state.depth -= 1

    def _each_statement(self, node: Node) -> Any:
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
        for at, child in enumerate(node.named_children):
            if child.type in ("redirections", "redirection"):
                given = redirect(self, read_redirections(self, child), given, node)
            else:
                given = self._stage(child, given, at > 0)
        return given

    def _stage(self, node: Node, given: Any, piped: bool) -> Any:
        if node.type == "command":
            return run_command(self, node, given, piped)
        return self.statements(node)

    def _command(self, node: Node) -> Any:
        return run_command(self, node, None, False)

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

    def _branches(self, node: Node) -> Any:
        """Read every branch; which of them runs is not known, so a variable may hold what any of them sets."""
        state, ways, given = self.state, [], []
        blocks = [child for child in _inside(node) if child.type in ("statement_block", "switch_body")]
        for child in _inside(node):
            if child not in blocks:
                value = self.statements(child)
                if node.type == "switch_statement":
                    state.variables["_"] = value
        before = dict(state.variables)
        for block in blocks:
            state.variables = dict(before)
            given.append(self.statements(block))
            ways.append(state.variables)
        state.merge([*ways, before])
        values = [value for value in given if value is not None]
        return values[0] if len(values) == 1 else Choice(tuple(values[:4])) if values else None

    def _foreach(self, node: Node) -> Any:
        children = [child for child in node.named_children if child.type != "foreach_parameter"]
        body = children[-1]
        name = self.text(children[0])
        items = [one for way in choices(self.statements(children[1])) for one in items_of(way)]
        given: list[Any] = []
        rest = len(items) > MAX_LOOP
        site = self.state.at(node)
        for item in items[:MAX_LOOP] or [unknown(name.strip("$"))]:
            self.state.set(name, item, site)
            given += items_of(self.statements(body))
        if rest:
            self.state.set(name, self.state.result(name.strip("$"), self.state.marks(items)), site)
            self.statements(body)
        return given[:MAX_ITEMS] or None

    def _loop(self, node: Node) -> Any:
        """Read a loop on a condition once, with what it changes unknown from the start: it may be any turn of it."""
        state, first = self.state, len(self.state.reading.effects)
        body = node.named_children[0] if node.type == "do_statement" else node.named_children[-1]
        for child in node.named_children:
            if child is not body and child.type in ("for_initializer", "while_condition", "for_condition"):
                self._each_statement(child)
        before = dict(state.variables)
        marks = state.marks(*before.values())
        grown = _grown_names(self, node)
        for name in grown:
            state.variables[name] = state.result(name, state.marks(before.get(name)) | marks & {"download", "decoded"})
        given = self.statements(body)
        for child in node.named_children:
            if child.type == "for_iterator":
                self._each_statement(child)
        for name in grown:
            held = state.variables.get(name)
            state.variables[name] = state.result(name, state.marks(held) | {"decoded"})
        self._endless(node, first)
        return given

    def _endless(self, node: Node, first: int) -> None:
        text, reading = self.text(node), self.state.reading
        if not _ENDLESS.match(text) or _PAUSE.search(text):
            return
        started = {effect.kind.partition(".")[0] for effect in reading.effects[first:]}
        if "start-process" in text.lower() or "start-job" in text.lower() or "start " in text.lower():
            reading.emit("machine.exhaust", self.state.at(node), "endless loop")
        elif started & {"code", "net", "process"}:
            reading.emit("process.spawn", self.state.at(node), "endless loop", frozenset({"endless"}))

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
        function = Function(name, self.state.source, node)
        self.state.functions[name] = function
        self.state.uncalled[name] = function

    def _class(self, node: Node) -> None:
        """Read the methods of a class as they stand."""
        for child in _inside(node):
            if child.type == "script_block":
                self.statements(child)

    def _parameters(self, node: Node) -> None:
        """Set the parameters of the text itself: to what stands there, or to nothing known."""
        for name, default, _ in parameters_of(self, node):
            if name not in self.state.variables:
                self.state.variables[name] = default if default is not None else unknown(name)

    def run_block(self, block: Block, arguments: list[Any], item: Any = None, given: Flow | None = None) -> Any:
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

    def call_function(self, function: Function, arguments: list[Any], item: Any, node: Node) -> Any:
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
            bodies = [child for child in function.node.named_children if child.type in ("script_block", "ERROR")]
            value: Any = None
            for body in bodies:
                value = self.statements(body)
            return value
        finally:
            state.source, state.calling, state.arguments = outer, state.calling[:-1], kept
            state.variables = {**variables, **state.shared}

    # what is run

    def run_code(self, name: str, text: Any, node: Node) -> Any:
        """Read a text that is run as PowerShell: as code if it is known, else as what is known about it."""
        if isinstance(text, Block):
            return self.run_block(text, [])
        if isinstance(text, Instance) and text.type == "scriptblock":
            text = text.arguments[0]
        value: Any = None
        for way in choices(text):
            value = self._run_text(name, way, node)
        return value

    def _run_text(self, name: str, value: Any, node: Node) -> Any:
        state, site = self.state, self.state.at(node)
        text = "\n".join(texts_of(value)) if isinstance(value, list) else text_of(value)
        marks = state.marks(text)
        state.reading.emit("code.eval", site)
        plain = "".join(text.split(HOLE)[::2]).strip()
        if "download" in marks and (not plain or HOLE in text):
            state.reading.emit(
                "code.remote", site.behind(name.lower()), state.origin(text) or text.replace(HOLE, "") or None
            )
            state.reading.opaque.append("code that is downloaded")
            state.shells = state.shells or "socket" in marks
            return state.result(name)
        if HOLE in text and not plain:
            state.shells = state.shells or "input" in marks
            flags = marks & {"decoded", "input"} or frozenset({"computed"})
            state.reading.unread(f"powershell code that `{name}` computes", site, flags=flags)
            return state.result(name)
        return self._run_inner(text, site, name)

    def _run_inner(self, text: str, site: Site, name: str) -> Any:
        """Read a text in this same session."""
        state, reading = self.state, self.state.reading
        if reading.depth >= reading.MAX_DEPTH or too_large(text):
            reading.unread("powershell code nested too deep or too long", site, flags=_CAP)
            return state.result(name)
        outer, via = state.source, state.site
        reading.depth += 1
        reading.spend(len(text) // 16 + 1)
        state.site = site._replace(base=-1, via=(*site.via, name.lower()))
        try:
            return interpret(self, text, state.site)
        finally:
            state.source, state.site = outer, via
            reading.depth -= 1

    def run_words(self, name: str, words: list[str], node: Node, given: Flow | None = None) -> Any:
        """Run a program with its words; return what it prints."""
        state = self.state
        program = name.rpartition("/")[2].lower().removesuffix(".exe")
        own = program in SLASHED or program in ("powershell", "pwsh")  # these are given paths as they stand
        plain = words if own else [unix_path(word) if is_path(word) else word for word in words]
        text = shell_text([name, *plain])
        if opens_shell(" ".join([name, *words])):
            state.shells = True
        flow = state.reading.nest("shell", text, state.at(node), given or state.stdin)
        if flow.text is not None:
            return flow.text.rstrip("\n")
        return state.result(f"{name} {' '.join(words)}".replace(HOLE, "")[:40], flow.marks, flow.url)

    def run_line(self, name: str, line: str, node: Node) -> Any:
        """Run a command line as Windows starts it."""
        state = self.state
        if not line.strip():
            return None
        if is_hole(line):
            marks = state.marks(line)
            if "download" in marks:
                state.reading.emit("code.remote", state.at(node), state.origin(line) or None)
            state.reading.unread(f"a command that `{name}` starts", state.at(node), flags=marks & {"decoded"})
            return state.result(name)
        if opens_shell(line):
            state.shells = True
        flow = state.reading.nest("batch", line, state.at(node).behind(name), state.stdin)
        return flow.text if flow.text is not None else state.result(name, flow.marks, flow.url)


def _inside(node: Node) -> list[Node]:
    """Return the parts of a statement, past the nodes that only group them."""
    found: list[Node] = []
    left = list(reversed(node.named_children))
    while left and len(found) < MAX_ITEMS:
        child = left.pop()
        if child.type in _GROUPING:
            left += reversed(child.named_children)
        else:
            found.append(child)
    return found


_GROUPING = frozenset(
    "elseif_clauses elseif_clause else_clause switch_body switch_clauses switch_clause switch_clause_condition "
    "switch_condition switch_parameters catch_clauses catch_clause finally_clause class_method_definition "
    "class_property_definition catch_type_list ERROR".split()
)


def _grown_names(reader: Interpreter, node: Node) -> list[str]:
    """Return the names of variables that a loop builds up from turn to turn."""
    found: dict[str, None] = {}
    left = [node]
    while left:
        one = left.pop()
        if one.type == "assignment_expression" and one.named_child_count:
            target = reader.text(one.named_children[0]).strip()
            operator = [
                reader.text(child).strip() for child in one.named_children if child.type == "assignement_operator"
            ]
            value = reader.text(one.named_children[-1])
            if target.startswith("$") and (operator != ["="] or target.lower() in value.lower()):
                found[target.lstrip("$").lower().rpartition(":")[2]] = None
        elif one.type.endswith(("increment_expression", "decrement_expression")):
            found[reader.text(one).strip("$+-").lower()] = None
        left += one.named_children
    return [name for name in found if name.isidentifier()][:32]


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
    "if_statement": Interpreter._branches,
    "switch_statement": Interpreter._branches,
    "foreach_statement": Interpreter._foreach,
    "for_statement": Interpreter._loop,
    "while_statement": Interpreter._loop,
    "do_statement": Interpreter._loop,
    "flow_control_statement": Interpreter._flow,
    "function_statement": Interpreter._function,
    "class_statement": Interpreter._class,
    "param_block": Interpreter._parameters,
    **dict.fromkeys(("comment", "empty_statement", "enum_statement", "attribute_list", "block_name", "label"), _skip),
    **dict.fromkeys(("catch_type_list", "switch_parameters", "foreach_parameter", "data_name"), _skip),
}


def interpret(reader: Interpreter, text: str, site: Site) -> Any:
    """Walk a text in a session; what the grammar does not take is read in pieces, and said."""
    state = reader.state
    state.reading.spend(effort(text))
    state.source = source = _ended(text, site, state)
    value = reader.statements(source.root)
    if source.broken:
        state.reading.unread("powershell text that does not parse", site)
        for piece in pieces(source.text):
            state.source = source.inner(source.fill(piece))
            if not state.source.broken:
                reader.statements(state.source.root)
        state.source = source
    return value


def _ended(text: str, site: Site, state: State) -> Source:
    """Return the source of a text; one that was cut off is ended."""
    source = Source(text, site)
    if not source.broken or len(text) > MAX_ENDED:
        return source
    for end in _ENDS:
        if text.count(end.strip()[0]) % 2 == 0 and end.strip() in "\"'":
            continue
        state.reading.spend(len(text) // 8)
        again = Source(text + end, site)
        if not again.broken:
            state.reading.opaque.append("powershell text that does not end")
            return again
    return source


def read_powershell(reading: Reading, text: str, site: Site, stdin: Flow) -> Flow:
    """Read a PowerShell text and put its effects into `reading`."""
    text = _VARIABLES.sub(lambda found: f"${found[1]}" if found[1] not in reading.taints else found[0], text)
    why = too_large(text)
    if why:
        reading.unread(f"powershell text {why}", site, flags=_CAP)
        head = text[:2_000]
        text = head[: head.rfind("\n") + 1] or head
    reading.spend(len(text) // 32)
    state = State(reading, Source("", site), site._replace(base=-1), stdin)
    reader = Interpreter(state)
    first = len(reading.effects)
    value: Any = None
    try:
        value = interpret(reader, text, site)
        _read_uncalled(reader)
    except (TooDeep, RecursionError):
        reading.unread("powershell text nested too deep", site, flags=_CAP)
    ran = any(effect.kind in ("code.eval", "code.opaque") for effect in reading.effects[first:])
    if state.shells or ran:
        for host in state.sockets[:4]:
            reading.url("net.connect", state.site, host, frozenset({"shell", "socket"}))
    printed = lines_of(value)
    return Flow(printed + "\n" if printed else None, state.marks(value), state.origin(value))


def _read_uncalled(reader: Interpreter) -> None:
    """Read functions that are defined and not called: whoever has defined them may call them later."""
    while reader.state.uncalled:
        name = next(iter(reader.state.uncalled))
        function = reader.state.uncalled.pop(name)
        reader.call_function(function, [], None, function.node)

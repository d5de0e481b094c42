"""The walk through the syntax tree of a shell text, and recovery where it does not parse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from interlock.analyse.files.paths import hole
from interlock.analyse.flow import NOTHING, UNKNOWN, Flow
from interlock.analyse.reading import Reading, Site, TooMuch
from interlock.analyse.repetition import starts_itself_twice
from interlock.analyse.shell.alternatives import StatementHandler, find_unmentioned_alternatives, walk_alternatives
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.command import run
from interlock.analyse.shell.control_flow import CONTROL_FLOW, MAX_NESTING, walk_statements
from interlock.analyse.shell.expansion.assignment import assign, set_variable
from interlock.analyse.shell.expansion.words import expand
from interlock.analyse.shell.parsing.grammar import MAX_CHARS, MAX_PIPES, STEP, ShellSource, parse_cost, size_problem
from interlock.analyse.shell.scope import Shell, ShellScope
from interlock.analyse.shell.simple_command import walk_command, walk_pipeline, walk_redirected
from interlock.analyse.shell.states import walk_possible
from interlock.lazy import LazyModule
from interlock.model import ShellState
from interlock.patterns import late

if TYPE_CHECKING:
    from interlock.analyse.shell import kept_state
    from interlock.analyse.shell.expansion import substitution
else:
    substitution = LazyModule("interlock.analyse.shell.expansion.substitution")
    kept_state = LazyModule("interlock.analyse.shell.kept_state")

_ENVIRONMENT = Flow(None, frozenset({"environment", "variable"}))
_PRINTING = frozenset({"-p", "-x", "-px", "-xp"})
_CAP = frozenset({"cap"})
_ENDLESS = frozenset({"endless"})
# `time` before a group of commands, which the grammar takes for a program and its arguments.
_TIMED = late(r"(?:(?<=[\n;&|({])|^)[ \t]*time(?:[ \t]+-p)?(?=[ \t]+[{(])")


def analyse_shell(reading: Reading, text: str, site: Site, stdin: Flow = NOTHING) -> Flow:
    """Analyse a shell text, add its effects to `reading`, and return what it prints."""
    source = ShellSource(text, site.base, None if site.base >= 0 else site.span)
    if "$0" in text and starts_itself_twice(text):
        reading.emit("machine.exhaust", site, "$0")
    scope = ShellScope(reading, source, site, SHELL)
    nested = reading.depth or site.via
    printed = interpret(scope, stdin, site) if nested else _interpret_kept(scope, stdin, site)
    if printed.marks and "endless" in printed.marks and "endless" not in stdin.marks and "/dev/" in text:
        reading.emit("process.spawn", site, "output without an end", _ENDLESS)
        return printed.replace(marks=printed.marks - _ENDLESS)
    return printed


def _interpret_kept(scope: ShellScope, stdin: Flow, site: Site) -> Flow:
    """Walk the text of a call itself: earlier calls of the run may have left something behind, as this one may."""
    reading = scope.reading
    earlier = reading.shell or NO_SHELL
    if earlier is not NO_SHELL and earlier != NO_SHELL:
        kept_state.restore_shell(scope, earlier)
        printed = interpret(scope, stdin, site)
    else:
        printed = interpret(scope, stdin, site)
        if not (scope.variables or scope.cwd or scope.functions or scope.aliases or reading.remotes):
            return printed
    reading.shell_after = kept_state.capture_shell(scope, earlier)
    return printed


NO_SHELL = ShellState()


def interpret(scope: ShellScope, stdin: Flow, site: Site) -> Flow:
    """Parse and walk the source of a scope. A text that is too large is reported and read in part."""
    source, reading = scope.source, scope.reading
    length = len(source.text)
    if length <= MAX_PIPES:  # so that nothing in it can be too much for the grammar
        if length >= STEP:
            reading.spend(length // STEP)
    elif why := size_problem(source.text):
        reading.unread(f"shell text {why}", site, flags=_CAP)
        head = source.text[: MAX_CHARS // 32]
        source = scope.source = ShellSource(head[: head.rfind("\n") + 1 or len(head)], 0, site.span)
    else:
        reading.spend(parse_cost(source.text))
    if "time" in source.text:
        scope.source = source.replace(_TIMED.sub(lambda found: " " * len(found[0]), source.text))
    root = scope.source.parse()
    parts: list[str] = []
    if root.has_error:
        root, parts = _repair(root, scope, site)
    try:
        printed = walk(root, scope, stdin)
        if parts:
            from interlock.analyse.shell.parsing.error_recovery import read_fragments

            read_fragments(parts, scope, site)
        return printed
    except RecursionError:
        reading.unread("shell text nested too deep", site, flags=_CAP)
        return UNKNOWN


def _repair(root: Node, scope: ShellScope, site: Site) -> tuple[Node, list[str]]:
    """Return the tree of a rejected text, spelled in another way or repaired, and the fragments to read besides it."""
    from interlock.analyse.shell.parsing.command_splitter import split_commands
    from interlock.analyse.shell.parsing.error_recovery import reparse, respell

    parts: list[str] = []
    respelled = respell(scope.source)
    if respelled.text != scope.source.text:
        scope.source = respelled
        root = respelled.parse()
    if root.has_error:
        parts = split_commands(scope.source.text)
        root = reparse(scope, site) or root
    if root.has_error:
        scope.reading.unread("shell text that does not parse", site)
    return root, parts if len(parts) > 1 else []


def evaluate(text: str, scope: ShellScope, stdin: Flow, site: Site) -> Flow:
    """Parse and walk a text in an existing scope, as for `eval`, an alias or a trap."""
    reading, outer = scope.reading, scope.source
    if scope.depth >= MAX_NESTING:
        reading.unread("shell text nested too deep", site, flags=_CAP)
        return UNKNOWN
    scope.source = ShellSource(text, site.base, None if site.base >= 0 else site.span)
    scope.depth += 1
    try:
        return interpret(scope, stdin, site)
    finally:
        scope.source, scope.depth = outer, scope.depth - 1


def walk(node: Node, scope: ShellScope, stdin: Flow) -> Flow:
    """Walk one node of the tree; return what it prints."""
    reading = scope.reading
    left = reading.steps_left = reading.steps_left - 1
    if left < 0:
        raise TooMuch
    handler = (_WITH_ALTERNATIVES if scope.alternatives else HANDLERS).get(node.type)
    return walk_statements(node.named_children, scope, stdin) if handler is None else handler(node, scope, stdin)


def _assign(node: Node, scope: ShellScope, stdin: Flow) -> Flow:
    """Carry out an assignment with the values in force; it is walked again for each alternative that it mentions."""
    saved = scope.alternatives
    if not saved:
        return assign(node, scope, stdin)
    scope.alternatives = find_unmentioned_alternatives(scope, node)
    assign(node, scope, stdin)
    if len(scope.alternatives) == len(saved):
        return NOTHING
    target = scope.resolve_name(scope.source.of(node).partition("=")[0].rstrip("+"))
    for name, values in saved.items():
        if name not in scope.alternatives and name != target:
            scope.alternatives[name] = values
    return NOTHING


_walk_assignment = walk_alternatives(_assign)


def _walk_declaration(node: Node, scope: ShellScope, stdin: Flow) -> Flow:
    """Walk `declare`, `local` and `export`: assignments, references and associative arrays."""
    options = {scope.source.of(child) for child in node.named_children if child.type == "word"}
    if _PRINTING.issuperset(options) and len(options) == node.named_child_count:  # `export -p`, `declare -x`
        scope.reading.emit("env.read", scope.site(scope.source.span(node)))
        return _ENVIRONMENT
    if "-p" in options:  # `declare -p NAME` prints the value
        names = [hole(scope.source.of(child)) for child in node.named_children if child.type == "variable_name"]
        return Flow(" ".join(names))
    exports = _EXPORTING.match(scope.source.of(node)) is not None
    for child in node.named_children:
        if child.type in ("variable_assignment", "variable_name") and "-A" in options:
            scope.keyed.setdefault(scope.source.of(child).partition("=")[0], {})
        if child.type == "variable_assignment" and "-n" in options:
            name, _, target = scope.source.of(child).partition("=")
            scope.references[name] = target.strip("\"'")
        elif child.type == "variable_assignment":
            _walk_assignment(child, scope, stdin)
        elif child.type not in ("word", "variable_name"):
            for word in expand(child, scope):
                name, equals, text = word.partition("=")
                if equals and name.isidentifier():
                    set_variable(scope, name, text, child)
        if exports and child.type not in ("word", "comment"):
            name = scope.source.of(child).partition("=")[0].strip("\"'").rstrip("+")
            scope.reading.export(name, scope.value(name), scope.site(scope.source.span(node)))
    return NOTHING


#: Declarations of variables that programs get.
_EXPORTING = late(r"export\b(?! +-[a-zA-Z]*[np])|(?:declare|typeset)\b(?: +\S+)*? +-[a-zA-Z]*x")


def _walk_error(node: Node, scope: ShellScope, stdin: Flow) -> Flow:
    """Walk a node that does not parse: its statements, and the words between them as one command."""
    words: list[str] = []
    nodes: list[Node | None] = []
    for child in node.named_children:
        if child.type in HANDLERS:
            walk_possible(child, scope, stdin)
            continue
        if child.type == "command_name":
            child = child.named_children[0] if child.named_children else child
        expanded = expand(child, scope)
        words += expanded
        nodes += [child] * len(expanded)
    if words:
        return run(ShellCall(words, nodes, scope, stdin, scope.source.span(node)))
    return UNKNOWN


def _skip(_node: Node, _scope: ShellScope, _stdin: Flow) -> Flow:
    return NOTHING


def _substitute(node: Node, scope: ShellScope) -> Flow:
    """Walk a substitution; many a hook decides on a command without one."""
    return substitution.substitute(node, scope)


SHELL = Shell(walk, run, evaluate, _substitute)

HANDLERS: dict[str, StatementHandler] = {
    **CONTROL_FLOW,
    "command": walk_command,
    "variable_assignment": assign,
    "redirected_statement": walk_redirected,
    "pipeline": walk_pipeline,
    "declaration_command": _walk_declaration,
    "comment": _skip,
    "heredoc_body": _skip,
    "ERROR": _walk_error,
}
#: Handlers while variables have alternatives.
_WITH_ALTERNATIVES: dict[str, StatementHandler] = {
    **HANDLERS,
    "command": walk_alternatives(walk_command),
    "variable_assignment": _walk_assignment,
    "redirected_statement": walk_alternatives(walk_redirected),
}

"""The walk through a shell text: commands, assignments, redirections, substitutions; what does not parse."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tree_sitter import Node

from interlock.analyse.reading import NOTHING, UNKNOWN, Flow, Reading, Site, TooMuch
from interlock.analyse.shell.assignment import assign, set_variable
from interlock.analyse.shell.call import Call
from interlock.analyse.shell.command import run
from interlock.analyse.shell.control_flow import CONTROL_FLOW, MAX_NESTING, parts_of, walk_children
from interlock.analyse.shell.error_recovery import split_commands
from interlock.analyse.shell.grammar import MAX_CHARS, Source, parse_cost, too_large
from interlock.analyse.shell.redirection import REDIRECTS, Redirects
from interlock.analyse.shell.scope import CWD, Scope, Shell
from interlock.analyse.shell.words import expand, expand_braces
from interlock.patterns import late

_CAP = frozenset({"cap"})

Handler = Callable[[Node, Scope, Flow], Flow]


def analyse_shell(reading: Reading, text: str, site: Site, stdin: Flow = NOTHING) -> Flow:
    """Read a shell text and put its effects into `reading`."""
    source = Source(text, site.base, None if site.base >= 0 else site.span)
    return interpret(Scope(reading, source, site, SHELL), stdin, site)


def interpret(scope: Scope, stdin: Flow, site: Site) -> Flow:
    """Walk the text of a scope's source; what is too large is read in part, and said so."""
    source, reading = scope.source, scope.reading
    why = too_large(source.text)
    if not why:
        reading.spend(parse_cost(source.text))
    else:
        reading.unread(f"shell text {why}", site, flags=_CAP)
        head = source.text[: MAX_CHARS // 32]
        scope.source = Source(head[: head.rfind("\n") + 1 or len(head)], 0, site.span)
    root = scope.source.parse()
    parts = split_commands(scope.source.text) if root.has_error else []
    if root.has_error:
        root = _reparsed(scope, site) or root
    if root.has_error:
        reading.unread("shell text that does not parse", site)
    try:
        printed = walk(root, scope, stdin)
        if len(parts) > 1:
            _by_pieces(parts, scope, site)
        return printed
    except RecursionError:
        reading.unread("shell text nested too deep", site, flags=_CAP)
        return UNKNOWN


def _by_pieces(parts: list[str], scope: Scope, site: Site) -> None:
    """Read each command of a text that does not parse by itself: where the grammar gives up, a shell goes on."""
    inner = scope.copy()
    for part in parts:
        inner.reading.spend(len(part) // 16 + 1)
        if _UNREADABLE.search(part):
            continue
        inner.source = Source(part, -1, site.span)
        root = inner.source.parse()
        if not root.has_error:
            walk(root, inner, UNKNOWN)


# A hole where a word or a text begins, which the grammar never takes.
_UNREADABLE = late(r"""(?:^|[\s"'=(])\0""")

MAX_ENDED = 2_000  # a longer text is parsed once, not once for each way to end it
# What may be missing at the end of a text that was cut off, and what such a text must have in it.
_ENDS = {'"': '"\\', "'": "'\\", "`": "`\\", "; done": "", "; fi": "", "; }": "", "\n)": "("}

_BRACED_COMMAND = late(r"(?:^|(?<=[;&|(\s]))\{[^\s{};]++\}")


# A here-string, which the grammar takes from a plain command only.
_HERE_STRING = late(r"""<<<\s*('[^']*'|"(?:[^"\\]|\\.)*"|\$'(?:[^'\\]|\\.)*'|[^\s;&|<>()]+)""")
_TWO_BRACKETS = (re.compile(r"(?<!\$)\((?=\()"), re.compile(r"\((?=\()"))


def _reparsed(scope: Scope, site: Site) -> Node | None:
    """Return the tree of a text that the grammar does not take.

    A shell takes `{rm,-rf,x}`, `((subshells))` and `{ sh; } <<< x`, and waits for the end of what was left open.
    """
    text = scope.source.text
    if _UNREADABLE.search(text):
        return None
    spelled = _BRACED_COMMAND.sub(lambda found: " ".join(expand_braces(found.group(0))), text)
    brackets = (bracket.sub("( ", spelled) for bracket in _TWO_BRACKETS)
    strings = _HERE_STRING.sub(r"< <(printf '%s\\n' \1)", text)
    ended = {text + end for end, signs in _ENDS.items() if not signs or any(sign in text for sign in signs)}
    if len(text) >= MAX_ENDED:
        ended = set()
    for candidate in dict.fromkeys([spelled, strings, *brackets, *sorted(ended)]):
        again = Source(candidate, -1, site.span)
        root = again.parse() if candidate != text else None
        if root is not None and not root.has_error:
            if candidate in ended:
                scope.reading.opaque.append("shell text that does not end")
            scope.source = again
            return root
    return None


def evaluate(text: str, scope: Scope, stdin: Flow, site: Site) -> Flow:
    """Walk a text in an existing scope: `eval`, an alias, a trap."""
    reading, outer = scope.reading, scope.source
    if scope.depth >= MAX_NESTING:
        reading.unread("shell text nested too deep", site, flags=_CAP)
        return UNKNOWN
    scope.source = Source(text, site.base, None if site.base >= 0 else site.span)
    scope.depth += 1
    try:
        return interpret(scope, stdin, site)
    finally:
        scope.source, scope.depth = outer, scope.depth - 1


def walk(node: Node, scope: Scope, stdin: Flow) -> Flow:
    """Walk one node; return what it would print."""
    scope.reading.spend()
    handler = HANDLERS.get(node.type)
    if handler is not None:
        return handler(node, scope, stdin)
    return walk_children(node, scope, stdin)


def _command(node: Node, scope: Scope, stdin: Flow, more: Sequence[Node] = ()) -> Flow:
    """Walk one command; `more` are words of it that stand behind a redirection."""
    doubts = scope.alternatives
    if doubts:  # what is substituted is read with their other values when the whole command is
        scope.alternatives = _unmentioned(scope, node)
    words: list[str] = []
    nodes: list[Node | None] = []
    assigned: list[Node] = []
    redirects: Redirects | None = None
    for child in (*node.named_children, *more):
        kind = child.type
        if kind == "variable_assignment":
            assigned.append(child)
            continue
        if kind in REDIRECTS:
            redirects = redirects or Redirects(scope, scope.source.span(node))
            stdin = redirects.take(child, stdin)
            continue
        if kind == "command_name":
            child = child.named_child(0) or child
        elif kind == "subshell":  # `f(x)`: the grammar lets it pass, no shell does
            scope.reading.unread("shell text that does not parse", scope.site(scope.source.span(node)))
            walk(child, scope, stdin)
            continue
        expanded = expand(child, scope)
        words += expanded
        nodes += [child] * len(expanded)
    for child in redirects.words if redirects else ():
        expanded = expand(child, scope)
        words += expanded
        nodes += [child] * len(expanded)
    scope.alternatives = doubts
    call = Call(words, nodes, scope, stdin, scope.source.span(node))
    printed = _with_assignments(call, assigned) if assigned else run(call)
    if scope.reading.sinks:
        _written_into(call, printed)
    return redirects.finish(printed) if redirects else printed


def _written_into(call: Call, printed: Flow) -> None:
    """Run the commands of `>(…)` among a command's words on what it writes there: what came in, if nobody can tell."""
    reading = call.scope.reading
    for word in call.words:
        if word in reading.sinks:
            known = reading.files.get(word)
            reading.sinks.pop(word)(known or (call.stdin if printed is NOTHING else printed))


def _with_assignments(call: Call, assigned: list[Node]) -> Flow:
    """Run a command with variables that are set for it alone."""
    scope = call.scope
    before = dict(scope.variables)
    for node in assigned:
        assign(node, scope, NOTHING)
    if not call.words:
        return NOTHING
    names = [name for name, value in scope.variables.items() if before.get(name) is not value]
    try:
        return run(call)
    finally:
        for name in names:  # what the command itself has set stays
            if name in before:
                scope.variables[name] = before[name]
            else:
                scope.variables.pop(name, None)


def _redirected(node: Node, scope: Scope, stdin: Flow) -> Flow:
    """Walk a statement with redirections.

    The grammar hangs those of `a && b > x` and `a | b < x` on the whole; they are the last command's.
    """
    redirects = Redirects(scope, scope.source.span(node))
    given, bodies = stdin, []
    for child in node.named_children:
        if child.type in REDIRECTS:
            stdin = redirects.take(child, stdin)
        else:
            bodies.append(child)
    if not bodies:
        return redirects.finish(NOTHING)
    *before_last, last = parts_of(bodies[0])
    for part in before_last:
        walk(part, scope, given)
    before = scope.copy() if before_last else None
    if last.type == "pipeline":
        *piped, last = [child for child in last.named_children if child.type != "comment"]
        flow = given
        for part in piped:
            flow = walk(part, _settled_copy(scope, node), flow)
        stdin = flow if stdin is given else stdin
        printed = _last(last, _settled_copy(scope, node), stdin, redirects.words)
    elif last.type == "subshell":
        printed = walk_children(last, _settled_copy(scope, node), stdin)
    else:
        printed = _last(last, scope, stdin, redirects.words)
    left = redirects.finish(printed)
    if before is not None:
        scope.record_alternatives(before)
    return left


def _settled_copy(scope: Scope, node: Node) -> Scope:
    """Return a copy for a part of a statement that is read as a whole with each value of a doubtful variable."""
    twin = scope.copy()
    if twin.alternatives:
        twin.alternatives = _unmentioned(scope, node)
    return twin


def _last(node: Node, scope: Scope, stdin: Flow, more: list[Node]) -> Flow:
    """Walk the command that redirections belong to, with the words that stand behind them."""
    if node.type == "command":  # the whole statement is read with each value of a doubtful variable already
        return _command(node, scope, stdin, more)
    return walk(node, scope, stdin)


def _assigned_each_way(node: Node, scope: Scope, stdin: Flow) -> Flow:
    """Walk an assignment; a value made of a doubtful one is doubtful itself."""
    text = scope.source.of(node)
    others = []
    for name, values in scope.alternatives.items():
        if _mentions(text, name):
            for other in values[:MAX_WAYS]:
                twin = scope.copy()
                twin.alternatives = {}
                twin.variables[name] = other
                assign(node, twin, stdin)
                others.append(twin.variables)
    doubts = scope.alternatives
    scope.alternatives = {name: values for name, values in doubts.items() if not _mentions(text, name)}
    assign(node, scope, stdin)
    scope.alternatives = doubts
    target = text.partition("=")[0].rstrip("+")
    for variables in others:
        if variables.get(target, "") != scope.variables.get(target, ""):
            scope.add_alternative(target, variables[target])
    return NOTHING


def _mentions(text: str, name: str) -> bool:
    """Whether a text may use a variable; `${!other}` may use any."""
    return f"${name}" in text or ("${" in text and (name in text or "${!" in text))


def _unmentioned(scope: Scope, node: Node) -> dict[str, list[str | list[str]]]:
    """Return the doubtful variables whose other values a statement is not read with."""
    text = scope.source.of(node)
    return {name: values for name, values in scope.alternatives.items() if name != CWD and not _mentions(text, name)}


def _each_way(handler: Handler) -> Handler:
    """Make a handler read a command with every value that a doubtful variable, or the folder, could have."""

    def read(node: Node, scope: Scope, stdin: Flow) -> Flow:
        if not scope.alternatives:
            return handler(node, scope, stdin)
        text = scope.source.of(node)
        before = [
            (name, other)
            for name, others in scope.alternatives.items()
            if name == CWD or _mentions(text, name)
            for other in others[:MAX_WAYS]
        ]
        printed = handler(node, scope, stdin)
        for name, other in before:
            _another_way(handler, node, scope, stdin, name, other)
        return printed

    return read


MAX_WAYS = 3


def _another_way(handler: Handler, node: Node, scope: Scope, stdin: Flow, name: str, other: str | list[str]) -> None:
    twin = scope.copy()
    twin.alternatives = {}
    if name == CWD:
        twin.cwd = str(other) or None
    else:
        twin.variables[name] = other
    handler(node, twin, stdin)


def _declaration(node: Node, scope: Scope, stdin: Flow) -> Flow:
    options = {scope.source.of(child) for child in node.named_children if child.type == "word"}
    for child in node.named_children:
        if child.type in ("variable_assignment", "variable_name") and "-A" in options:
            scope.keyed.setdefault(scope.source.of(child).partition("=")[0], {})
        if child.type == "variable_assignment" and "-n" in options:
            name, _, target = scope.source.of(child).partition("=")
            scope.references[name] = target.strip("\"'")
        elif child.type == "variable_assignment":
            assign(child, scope, stdin)
        elif child.type not in ("word", "variable_name"):
            for word in expand(child, scope):
                name, equals, text = word.partition("=")
                if equals and name.isidentifier():
                    set_variable(scope, name, text, child)
    return NOTHING


def _error(node: Node, scope: Scope, stdin: Flow) -> Flow:
    """Read what is left of a text that does not parse: its statements, and its loose words as one command."""
    words: list[str] = []
    nodes: list[Node | None] = []
    for child in node.named_children:
        if child.type in HANDLERS:
            walk(child, scope, stdin)
            continue
        if child.type == "command_name":
            child = child.named_children[0] if child.named_children else child
        expanded = expand(child, scope)
        words += expanded
        nodes += [child] * len(expanded)
    if words:
        return run(Call(words, nodes, scope, stdin, scope.source.span(node)))
    return UNKNOWN


def _nothing(_node: Node, _scope: Scope, _stdin: Flow) -> Flow:
    return NOTHING


def _substitute(node: Node, scope: Scope) -> Flow:
    """Run a command substitution in a subshell; a process substitution becomes a file that holds its output."""
    if scope.depth >= MAX_NESTING:
        raise TooMuch
    inner = scope.copy()
    inner.depth += 1
    flow = NOTHING
    text = scope.source.of(node)
    if text[:1] == ">":
        return _sink(node, inner)
    if text[:1] == "`" and "\\`" in text:  # back ticks inside back ticks are escaped
        return evaluate(text[1:-1].replace("\\`", "`"), inner, NOTHING, scope.site(scope.source.span(node)))
    for child in node.named_children:
        if child.type in REDIRECTS:  # `$(< file)`, `$(> file)`
            redirects = Redirects(inner, scope.source.span(node))
            flow = redirects.take(child, NOTHING)
            redirects.finish(NOTHING)
        else:
            flow = flow.then(walk(child, inner, NOTHING))
    if node.type == "process_substitution":
        name = f"/dev/fd/{len(scope.reading.files) + 63}"
        scope.reading.files[name] = flow
        return Flow(name, flow.marks)
    return flow


def _sink(node: Node, inner: Scope) -> Flow:
    """Note a command that reads what is written to a file of its own: it runs when that is known."""

    def written(flow: Flow) -> None:
        for child in node.named_children:
            walk(child, inner, flow)

    name = f"/dev/fd/{len(inner.reading.sinks) + 31}"
    inner.reading.sinks[name] = written
    return Flow(name)


SHELL = Shell(walk, run, evaluate, _substitute)

HANDLERS: dict[str, Handler] = {
    **CONTROL_FLOW,
    "command": _each_way(_command),
    "variable_assignment": _assigned_each_way,
    "redirected_statement": _each_way(_redirected),
    "declaration_command": _declaration,
    "comment": _nothing,
    "heredoc_body": _nothing,
    "ERROR": _error,
}

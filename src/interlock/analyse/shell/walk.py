"""The walk through a shell text: statements, pipelines, redirections, control structures.

Both branches of a condition are walked, and a loop over constants once for each: the question is what the
text could do, not what it would.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from interlock.analyse.paths import hole
from interlock.analyse.reading import NOTHING, UNKNOWN, Flow, Reading, Site, TooMuch
from interlock.analyse.shell.call import Call, Shell
from interlock.analyse.shell.command import run
from interlock.analyse.shell.grammar import MAX_CHARS, Source, effort, too_large
from interlock.analyse.shell.redirect import REDIRECTS, Redirects
from interlock.analyse.shell.scope import Function, Scope
from interlock.analyse.shell.words import MAX_EXPANSIONS, Words, bounded, braces

MAX_NESTING = 40
MAX_LOOP = 32
_CAP = frozenset({"cap"})


def analyse_shell(reading: Reading, text: str, site: Site, stdin: Flow = NOTHING) -> Flow:
    """Read a shell text and put its effects into `reading`."""
    source = Source(text, site.base, None if site.base >= 0 else site.span)
    return interpret(Scope(reading, source, site), stdin, site)


def interpret(scope: Scope, stdin: Flow, site: Site) -> Flow:
    """Walk the text of a scope's source; what is too large is read in part, and said so."""
    source, reading = scope.source, scope.reading
    why = too_large(source.text)
    if not why:
        reading.spend(effort(source.text))
    else:
        reading.unread(f"shell text {why}", site, flags=_CAP)
        head = source.text[: MAX_CHARS // 32]
        scope.source = Source(head[: head.rfind("\n") + 1 or len(head)], 0, site.span)
    root = scope.source.parse()
    if root.has_error:
        root = _reparsed(scope, site) or root
    if root.has_error:
        reading.unread("shell text that does not parse", site)
    try:
        return walk(root, scope, stdin)
    except RecursionError:
        reading.unread("shell text nested too deep", site, flags=_CAP)
        return UNKNOWN


_BRACED_COMMAND = re.compile(r"(?:^|(?<=[;&|(\s]))\{[^\s{};]++\}")


_TWO_BRACKETS = (re.compile(r"(?<!\$)\((?=\()"), re.compile(r"\((?=\()"))


def _reparsed(scope: Scope, site: Site) -> Node | None:
    """Return the tree of a text that a shell takes and the grammar does not: `{rm,-rf,x}` and `((subshells))`."""
    text = scope.source.text
    spelled = _BRACED_COMMAND.sub(lambda found: " ".join(braces(found.group(0))), text)
    for candidate in dict.fromkeys([spelled, *(brackets.sub("( ", spelled) for brackets in _TWO_BRACKETS)]):
        again = Source(candidate, -1, site.span)
        root = again.parse() if candidate != text else None
        if root is not None and not root.has_error:
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
    return _all(node, scope, stdin)


def _all(node: Node, scope: Scope, stdin: Flow) -> Flow:
    if scope.depth >= MAX_NESTING:
        scope.reading.unread("shell text nested too deep", scope.site(scope.source.span(node)), flags=_CAP)
        return UNKNOWN
    scope.depth += 1
    printed = NOTHING
    for child in node.named_children:
        following = child.next_sibling if scope.source.forks else None
        apart = following is not None and following.type == "&"
        printed = _joined(printed, walk(child, scope.copy() if apart else scope, stdin))
    scope.depth -= 1
    return printed


def _joined(first: Flow, second: Flow) -> Flow:
    if first is NOTHING:
        return second
    text = None if first.text is None or second.text is None else first.text + second.text
    return Flow(text, first.marks | second.marks, first.url or second.url)


def _command(node: Node, scope: Scope, stdin: Flow) -> Flow:
    words: list[str] = []
    nodes: list[Node | None] = []
    assigned: list[Node] = []
    redirects: Redirects | None = None
    for child in node.named_children:
        kind = child.type
        if kind == "variable_assignment":
            assigned.append(child)
            continue
        if kind in REDIRECTS:
            redirects = redirects or Redirects(scope, scope.source.span(node), WORDS, walk)
            stdin = redirects.take(child, stdin)
            continue
        if kind == "command_name":
            child = child.named_children[0] if child.named_children else child
        elif kind == "subshell":  # `f(x)`: the grammar lets it pass, no shell does
            scope.reading.unread("shell text that does not parse", scope.site(scope.source.span(node)))
            walk(child, scope, stdin)
            continue
        expanded = WORDS.expand(child, scope)
        words += expanded
        nodes += [child] * len(expanded)
    call = Call(words, nodes, scope, stdin, scope.source.span(node), SHELL)
    printed = _with_assignments(call, assigned) if assigned else run(call)
    return redirects.finish(printed) if redirects else printed


def _with_assignments(call: Call, assigned: list[Node]) -> Flow:
    """Run a command with variables that are set for it alone."""
    scope = call.scope
    before = dict(scope.variables)
    for node in assigned:
        _assignment(node, scope, NOTHING)
    if not call.words:
        return NOTHING
    try:
        return run(call)
    finally:
        scope.variables = before


def _assignment(node: Node, scope: Scope, _stdin: Flow) -> Flow:
    children = node.named_children
    name = scope.source.of(children[0]) if children else ""
    if children and children[0].type == "subscript":
        WORDS.visit(children[0], scope)
    if len(children) < 2:
        scope.variables[name] = ""
        return NOTHING
    if children[1].type == "array":
        items = [word for child in children[1].named_children for word in WORDS.expand(child, scope)]
        scope.variables[name] = items[:MAX_EXPANSIONS]
        scope.reading.spend(len(items))
        return NOTHING
    value = WORDS.value(children[1], scope)
    if scope.source.slice(children[0].end_byte, children[0].end_byte + 2) == "+=":
        value = bounded(scope.value(name) + value, scope)
    scope.variables[name] = value
    return NOTHING


def _pipeline(node: Node, scope: Scope, stdin: Flow) -> Flow:
    flow = stdin
    for child in node.named_children:
        if child.type != "comment":
            flow = walk(child, scope.copy(), flow)  # each part of a pipeline is a shell of its own
    return flow


def _redirected(node: Node, scope: Scope, stdin: Flow) -> Flow:
    redirects = Redirects(scope, scope.source.span(node), WORDS, walk)
    bodies = []
    for child in node.named_children:
        if child.type in REDIRECTS:
            stdin = redirects.take(child, stdin)
        else:
            bodies.append(child)
    printed = NOTHING
    for body in bodies:
        printed = walk(body, scope, stdin)
    return redirects.finish(printed)


def _subshell(node: Node, scope: Scope, stdin: Flow) -> Flow:
    return _all(node, scope.copy(), stdin)


def _for(node: Node, scope: Scope, stdin: Flow) -> Flow:
    name, items, body = "", [], None
    for child in node.named_children:
        if child.type == "variable_name":
            name = scope.source.of(child)
        elif child.type in ("do_group", "compound_statement"):
            body = child
        else:
            items += WORDS.expand(child, scope)
    printed = NOTHING
    for item in items[:MAX_LOOP] or [hole(name)]:
        scope.variables[name] = item
        printed = _joined(printed, walk(body, scope, stdin)) if body else printed
    if len(items) > MAX_LOOP and body:
        scope.variables[name] = hole(name)
        walk(body, scope, stdin)
    return printed


def _case(node: Node, scope: Scope, stdin: Flow) -> Flow:
    before = scope.copy()
    for item in node.named_children:
        if item.type != "case_item":
            WORDS.visit_word(item, scope)
            continue
        for child in item.named_children:
            if child.type in HANDLERS or child.type == "compound_statement":
                walk(child, scope, stdin)
            else:
                WORDS.visit_word(child, scope)
    scope.doubt(before)
    return UNKNOWN


def _function(node: Node, scope: Scope, _stdin: Flow) -> Flow:
    children = node.named_children
    if len(children) >= 2:
        scope.functions[scope.source.of(children[0])] = Function(children[-1], scope.source, walk)
    return NOTHING


def _declaration(node: Node, scope: Scope, stdin: Flow) -> Flow:
    for child in node.named_children:
        if child.type == "variable_assignment":
            _assignment(child, scope, stdin)
        elif child.type not in ("word", "variable_name"):
            WORDS.expand(child, scope)
    return NOTHING


def _list(node: Node, scope: Scope, stdin: Flow) -> Flow:
    """Walk `a && b || c`: what stands after the first may not run, so what it sets is in doubt afterwards."""
    parts: list[Node] = []
    left = [node]
    while left:
        found = left.pop()
        if found.type == "list":
            left += reversed(found.named_children)
        else:
            parts.append(found)
    printed = walk(parts[0], scope, stdin) if parts else NOTHING
    before = scope.copy()
    for part in parts[1:]:
        printed = _joined(printed, walk(part, scope, stdin))
    scope.doubt(before)
    return printed


def _branches(node: Node, scope: Scope, stdin: Flow) -> Flow:
    """Walk a condition and everything that it guards; what is set there is in doubt afterwards."""
    before = scope.copy()
    _all(node, scope, stdin)
    scope.doubt(before)
    return UNKNOWN


def _unset(node: Node, scope: Scope, _stdin: Flow) -> Flow:
    for child in node.named_children:
        WORDS.visit_word(child, scope)
    return NOTHING


def _test(node: Node, scope: Scope, stdin: Flow) -> Flow:
    """A test changes nothing, but what is substituted inside it runs."""
    for child in node.named_children:
        if child.type in ("command_substitution", "process_substitution", "string", "concatenation"):
            WORDS.expand(child, scope)
        elif child.named_child_count:
            _test(child, scope, stdin)
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
        expanded = WORDS.expand(child, scope)
        words += expanded
        nodes += [child] * len(expanded)
    if words:
        return run(Call(words, nodes, scope, stdin, scope.source.span(node), SHELL))
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
    if text[:1] == "`" and "\\`" in text:  # back ticks inside back ticks are escaped
        return evaluate(text[1:-1].replace("\\`", "`"), inner, NOTHING, scope.site(scope.source.span(node)))
    for child in node.named_children:
        if child.type in REDIRECTS:  # `$(< file)`
            flow = Redirects(inner, scope.source.span(node), WORDS, walk).take(child, NOTHING)
        else:
            flow = _joined(flow, walk(child, inner, NOTHING))
    if node.type == "process_substitution":
        name = f"/dev/fd/{len(scope.files) + 63}"
        scope.files[name] = flow
        return Flow(name, flow.marks)
    return flow


WORDS = Words(_substitute)
SHELL = Shell(run, evaluate)

HANDLERS: dict[str, Callable[[Node, Scope, Flow], Flow]] = {
    "command": _command,
    "variable_assignment": _assignment,
    "pipeline": _pipeline,
    "redirected_statement": _redirected,
    "subshell": _subshell,
    "for_statement": _for,
    "case_statement": _case,
    "function_definition": _function,
    "declaration_command": _declaration,
    "unset_command": _unset,
    "list": _list,
    "if_statement": _branches,
    "while_statement": _branches,
    "test_command": _test,
    "comment": _nothing,
    "heredoc_body": _nothing,
    "ERROR": _error,
}

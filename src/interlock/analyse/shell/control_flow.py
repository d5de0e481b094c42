"""Control flow: pipelines, lists, conditions, loops, functions, tests.

Both branches of a condition are walked, and a loop over constants once for each constant: the analysis covers
everything that the text could do.
"""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from interlock.analyse.disclosure import VALUE
from interlock.analyse.paths import HOLE, hole
from interlock.analyse.reading import NOTHING, UNKNOWN, Flow
from interlock.analyse.repetition import report_crowd, report_mailing, report_repeated
from interlock.analyse.shadowing import CONFIDANTS, GUARDS
from interlock.analyse.shell.repeated_commands import (
    BACKGROUND,
    ENDLESS_LOOP,
    NEW_FILES,
    PAUSE,
    READING,
    WAITING,
    guess_flags,
    read_names,
)
from interlock.analyse.shell.scope import MAX_DEFINITIONS, Function, Memory, Scope
from interlock.analyse.shell.words import expand, visit_word
from interlock.patterns import late

MAX_NESTING = 40
MAX_LOOP = 32
_CAP = frozenset({"cap"})

#: Node types of the patterns of a `case`.
PATTERNS = frozenset(
    (
        "word number string raw_string ansi_c_string concatenation extglob_pattern regex simple_expansion expansion "
        "command_substitution process_substitution"
    ).split()
)


def walk_children(node: Node, scope: Scope, stdin: Flow, before: Memory | None = None) -> Flow:
    """Walk the children of a node in order. A background command (`&`) runs in a subshell.

    The children of a condition are given what the scope was `before` it: in each branch, a variable can be set anew.
    """
    if scope.depth >= MAX_NESTING:
        scope.reading.unread("shell text nested too deep", scope.site(scope.source.span(node)), flags=_CAP)
        return UNKNOWN
    scope.depth += 1
    printed = NOTHING
    for child in node.named_children:
        if before is not None and child.type in _BRANCHES:
            scope.leave_branch(before)
        following = child.next_sibling if scope.source.forks else None
        apart = following is not None and following.type == "&"
        printed = printed.then(scope.shell.walk(child, scope.copy() if apart else scope, stdin))
    scope.depth -= 1
    return printed


_BRANCHES = frozenset({"elif_clause", "else_clause"})


def walk_subshell(node: Node, scope: Scope, stdin: Flow) -> Flow:
    """Walk a subshell in a copy of the scope, so that its assignments stay inside."""
    return walk_children(node, scope.copy(), stdin)


def walk_for(node: Node, scope: Scope, stdin: Flow) -> Flow:
    """Walk a `for` loop once for each known word, or once with an unknown value."""
    name, items, body = "", [], None
    for child in node.named_children:
        if child.type == "variable_name":
            name = scope.source.of(child)
        elif child.type in ("do_group", "compound_statement"):
            body = child
        else:
            items += expand(child, scope)
    printed, first = NOTHING, len(scope.reading.effects)
    for item in items[:MAX_LOOP] or [hole(name)]:
        scope.variables[name] = item
        printed = printed.then(scope.shell.walk(body, scope, stdin)) if body else printed
    if len(items) > MAX_LOOP and body:
        scope.variables[name] = hole(name)
        scope.shell.walk(body, scope, stdin)
    text = scope.source.of(node)
    report_crowd(scope.reading, first, text.partition("do")[0], len(items))
    if not items or any(HOLE in item for item in items):
        report_mailing(scope.reading, first)
    _report_guesses(node, text, name, scope)
    return printed


def _report_guesses(node: Node, text: str, name: str, scope: Scope) -> None:
    """Report a loop that tries one password after another."""
    flags = guess_flags(text, name)
    if flags:
        kind = "process.run" if "crack" in flags else "net.connect"
        scope.reading.emit(kind, scope.site(scope.source.span(node)), "one password after another", flags)


def walk_case(node: Node, scope: Scope, stdin: Flow) -> Flow:
    """Walk every branch of a `case`; variables set in them get alternatives."""
    before, shown = scope.remember(), frozenset[str]()
    for item in node.named_children:
        if item.type != "case_item":
            visit_word(item, scope)
            continue
        scope.leave_branch(before)
        for child in item.named_children:
            if child.type in PATTERNS:
                visit_word(child, scope)
            else:
                shown |= scope.shell.walk(child, scope, stdin).marks & VALUE
    scope.record_alternatives(before)
    return Flow(None, shown) if shown else UNKNOWN


def define_function(node: Node, scope: Scope, _stdin: Flow) -> Flow:
    """Define a function; its body is walked where it is called."""
    children = node.named_children
    body = node.child_by_field_name("body") or (children[-1] if len(children) > 1 else None)
    if body is not None:
        name = scope.source.of(children[0])
        earlier = scope.functions.get(name) if scope.branches else None
        if earlier is not None and earlier.number >= MAX_DEFINITIONS:
            scope.reading.unread(
                "a function that is defined many times", scope.site(scope.source.span(node)), flags=_CAP
            )
            earlier = None
        scope.functions[name] = Function(body, scope.source, earlier)
        if name in GUARDS:
            scope.reading.emit("defence.disable", scope.site(scope.source.span(node)), name)
        if name in CONFIDANTS and _PASSES_ON.search(scope.source.of(body)):
            scope.reading.emit("code.run", scope.site(scope.source.span(node)), f"{name}()", _SHADOWING)
    return NOTHING


# A function that takes the name of a command which asks for a password, and hands on what is typed.
_PASSES_ON = late(r"\bread\b|\btee\b|>|\b(?:curl|wget|nc|ncat|script|base64)\b|/tmp/")
_SHADOWING = frozenset({"shadows"})


def walk_list(node: Node, scope: Scope, stdin: Flow) -> Flow:
    """Walk `a && b || c`. All but the first may not run, so variables set in them get alternatives."""
    first, *rest = parts_of(node)
    printed = scope.shell.walk(first, scope, stdin)
    before = scope.remember()
    for part in rest:
        scope.keep_values(before)
        printed = printed.then(scope.shell.walk(part, scope, stdin))
    scope.record_alternatives(before)
    return printed


def parts_of(node: Node) -> list[Node]:
    """Return the commands of a list, in order."""
    parts, left = [], [node]
    while left:
        found = left.pop()
        if found.type == "list":
            left += reversed(found.named_children)
        else:
            parts.append(found)
    return parts


def walk_branches(node: Node, scope: Scope, stdin: Flow) -> Flow:
    """Walk a condition and all its branches; variables set in them get alternatives."""
    before = scope.remember()
    printed = walk_children(node, scope, stdin, before)
    scope.record_alternatives(before)
    return Flow(None, printed.marks & VALUE) if printed.marks else UNKNOWN


def walk_while(node: Node, scope: Scope, stdin: Flow) -> Flow:
    """Walk a loop on a condition, and report an endless one that keeps starting processes or connections."""
    first = len(scope.reading.effects)
    printed = walk_branches(node, scope, stdin)
    report_repeated(scope.reading, first)
    text = scope.source.of(node)
    if READING.search(text):
        report_mailing(scope.reading, first)
    for name in read_names(text):
        _report_guesses(node, text, name, scope)
    if not ENDLESS_LOOP.match(text):
        return printed
    site = scope.site(scope.source.span(node))
    if BACKGROUND.search(text) and not WAITING.search(text):  # each round starts one more process
        scope.reading.emit("machine.exhaust", site, "endless loop")
    elif not PAUSE.search(text):
        started = {effect.kind.partition(".")[0] for effect in scope.reading.effects[first:]}
        if NEW_FILES.search(text):
            scope.reading.emit("machine.exhaust", site, "endless loop that creates files")
        elif started & {"code", "net", "process", "machine", "container"}:
            scope.reading.emit("process.spawn", site, "endless loop", frozenset({"endless"}))
    return printed


def unset_variables(node: Node, scope: Scope, _stdin: Flow) -> Flow:
    """Unset variables; substitutions in their names are walked."""
    from interlock.analyse.variables import find_variable, read_variable

    for child in node.named_children:
        visit_word(child, scope)
        name = scope.source.of(child)
        scope.variables[name] = ""
        if find_variable(name) is not None:
            read_variable(scope.reading, name, "", scope.site(scope.source.span(node)))
    return NOTHING


def walk_test(node: Node, scope: Scope, stdin: Flow) -> Flow:
    """Walk the substitutions inside a test; the test itself has no effect."""
    for child in node.named_children:
        if child.type in ("command_substitution", "process_substitution", "string", "concatenation"):
            expand(child, scope)
        elif child.named_child_count:
            walk_test(child, scope, stdin)
    return NOTHING


CONTROL_FLOW: dict[str, Callable[[Node, Scope, Flow], Flow]] = {
    "list": walk_list,
    "subshell": walk_subshell,
    "if_statement": walk_branches,
    "while_statement": walk_while,
    "c_style_for_statement": walk_while,
    "for_statement": walk_for,
    "case_statement": walk_case,
    "function_definition": define_function,
    "test_command": walk_test,
    "unset_command": unset_variables,
}

"""Control flow: pipelines, lists, conditions, loops, functions, tests.

All branches of a condition are walked, each from the state in which it begins, and a loop over constants once for each
constant: the analysis covers everything that the text could do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tree_sitter import Node

from interlock.analyse.files.paths import HOLE, hole
from interlock.analyse.flow import NOTHING, UNKNOWN, Flow
from interlock.analyse.repetition import report_crowd, report_mailing, report_repeated
from interlock.analyse.secrets.disclosure import VALUE
from interlock.analyse.shadowing import CONFIDANTS, GUARDS
from interlock.analyse.shell.alternatives import mentions
from interlock.analyse.shell.expansion.words import expand, visit_word
from interlock.analyse.shell.parsing.grammar import ShellSource
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
from interlock.analyse.shell.scope import CWD, MAX_DEFINITIONS, ShellFunction, ShellScope, VariableValue
from interlock.analyse.shell.states import BranchState, Conditions, join_states, restore_state, take_state
from interlock.patterns import late

MAX_NESTING = 40
MAX_LOOP = 32
MAX_ROUNDS = 3
_CAP = frozenset({"cap"})

#: Node types of the patterns of a `case`.
PATTERNS = frozenset(
    (
        "word number string raw_string ansi_c_string concatenation extglob_pattern regex simple_expansion expansion "
        "command_substitution process_substitution"
    ).split()
)


def walk_children(node: Node, scope: ShellScope, stdin: Flow) -> Flow:
    """Walk the children of a node in order."""
    return walk_statements(node.named_children, scope, stdin)


def walk_statements(statements: Sequence[Node], scope: ShellScope, stdin: Flow) -> Flow:
    """Walk statements in order. A background command (`&`) runs in a subshell."""
    if scope.depth >= MAX_NESTING and statements:
        span = scope.source.span(statements[0])[0], scope.source.span(statements[-1])[1]
        scope.reading.unread("shell text nested too deep", scope.site(span), flags=_CAP)
        return UNKNOWN
    scope.depth += 1
    printed, walk, forks = NOTHING, scope.shell.walk, scope.source.forks
    for child in statements:
        following = child.next_sibling if forks else None
        apart = following is not None and following.type == "&"
        flow = walk(child, scope.copy() if apart else scope, stdin)
        if flow is not NOTHING:
            printed = flow if printed is NOTHING else printed.then(flow)
    scope.depth -= 1
    return printed


def walk_subshell(node: Node, scope: ShellScope, stdin: Flow) -> Flow:
    """Walk a subshell in a copy of the scope, so that its assignments stay inside."""
    return walk_children(node, scope.copy(), stdin)


def walk_for(node: Node, scope: ShellScope, stdin: Flow) -> Flow:
    """Walk a `for` loop once for each known word, or once with an unknown value."""
    name, items, body = "", [], None
    for child in node.named_children:
        if child.type == "variable_name":
            name = scope.source.of(child)
        elif child.type in ("do_group", "compound_statement"):
            body = child
        else:
            items += expand(child, scope)
    printed, first, number = NOTHING, len(scope.reading.effects), len(items)
    if not items or number > MAX_LOOP:
        items[MAX_LOOP:] = [hole(name)]
    text, statements = scope.source.of(node), [body] if body else []
    before, uncertain = take_state(scope), any(_UNCERTAIN.search(item) for item in items)
    for item in items:
        scope.set(name, item)
        if uncertain and len(items) == 1:
            printed = _walk_rounds(statements, scope, stdin, text)
        else:
            printed = printed.then(_walk_round(statements, scope, stdin))
    if uncertain:
        _keep_values(scope, before)
    report_crowd(scope.reading, first, text.partition("do")[0], number)
    if any(HOLE in item for item in items):
        report_mailing(scope.reading, first)
    _report_guesses(node, text, name, scope)
    return printed


def _report_guesses(node: Node, text: str, name: str, scope: ShellScope) -> None:
    """Report a loop that tries one password after another."""
    flags = guess_flags(text, name)
    if flags:
        kind = "process.run" if "crack" in flags else "net.connect"
        scope.reading.emit(kind, scope.site(scope.source.span(node)), "one password after another", flags)


#: Words of which a loop may find none: patterns and unknown values.
_UNCERTAIN = late(rf"[*?\[{HOLE}]")


def _keep_values(scope: ShellScope, before: BranchState) -> None:
    """Keep the values that variables had before a loop that may not run at all."""
    for name, value in before.variables.items():
        if scope.variables.get(name) != value:
            scope.add_alternative(name, value)
    if scope.cwd != before.cwd:
        scope.add_alternative(CWD, before.cwd or "")


def _walk_round(body: Sequence[Node], scope: ShellScope, stdin: Flow) -> Flow:
    """Walk the body of a loop once, which `break` and `continue` may leave early."""
    scope.loops.append([])
    before = take_state(scope)
    printed = walk_statements(body, scope, stdin)
    left = scope.loops.pop()
    if left:
        join_states(scope, [*left, take_state(scope, before)], before)
    return printed


def walk_case(node: Node, scope: ShellScope, stdin: Flow) -> Flow:
    """Walk every branch of a `case`; variables set in them get alternatives."""
    items = [child for child in node.named_children if child.type == "case_item"]
    for child in node.named_children:
        if child.type != "case_item":
            visit_word(child, scope)
    scope.branches += 1
    before, shown = take_state(scope), frozenset[str]()
    outcomes = [before]
    for item in items:
        for child in item.named_children:
            if child.type in PATTERNS:
                visit_word(child, scope)
            else:
                shown |= scope.shell.walk(child, scope, stdin).marks & VALUE
        outcomes.append(take_state(scope, before))
        if item.children[-1].type in _FALLS_THROUGH:
            join_states(scope, [before, outcomes[-1]], before)
        else:
            restore_state(scope, before)
    if any(_matches_all(item, scope) for item in items):
        del outcomes[0]
    join_states(scope, outcomes, before)
    scope.branches -= 1
    return Flow(None, shown) if shown else UNKNOWN


_FALLS_THROUGH = frozenset({";&", ";;&"})


def _matches_all(item: Node, scope: ShellScope) -> bool:
    """Whether a branch of a `case` is taken if no other is: `*)`."""
    first = item.named_child(0)
    return first is not None and first.type in PATTERNS and scope.source.of(first) == "*"


def define_function(node: Node, scope: ShellScope, _stdin: Flow) -> Flow:
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
        scope.functions[name] = ShellFunction(body, scope.source, earlier)
        if name in GUARDS:
            scope.reading.emit("defence.disable", scope.site(scope.source.span(node)), name)
        if name in CONFIDANTS and _PASSES_ON.search(scope.source.of(body)):
            scope.reading.emit("code.run", scope.site(scope.source.span(node)), f"{name}()", _SHADOWING)
    return NOTHING


# A function that takes the name of a command which asks for a password, and hands on what is typed.
_PASSES_ON = late(r"\bread\b|\btee\b|>|\b(?:curl|wget|nc|ncat|script|base64)\b|/tmp/")
_SHADOWING = frozenset({"shadows"})


def walk_list(node: Node, scope: ShellScope, stdin: Flow) -> Flow:
    """Walk `a && b || c`. All but the first may not run, so variables set in them get alternatives."""
    parts = parts_of(node, scope.source)
    if parts[0][1].type == "test_command" and all(_has_no_effect(part, scope.source) for _, part in parts):
        scope.reading.spend(len(parts))
        return NOTHING
    (_, first), *rest = parts
    walk = scope.shell.walk
    printed = walk(first, scope, stdin)
    conditions = Conditions(scope)
    for operator, part in rest:
        conditions.enter(operator)
        printed = printed.then(walk(part, scope, stdin))
        conditions.leave(operator)
    conditions.finish()
    return printed


def parts_of(node: Node, source: ShellSource) -> list[tuple[str, Node]]:
    """Return the commands of a list, in order, each with the operator before it."""
    if node.type != "list":
        return [("", node)]
    parts: list[tuple[str, Node]] | None = source.parts.get(node.id)
    if parts is None:
        parts = source.parts[node.id] = _find_parts(node)
    return parts


def _find_parts(node: Node) -> list[tuple[str, Node]]:
    parts: list[tuple[str, Node]] = []
    left, operator = [node], ""
    while left:
        found = left.pop()
        if found.type == "list":
            left += reversed(found.children)
        elif found.is_named:
            parts.append((operator, found))
        else:
            operator = found.type
    return parts


def walk_if(node: Node, scope: ShellScope, stdin: Flow) -> Flow:
    """Walk a condition and all its branches; variables set in them get alternatives."""
    clauses, has_else = _clauses_of(node, scope.source)
    scope.branches += 1
    before = skipped = take_state(scope)
    outcomes: list[BranchState] = []
    printed = NOTHING
    for condition, body in clauses:
        if outcomes:
            restore_state(scope, skipped)
        if condition:
            printed = printed.then(walk_statements(condition, scope, stdin))
            skipped = take_state(scope, skipped)
        printed = printed.then(walk_statements(body, scope, stdin))
        outcomes.append(take_state(scope, skipped))
    if not has_else:
        outcomes.insert(0, skipped)
    join_states(scope, outcomes, before)
    scope.branches -= 1
    return Flow(None, printed.marks & VALUE) if printed.marks else UNKNOWN


_CLAUSES = frozenset({"elif_clause", "else_clause"})


#: The statements before and after `then`.
_Clause = tuple[list[Node], list[Node]]


def _clauses_of(node: Node, source: ShellSource) -> tuple[list[_Clause], bool]:
    """Return the clauses of a condition, and whether the last one is an `else`."""
    found: tuple[list[_Clause], bool] | None = source.parts.get(node.id)
    if found is None:
        nodes = [node, *(child for child in node.named_children if child.type in _CLAUSES)]
        found = source.parts[node.id] = [*map(_split_clause, nodes)], nodes[-1].type == "else_clause"
    return found


def _split_clause(clause: Node) -> _Clause:
    """Return the statements before and after `then`; an `else` has no condition."""
    condition: list[Node] = []
    body: list[Node] = []
    given = body if clause.type == "else_clause" else condition
    for child in clause.children:
        if child.type == "then":
            given = body
        elif child.is_named and child.type not in _CLAUSES:
            given.append(child)
    return condition, body


def _walk_repeated(node: Node, scope: ShellScope, stdin: Flow) -> Flow:
    """Walk a loop on a condition, which may not be met even once."""
    scope.branches += 1
    before = take_state(scope)
    printed = _walk_rounds(node.named_children, scope, stdin, scope.source.of(node))
    join_states(scope, [before, take_state(scope, before)], before)
    scope.branches -= 1
    return Flow(None, printed.marks & VALUE) if printed.marks else UNKNOWN


def _walk_rounds(body: Sequence[Node], scope: ShellScope, stdin: Flow, text: str) -> Flow:
    """Walk the body of a loop once, and again as long as a round changes what the next one uses."""
    printed = NOTHING
    before = after = take_state(scope)
    for _ in range(MAX_ROUNDS):
        printed = printed.then(_walk_round(body, scope, stdin))
        join_states(scope, [after, take_state(scope, after)], before)
        earlier, after = after, take_state(scope, after)
        if earlier is after or not _changes_next_round(text, earlier, after):
            break
    return printed


def _changes_next_round(text: str, before: BranchState, after: BranchState) -> bool:
    """Whether a round of a loop has changed the folder, or a variable that the loop uses and that counts nothing."""
    return before.cwd != after.cwd or any(
        mentions(text, name)
        for name, value in after.variables.items()
        if name in before.variables and before.variables[name] != value and not _is_number(value)
    )


def _is_number(value: VariableValue) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdigit()


def walk_while(node: Node, scope: ShellScope, stdin: Flow) -> Flow:
    """Walk a loop on a condition, and report an endless one that keeps starting processes or connections."""
    first = len(scope.reading.effects)
    printed = _walk_repeated(node, scope, stdin)
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


def unset_variables(node: Node, scope: ShellScope, _stdin: Flow) -> Flow:
    """Unset variables; substitutions in their names are walked."""
    from interlock.analyse.variables import find_variable, read_variable

    for child in node.named_children:
        visit_word(child, scope)
        name = scope.source.of(child)
        scope.set(name, "")
        if find_variable(name) is not None:
            read_variable(scope.reading, name, "", scope.site(scope.source.span(node)))
    return NOTHING


def _has_no_effect(node: Node, source: ShellSource) -> bool:
    """Whether a node is a test without substitutions, defaults and lists of words."""
    return node.type == "test_command" and _EXPANDING.isdisjoint(source.of(node))


_EXPANDING = frozenset("(`{")


def walk_test(node: Node, scope: ShellScope, stdin: Flow) -> Flow:
    """Walk the substitutions inside a test; the test itself has no effect."""
    if _EXPANDING.isdisjoint(scope.source.of(node)):
        return NOTHING
    for child in node.named_children:
        if child.type in ("command_substitution", "process_substitution", "string", "concatenation"):
            expand(child, scope)
        elif child.named_child_count:
            walk_test(child, scope, stdin)
    return NOTHING


CONTROL_FLOW: dict[str, Callable[[Node, ShellScope, Flow], Flow]] = {
    "list": walk_list,
    "subshell": walk_subshell,
    "if_statement": walk_if,
    "while_statement": walk_while,
    "c_style_for_statement": walk_while,
    "for_statement": walk_for,
    "case_statement": walk_case,
    "function_definition": define_function,
    "test_command": walk_test,
    "unset_command": unset_variables,
}

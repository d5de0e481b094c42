"""Simple commands, redirected statements and pipelines: words are expanded, redirections applied, commands run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from tree_sitter import Node

from interlock.analyse.flow import NOTHING, Flow
from interlock.analyse.shell.alternatives import (
    copy_without_alternatives,
    find_unmentioned_alternatives,
    walk_alternatives,
)
from interlock.analyse.shell.call import ShellCall
from interlock.analyse.shell.command import run
from interlock.analyse.shell.control_flow import parts_of, walk_children
from interlock.analyse.shell.expansion.assignment import assign
from interlock.analyse.shell.expansion.words import expand, plain_word
from interlock.analyse.shell.parsing.grammar import ShellSource
from interlock.analyse.shell.redirection import REDIRECTS, Redirects
from interlock.analyse.shell.scope import ShellScope
from interlock.analyse.shell.states import Conditions
from interlock.patterns import late

#: A command without quotes, expansions, redirections and braces: its words are what stands between its spaces.
_PLAIN = late(r"[\w./:,@%+=*?\t -]+", re.ASCII)
#: Parts of a command that are no words.
_NO_WORDS = frozenset({"variable_assignment", "subshell", *REDIRECTS})


def walk_command(node: Node, scope: ShellScope, stdin: Flow, more: Sequence[Node] = ()) -> Flow:
    """Expand the words of a command, apply its redirections and run it; `more` are words after a redirection."""
    source, start, end = scope.source, node.start_byte, node.end_byte
    text = source.text[start:end]
    if more or not _PLAIN.fullmatch(text) or node.has_error:
        return _walk_expanded(node, scope, stdin, more)
    words, children = text.split(), node.named_children
    if len(words) != len(children) or children[0].type != "command_name":
        return _walk_expanded(node, scope, stdin, more)
    call = ShellCall(words, [*children], scope, stdin, source.between(start, end))
    printed = run(call)
    if scope.reading.sinks:
        _run_sinks(call, printed)
    return printed


def _walk_expanded(node: Node, scope: ShellScope, stdin: Flow, more: Sequence[Node]) -> Flow:
    """Walk a command whose words have to be expanded one by one."""
    saved = scope.alternatives
    if saved:  # substitutions get their alternatives when the whole command is walked again
        scope.alternatives = find_unmentioned_alternatives(scope, node)
    words: list[str] = []
    nodes: list[Node | None] = []
    assigned: list[Node] = []
    redirects: Redirects | None = None
    for kind, child, word in _parts_of(node, scope, more):
        if word is not None:
            words.append(word)
            nodes.append(child)
        elif kind not in _NO_WORDS:
            expanded = expand(child, scope)
            words += expanded
            nodes += [child] * len(expanded)
        elif kind == "variable_assignment":
            assigned.append(child)
        elif kind == "subshell":  # `f(x)`: the grammar accepts it, shells do not
            scope.reading.unread("shell text that does not parse", scope.site(scope.source.span(node)))
            scope.shell.walk(child, scope, stdin)
        else:
            redirects = redirects or Redirects(scope, scope.source.span(node))
            stdin = redirects.take(child, stdin)
    if redirects is not None and redirects.words:
        for child in redirects.words:
            expanded = expand(child, scope)
            words += expanded
            nodes += [child] * len(expanded)
    scope.alternatives = saved
    call = ShellCall(words, nodes, scope, stdin, scope.source.span(node))
    printed = _run_with_assignments(call, assigned) if assigned else run(call)
    if scope.reading.sinks:
        _run_sinks(call, printed)
    return redirects.finish(printed) if redirects else printed


#: A part of a command: its type, its node, and the word that it always expands to, if it does.
_Part = tuple[str, Node, str | None]


def _parts_of(node: Node, scope: ShellScope, more: Sequence[Node]) -> list[_Part]:
    """Return the parts of a command in order, and those of `more`."""
    source = scope.source
    parts: list[_Part] | None = source.parts.get(node.id)
    if parts is None:
        parts = source.parts[node.id] = [_part_of(child, source) for child in node.named_children]
    return parts + [_part_of(child, source) for child in more] if more else parts


def _part_of(child: Node, source: ShellSource) -> _Part:
    kind = child.type
    word = (child.named_child(0) or child) if kind == "command_name" else child
    return kind, word, plain_word(word, source)


def _run_sinks(call: ShellCall, printed: Flow) -> None:
    """Walk the commands of `>(…)` on what the command writes there: known content, its output, or else its input."""
    reading = call.scope.reading
    for word in call.words:
        if word in reading.sinks:
            known = reading.files.get(word)
            reading.sinks.pop(word)(known or (call.stdin if printed is NOTHING else printed))


def _run_with_assignments(call: ShellCall, assigned: list[Node]) -> Flow:
    """Run a command with variables that are set for this command only."""
    scope = call.scope
    before, first = dict(scope.variables), len(scope.reading.effects)
    for node in assigned:
        assign(node, scope, NOTHING)
    if "-c" in call.words and len(scope.reading.effects) > first:  # a shell that runs one command keeps no history
        scope.reading.effects[first:] = [
            effect for effect in scope.reading.effects[first:] if effect.kind != "trace.erase"
        ]
    if not call.words:
        return NOTHING
    names = [name for name, value in scope.variables.items() if before.get(name) is not value]
    try:
        return run(call)
    finally:
        for name in names:  # assignments by the command itself stay
            if name in before:
                scope.variables[name] = before[name]
            else:
                scope.variables.pop(name, None)


def walk_pipeline(node: Node, scope: ShellScope, stdin: Flow) -> Flow:
    """Walk a pipeline: the output of each part is the input of the next, and each part runs in a subshell.

    The grammar takes all of `cd x && make 2>&1` in `cd x && make 2>&1 | tail` for the first part; `cd x` runs before
    the pipeline, and not in a subshell.
    """
    first, *others = _commands(node)
    walk = scope.shell.walk
    if first.type == "redirected_statement":
        flow = _walk_redirected_part(first, scope, stdin)
    else:
        flow = walk(first, scope.copy(), stdin)
    for part in others:
        flow = walk(part, scope.copy(), flow)
    return flow


def _commands(node: Node) -> list[Node]:
    return [child for child in node.named_children if child.type != "comment"]


def walk_redirected(
    node: Node, scope: ShellScope, stdin: Flow, enter: Callable[[ShellScope], ShellScope] = lambda scope: scope
) -> Flow:
    """Walk a statement with redirections.

    The grammar attaches those of `a && b > x` and `a | b < x` to the whole; they belong to the last command. `enter`
    returns the scope that the last command runs in.
    """
    given = stdin
    body, redirections = _split_redirected(node)
    *before_last, (operator, last) = parts_of(body, scope.source) if body is not None else [("", node)]
    conditions = None
    if before_last:  # first, because it may change the folder that the redirections are resolved in
        conditions = _walk_conditional(before_last, scope, given)
        conditions.enter(operator)
    inner = enter(scope)
    redirects = Redirects(inner, scope.source.span(node))
    for child in redirections:
        stdin = redirects.take(child, stdin)
    if body is None:
        return redirects.finish(NOTHING)

    def part_scope(scope: ShellScope) -> ShellScope:
        return copy_without_alternatives(scope, node)

    if last.type == "pipeline":
        first, *piped, last = _commands(last)
        if first.type == "redirected_statement":
            flow = walk_redirected(first, inner, given, part_scope)
        else:
            flow = scope.shell.walk(first, part_scope(inner), given)
        for part in piped:
            flow = scope.shell.walk(part, part_scope(inner), flow)
        stdin = flow if stdin is given else stdin
        printed = _walk_last(last, part_scope(inner), stdin, redirects.words)
    elif last.type == "subshell":
        printed = walk_children(last, part_scope(inner), stdin)
    else:
        printed = _walk_last(last, inner, stdin, redirects.words)
    left = redirects.finish(printed)
    if conditions is not None:
        conditions.leave(operator)
        conditions.finish()
    return left


def _split_redirected(node: Node) -> tuple[Node | None, list[Node]]:
    """Return what is redirected, and its redirections."""
    body = None
    redirections: list[Node] = []
    for child in node.named_children:
        if child.type in REDIRECTS:
            redirections.append(child)
        elif body is None:
            body = child
    return body, redirections


def _walk_conditional(parts: list[tuple[str, Node]], scope: ShellScope, stdin: Flow) -> Conditions:
    """Walk the commands of a list before its last one, and return the states in which that one may begin."""
    (_, first), *others = parts
    scope.shell.walk(first, scope, stdin)
    conditions = Conditions(scope)
    for operator, part in others:
        conditions.enter(operator)
        scope.shell.walk(part, scope, stdin)
        conditions.leave(operator)
    return conditions


#: A redirected statement that runs in a subshell, except for the commands before its last one.
_walk_redirected_part = walk_alternatives(partial(walk_redirected, enter=ShellScope.copy))


def _walk_last(node: Node, scope: ShellScope, stdin: Flow, more: list[Node]) -> Flow:
    """Walk the command that redirections belong to, with the words after them."""
    if node.type == "command":  # directly: the whole statement is walked for each alternative already
        return walk_command(node, scope, stdin, more)
    return scope.shell.walk(node, scope, stdin)
